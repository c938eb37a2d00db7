// The transport of Weft's own on TCP: for clusters without a network that does more, and without anything to install.
//
// A put, a get or an atomic operation is one message to the target, whose library does it and answers. That is a round
// trip with one system call to send and one or two to receive on each side, against which libfabric's tcp;ofi_rxm has
// a queue of events, a signal to whoever sleeps, and headers of two layers.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "transport/late.hpp"
#include "transport/tcp/connection.hpp"
#include "transport/tcp/regions.hpp"
#include "transport/transport.hpp"

namespace weft::transport::tcp {

class Tcp final : public Transport, private LateAnswers {
 public:
  explicit Tcp(const Setup& setup) noexcept : LateAnswers(mutex_), setup_(setup) {}
  ~Tcp();
  base::Result<void> prepare() noexcept;

  const char* name() const noexcept override { return "tcp"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return copy_bytes_; }
  bool joins_puts() const noexcept override { return true; }
  base::Result<void> copy_up_to(std::size_t bytes) noexcept override;
  base::Result<void> open(boot::PeerCard* own) noexcept override;
  void close() noexcept override;
  base::Result<RegionKey> lend(const Memory& memory) noexcept override;
  void take_back(const RegionKey& key) noexcept override;
  void put(const Remote& to, const void* from, std::size_t bytes, Source source, Pending& pending) noexcept override;
  void get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept override;
  void atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept override;
  void put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                const Atomic& what, Pending& pending) noexcept override;
  // All requests to a PE go over one connection, and are carried out as they come.
  bool keeps_order() const noexcept override { return true; }
  // Not an atomic increment: of two threads' fences at a time one is enough.
  void fenced() noexcept override {
    fences_.store(fences_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  Told tell(int pe, const Message& what, Pending& pending) noexcept override;
  void progress() noexcept override;
  bool sleep(int timeout_ms) noexcept override;

 private:
  static constexpr std::size_t kScratch = 32768;
  static constexpr std::size_t kReplies = 512;
  // Copies of data that sockets do not take, for each connection, before who wants to send more waits, and before no
  // more is read from who does not take its answers.
  static constexpr std::size_t kMostCopied = std::size_t{1} << 20;
  // Data of an operation that is gathered: more of it would leave soon anyway.
  static constexpr std::size_t kMostToGather = 1024;
  // Data of a put that waits for its flag. Beyond, copying it once more takes longer than the call that is saved.
  static constexpr std::size_t kMostToHold = 4096;
  // How long who sleeps on the network sleeps at most while puts are held back, and for how many sleeps from the last
  // one.
  static constexpr int kHoldingMs = 4;
  static constexpr int kHoldingSleeps = 32;
  // Of so many looks one is at all connections, where something is expected on one.
  static constexpr unsigned kLooksAtOne = 4;

  // What this PE asks (tcp.cpp).
  /// Data that goes with a request. `sent` counts what the socket has not taken, where that is not copied.
  struct Data {
    const void* at = nullptr;
    std::size_t bytes = 0;
    Outbox::Keep keep = Outbox::Keep::kWhereItLies;
    Pending* sent = nullptr;
  };
  using Lock = std::unique_lock<std::mutex>;
  /// The connection, which may be none yet; made where it is the first time. Null: no memory, and that was told.
  Connection* connection_to(int pe) noexcept;
  /// With the connection's mutex: has somebody make it, if nobody does.
  void call(Connection& connection) noexcept;
  void post(Connection& connection, const Request& request, const Data& data) noexcept;
  void sent(Connection& connection, int error) noexcept;
  enum class Leaves : std::uint8_t { kNow, kSoon };
  void ask(int pe, const Request& request, const Data& data, Leaves leaves, Pending& pending, void* to = nullptr,
           std::size_t to_bytes = 0) noexcept;
  /// Returns when the data may be changed, if that is wanted.
  void ask_to_put(int pe, const Request& request, const void* from, bool reusable, Leaves leaves,
                  Pending& pending) noexcept;
  /// With the connection's mutex, while something else is under way on it. False: it is to be posted.
  bool gather(Connection& connection, const Request& request, const Data& data) noexcept;
  /// With the connection's mutex: whether it was held back, as its flag is expected.
  bool hold(Connection& connection, const Request& request, const Data& data, bool behind_fence) noexcept;
  bool append(Connection& connection, const Request& request, const Data& data) noexcept;
  /// Of all connections, what was gathered.
  void send_gathered() noexcept;

  // From here on with the progress lock. Who goes on, and who is gone (progress.cpp).
  static bool is_behind(const Connection& connection) noexcept;
  /// With the mutex, where the connection asks.
  void watch(Connection& connection) noexcept;
  void watch_for(Connection& connection, std::uint32_t events) noexcept;
  bool look_at_expected() noexcept;
  bool has_one_partner() const noexcept;
  void look_at(Connection& connection, std::uint32_t events) noexcept;
  void send_on(Connection& connection, bool has_room) noexcept;
  void lost(Connection& connection, int error) noexcept;
  void drop(Connection& connection) noexcept;
  void drop_asking(Connection& connection) noexcept;

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
  bool refuse(const Connection& connection, const char* why) const noexcept;
  static bool finish(Connection& connection, std::uint32_t times) noexcept;
  void reply(Connection& connection, Answer answer, std::uint64_t value) noexcept;
  void send_replies(Connection& connection, const void* data, std::size_t bytes) noexcept;

  // Messages (tell.cpp).
  /// The connection that this PE tells another one by: its own, or the other one's. By one of the two, so that messages
  /// come in their order.
  enum class TellsBy : std::uint8_t {
    kOwn,
    kChooses,  // has come to have both
    kMoves,    // from its own to the other one's, which waits until all has come that was told
    kTheirs,
  };
  class Replier;
  std::atomic<TellsBy>& tells_by(int pe) noexcept { return tells_by_[static_cast<std::size_t>(pe)]; }
  Told tell_by_own(int pe, const Message& what, Pending& pending) noexcept;
  Told tell_by_theirs(int pe, const Message& what, Pending& pending) noexcept;
  TellsBy choose(int pe) noexcept;
  bool moved(int pe) noexcept;
  bool take_room(Connection& connection, std::uint64_t messages) const noexcept;
  static Lock lock_if_asks(Connection& connection) noexcept;
  void say_taken(Connection& connection) noexcept;
  void send_answer(Connection& connection, const Message& what) noexcept;
  void send_late(int pe, std::uint64_t connection, const Message& what) noexcept override;
  void no_memory_for_answer(int pe) noexcept override;
  bool told(Connection& connection) noexcept;
  bool begin_told(Connection& connection, const Response& response) noexcept;
  bool told_on_own(Connection& connection) noexcept;
  bool place(Connection& connection) noexcept;
  void arrived(Connection& connection) noexcept;
  static void forget_arrival(Connection& connection) noexcept;

  // Who comes, and to whom this PE goes (greet.cpp).
  Connection*& from(int pe) noexcept { return from_[static_cast<std::size_t>(pe)]; }
  void take_calls() noexcept;
  void connect(Connection& connection) noexcept;
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
  std::size_t copy_bytes_ = kCopyBytes;  // changes while nothing is under way
  std::size_t pes_ = 0;
  int epoll_ = -1;
  int wake_ = -1;  // an event for who sleeps
  Regions regions_;
  // By PE, null until the first operation with it; then it stays.
  std::unique_ptr<std::atomic<Connection*>[]> to_;
  std::unique_ptr<std::atomic<TellsBy>[]> tells_by_;  // changed with the progress lock
  std::atomic<Connection*> called_ = nullptr;         // those that somebody wants made
  std::atomic<Connection*> gathering_ = nullptr;      // those with something gathered
  std::atomic<std::uint32_t> fences_ = 0;
  std::atomic<int> long_sleepers_ = 0;   // threads in sleep() that nothing held back may wait for
  std::atomic<int> holding_sleeps_ = 0;  // so many sleeps from now on are short
  std::mutex mutex_;                     // the progress lock: of all that follows
  int listener_ = -1;
  int spare_ = -1;                // a descriptor to let go when there are no more
  std::uint64_t deaf_until_ = 0;  // ns: nobody is accepted, as there are no descriptors; 0: not so
  bool open_ = false;
  std::unique_ptr<Connection*[]> from_;
  Chain asking_;      // those of to_ that are open
  Chain connecting_;  // and those that are not
  Chain answering_;
  std::uint64_t last_opened_ = 0;  // the number of the last connection
  Chain strangers_;                // have not proved that they know the key
  // The connection that something came by last, and whether that was so the time before too; then more is expected
  // there.
  Connection* latest_ = nullptr;
  bool is_expected_ = false;
  unsigned looks_ = 0;
  // Of the connection that is being read.
  Response replies_[kReplies];
  std::size_t n_replies_ = 0;
  std::unique_ptr<std::byte[]> scratch_;
};

}  // namespace weft::transport::tcp
