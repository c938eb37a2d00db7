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
#include "transport/tcp/regions.hpp"
#include "transport/transport.hpp"

namespace weft::transport::tcp {

class Tcp final : public Transport {
 public:
  explicit Tcp(const Setup& setup) noexcept : setup_(setup) {}
  ~Tcp();
  base::Result<void> prepare() noexcept;

  const char* name() const noexcept override { return "tcp"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return copy_bytes_; }
  base::Result<void> copy_up_to(std::size_t bytes) noexcept override;
  base::Result<void> open(boot::PeerCard* own) noexcept override;
  void close() noexcept override;
  base::Result<RegionKey> lend(const Memory& memory) noexcept override;
  void take_back(const RegionKey& key) noexcept override;
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
  // Copies of data that sockets do not take, for each connection, before who wants to send more waits, and before no
  // more is read from who does not take its answers.
  static constexpr std::size_t kMostCopied = std::size_t{1} << 20;

  // What this PE asks (tcp.cpp).
  /// Data that goes with a request. `sent` counts what the socket has not taken, where that is not copied.
  struct Data {
    const void* at = nullptr;
    std::size_t bytes = 0;
    Outbox::Keep keep = Outbox::Keep::kWhereItLies;
    Pending* sent = nullptr;
  };
  using Lock = std::unique_lock<std::mutex>;
  /// Waits for room; then `operation` is one, if one is wanted. Null: there is no connection, and that was told.
  Connection* connection_with_room(Lock& lock, int pe, Operation** operation) noexcept;
  void post(Connection& connection, const Request& request, const Data& data) noexcept;
  void ask(int pe, const Request& request, const Data& data, Pending& pending, void* to = nullptr,
           std::size_t to_bytes = 0) noexcept;
  /// Returns when the data may be changed, if that is wanted.
  void ask_to_put(int pe, const Request& request, const void* from, bool reusable, Pending& pending) noexcept;

  static bool is_behind(const Connection& connection) noexcept;
  void watch(Connection& connection) noexcept;
  void watch_for(Connection& connection, std::uint32_t events) noexcept;
  void lost(Connection& connection, int error) noexcept;
  void drop(Connection& connection) noexcept;

  // What comes (serve.cpp).
  /// False: the connection is gone, or to be made anew.
  bool receive_on(Connection& connection) noexcept;
  bool take(Connection& connection, const std::byte* data, std::size_t bytes) noexcept;
  bool head_is_here(Connection& connection) noexcept;
  bool data_is_here(Connection& connection) noexcept;
  bool store(Connection& connection) noexcept;
  bool may_go_on(const Connection& connection) const noexcept;
  bool asked(Connection& connection) noexcept;
  void serve(Connection& connection, std::byte* at) noexcept;
  bool answered(Connection& connection) noexcept;
  bool answered_a_question(Connection& connection, const Response& response) noexcept;
  bool send_wanted(Connection& connection, std::uint64_t number) noexcept;
  bool begin_message(Connection& connection) noexcept;
  bool take_message(Connection& connection, const Mailbox::Meeting& meeting) noexcept;
  void refuse_message(int pe, Mailbox::Met why, std::uint64_t came, std::uint64_t wanted) noexcept;
  bool refuse(const Connection& connection, const char* why) const noexcept;
  void finish(Connection& connection) noexcept;
  void reply(Connection& connection, Answer answer, std::uint64_t value) noexcept;
  void send_replies(Connection& connection, const void* data, std::size_t bytes) noexcept;
  /// Gives the sender back what its message took of its allowance.
  void give_back(Connection& connection, std::uint64_t cost) noexcept;

  // Who comes, and to whom this PE goes (greet.cpp).
  Connection*& to(int pe) noexcept { return to_[static_cast<std::size_t>(pe)]; }
  Connection*& from(int pe) noexcept { return from_[static_cast<std::size_t>(pe)]; }
  Connection* connection_to(int pe) noexcept { return to(pe) != nullptr ? to(pe) : connect_to(pe); }
  Connection* connect_to(int pe) noexcept;
  void try_addresses(Connection& connection) noexcept;
  void connected(Connection& connection) noexcept;
  void close_and_wait(Connection& connection, std::uint64_t ns) noexcept;
  /// The other side has gone before it said that this PE is welcome.
  void come_again(Connection& connection, int error) noexcept;
  void give_up(Connection& connection, const char* why) noexcept;
  bool challenged(Connection& connection) noexcept;
  bool welcomed(Connection& connection) noexcept;

  void accept_some() noexcept;
  void take_in(int fd) noexcept;
  bool make_room_for_files(int error) noexcept;
  bool greeted(Connection& connection) noexcept;
  /// Only while something is unsettled: looks whose time is up.
  void look_at_time() noexcept;
  void look_at_strangers(std::uint64_t now) noexcept;

  Setup setup_;
  std::uint64_t allowance_ = 0;  // for messages from each PE
  std::mutex mutex_;             // of all that follows
  int epoll_ = -1;
  int listener_ = -1;
  int spare_ = -1;                // a descriptor to let go when there are no more
  std::uint64_t deaf_until_ = 0;  // ns: nobody is accepted, as there are no descriptors; 0: not so
  std::size_t copy_bytes_ = kCopyBytes;
  Regions regions_;
  bool open_ = false;
  // By PE, null until the first operation with it.
  std::unique_ptr<Connection*[]> to_;
  std::unique_ptr<Connection*[]> from_;
  Chain asking_;      // those of to_ that are open
  Chain connecting_;  // and those that are not
  Chain answering_;
  Chain strangers_;  // have not proved that they know the key
  Pool pool_;
  Mailbox mailbox_;
  // Of the connection that is being read.
  Response replies_[kReplies];
  std::size_t n_replies_ = 0;
  std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace weft::transport::tcp
