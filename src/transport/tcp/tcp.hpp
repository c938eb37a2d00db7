// The transport of Weft's own on TCP: for clusters without a network that does more, and without anything to install.
//
// A put, a get or an atomic operation is one message to the target, whose library does it and answers. That is a round
// trip with one system call to send and one or two to receive on each side, against which libfabric's tcp;ofi_rxm has
// a queue of events, a signal to whoever sleeps, and headers of two layers.
#pragma once

#include <sys/epoll.h>

#include <memory>
#include <mutex>

#include "transport/tcp/connection.hpp"
#include "transport/transport.hpp"

namespace weft::transport::tcp {

class Tcp final : public Transport {
 public:
  explicit Tcp(const Setup& setup) noexcept : setup_(setup) {}
  base::Result<void> prepare() noexcept;

  const char* name() const noexcept override { return "tcp"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return copy_bytes_; }
  base::Result<void> copy_up_to(std::size_t bytes) noexcept override;
  base::Result<void> open(const Memory (&regions)[kRegions], boot::PeerCard* own) noexcept override;
  void close() noexcept override;
  void put(const Remote& to, const void* from, std::size_t bytes, bool reusable, Pending& pending) noexcept override;
  void get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept override;
  void atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept override;
  void put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                const Atomic& what, Pending& pending) noexcept override;
  void send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept override;
  void receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept override;
  void progress() noexcept override;
  bool sleep(int timeout_ms) noexcept override;

 private:
  static constexpr std::size_t kScratch = 32768;
  static constexpr std::size_t kReplies = 512;

  // What asks.
  /// Data that goes with a request. `sent` counts what the socket has not taken, where that is not copied.
  struct Data {
    const void* at = nullptr;
    std::size_t bytes = 0;
    Outbox::Keep keep = Outbox::Keep::kWhereItLies;
    Pending* sent = nullptr;
  };
  /// `pending` null: there is no answer.
  void ask(int pe, const Request& request, const Data& data, Pending* pending, void* to = nullptr,
           std::size_t to_bytes = 0) noexcept;
  /// Returns when the data may be changed, if that is wanted.
  void ask_to_put(int pe, const Request& request, const void* from, bool reusable, Pending& pending) noexcept;
  Connection* connection_to(int pe) noexcept;

  // What comes.
  void accept_all() noexcept;
  /// False: the connection is gone.
  bool receive_on(Connection& connection) noexcept;
  bool take(Connection& connection, const std::byte* data, std::size_t bytes) noexcept;
  bool head_is_here(Connection& connection) noexcept;
  void data_is_here(Connection& connection) noexcept;
  bool greeted(Connection& connection) noexcept;
  bool asked(Connection& connection) noexcept;
  bool answered(Connection& connection) noexcept;
  bool begin_letter(Connection& connection) noexcept;
  /// `came` 0: there was no memory for it.
  void refuse_message(int pe, std::size_t came, std::size_t wanted) noexcept;
  void finish(Connection& connection) noexcept;
  /// Null: it is not in what others may reach.
  std::byte* place(Region region, std::uint64_t offset, std::uint64_t bytes) const noexcept;
  void reply(Connection& connection, Answer answer, std::uint64_t value) noexcept;
  void send_replies(Connection& connection, const void* data, std::size_t bytes) noexcept;

  void watch(Connection& connection) noexcept;
  void lost(Connection& connection, int error) noexcept;
  void drop(Connection& connection) noexcept;

  Setup setup_;
  std::mutex mutex_;  // of all that follows
  int epoll_ = -1;
  int listener_ = -1;
  std::size_t copy_bytes_ = kCopyBytes;
  Memory regions_[kRegions];
  bool open_ = false;
  // By PE, null until the first operation with it.
  std::unique_ptr<Connection*[]> to_;
  Connection* from_ = nullptr;
  Pool pool_;
  Mailbox mailbox_;
  // Of the connection that is being read.
  Response replies_[kReplies];
  std::size_t n_replies_ = 0;
  std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace weft::transport::tcp
