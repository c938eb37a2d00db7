// A lock that migrates between the processors of its home node and the network, for networks whose atomic operations
// are not atomic against the processor's.
//
// First come, first served: who takes a ticket gets a position, and goes in when that is admitted. There are two
// counters of tickets, one that only the processors of the home node change and one that only the network changes, so
// no word is ever changed by both at a time; one of them is open, and a ticket of the open one is a position.
// `admitted` needs no atomic operation, for only who is admitted changes it.
//
// A writer admits the next one when it leaves, a reader at once, and counts itself in the same word. So a writer that
// is admitted knows how many readers were before it, and goes in when as many have left. These are counted twice too,
// by the processors and by the network.
//
//   tickets, 32 bits | phase, 32 bits
//
// Phases alternate: in every other one the processors serve, and the network in those between. Who takes a new lock
// first decides with whom it begins, and notes that in the lock's key (lock/keys.hpp), so that the words are zero
// either way. The agent (lock/agent.hpp) closes one counter by an addition to its phase, by the same means as
// tickets are taken from it. That returns how many tickets were given out before; any taken later shows a closed phase.
// So nobody has to announce what it is about to do, and the agent waits for nobody.
//
// A PE elsewhere takes its ticket from the network's counter whether that is open or not. If it is closed the PE asks
// the agent to open it, which adds what was given out by the processors meanwhile, the shift, and publishes that: the
// PE's position is its ticket and the shift. So whoever asks has its place already, and a lock that stays with the
// network costs it one round trip. The network's counter is not closed again before those have had the lock.
//
// A PE of the home node takes a ticket from the processors' counter where that is open; else it asks the network, and
// by comparing, so that it takes none from a closed one (but after some attempts that others have spoilt).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lock/mode.hpp"
#include "sync/doorbell.hpp"
#include "sync/waiter.hpp"
#include "transport/transport.hpp"

namespace weft::lock {

/// Zero: free, and whom the key names serves.
struct alignas(64) LockWords {
  std::atomic<std::uint64_t> far;          // the network's counter
  std::atomic<std::uint64_t> wanted;       // the network writes: its phase that somebody wants who has taken no ticket
  std::atomic<std::uint64_t> shift;        // the agent writes: the shift, and the network's phase that it is for
  std::atomic<std::uint64_t> near;         // the processors' counter
  std::atomic<std::uint64_t> admitted;     // who is admitted writes: a position | how many readers were admitted so far
  std::atomic<std::uint32_t> near_by_far;  // the processors count: tickets that their PEs have taken from the network
  std::atomic<std::uint32_t> near_done;    // the processors count: readers that have left
  std::atomic<std::uint64_t> far_done;     // the network counts: the others
};
static_assert(sizeof(LockWords) == 64);

/// One for all locks of a home PE.
struct LockHead {
  alignas(64) std::atomic<std::uint64_t> asks;   // the network counts: the agent is to look
  alignas(64) std::atomic<std::uint64_t> moves;  // the sum of all near_by_far
  std::atomic<std::uint64_t> found;  // the processors count: PEs that have found a lock that began with the network
  sync::Doorbell bell;               // of the PEs of the node that wait for any of the locks
};

namespace ticket {
inline constexpr std::uint64_t kOne = std::uint64_t{1} << 32;
constexpr std::uint32_t number(std::uint64_t counter) noexcept { return static_cast<std::uint32_t>(counter >> 32); }
constexpr std::uint32_t phase(std::uint64_t counter) noexcept { return static_cast<std::uint32_t>(counter); }
constexpr std::uint64_t counter(std::uint32_t number, std::uint32_t phase) noexcept {
  return (std::uint64_t{number} << 32) | phase;
}
}  // namespace ticket

namespace admit {
inline constexpr std::uint64_t kNextWriter = std::uint64_t{1} << 32;
constexpr std::uint32_t position(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::uint32_t readers(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
/// Behind a reader; neither number carries into the other.
constexpr std::uint64_t after_reader(std::uint64_t word) noexcept {
  return (std::uint64_t{position(word) + 1} << 32) | std::uint32_t{readers(word) + 1};
}
}  // namespace admit

/// Where the network finds a lock.
struct LockPlace {
  transport::Remote words;
  transport::Remote head;
  bool network_first = false;  // whom its first phase is of
  bool has_readers = false;    // it may be taken shared
};

/// How a PE uses the network and waits.
struct LockMeans {
  transport::Transport& network;
  const sync::Patience& patience;
  /// Until all that is counted there is complete.
  void (*complete)(const transport::Pending& pending) noexcept;
};

/// The network's operations on a lock.
class LockWire {
 public:
  LockWire(const LockMeans& means, const LockPlace& place) noexcept : means_(means), place_(place) {}

  void begin(std::size_t offset, const transport::Atomic& what, void* fetched, transport::Pending& pending) noexcept {
    transport::Remote at = place_.words;
    at.offset += offset;
    means_.network.atomic(at, what, fetched, pending);
  }
  /// Copies the first bytes of the words.
  void look(void* to, std::size_t bytes, transport::Pending& pending) noexcept {
    means_.network.get(to, place_.words, bytes, pending);
  }
  std::uint64_t take_ticket() noexcept;
  /// True when the counter was as expected, and has given out one ticket more.
  bool take_ticket_if(std::uint64_t expected) noexcept;
  void ask(transport::Pending& pending) noexcept;
  /// Opening by the agent, when it comes to that: somebody wants the phase, and has no ticket.
  void want(std::uint32_t phase) noexcept;

  /// The network serves in that phase.
  bool by_network(std::uint32_t phase) const noexcept { return ((phase & 1) != 0) != place_.network_first; }
  bool is_held(std::uint64_t far, std::uint64_t near, std::uint64_t admitted, std::uint32_t done) const noexcept;
  bool has_readers() const noexcept { return place_.has_readers; }
  const LockMeans& means() const noexcept { return means_; }
  void complete(const transport::Pending& pending) noexcept { means_.complete(pending); }

 private:
  LockMeans means_;
  LockPlace place_;
};

/// For PEs of the home node.
class NearLock {
 public:
  NearLock(const LockMeans& means, const LockPlace& place, LockWords& words, LockHead& head) noexcept
      : wire_(means, place), words_(words), head_(head) {}
  void lock(Mode mode, const sync::WaitNote& note) noexcept;
  bool try_lock(Mode mode) noexcept;
  void unlock(Mode mode) noexcept;
  bool held() const noexcept;

 private:
  std::uint32_t done() const noexcept;
  bool is_turn(Mode mode, std::uint32_t position) const noexcept;
  void admit(std::uint64_t next) noexcept;
  std::uint32_t take_position(const sync::WaitNote& note) noexcept;
  void took_by_network() noexcept;
  template <class Done>
  void wait(const sync::WaitNote& note, Done&& done) noexcept;
  void wait_until_settled() noexcept;

  LockWire wire_;
  LockWords& words_;
  LockHead& head_;
};

/// For PEs of other nodes.
class FarLock {
 public:
  FarLock(const LockMeans& means, const LockPlace& place) noexcept : wire_(means, place) {}
  /// `pending` counts what others have still to see: that a reader has admitted the next one, and that one has left.
  void lock(Mode mode, const sync::WaitNote& note, transport::Pending& pending) noexcept;
  bool try_lock(Mode mode, transport::Pending& pending) noexcept;
  void unlock(Mode mode, transport::Pending& pending) noexcept;
  bool held() noexcept;

 private:
  struct Look {
    std::uint64_t far;
    std::uint64_t wanted;
    std::uint64_t shift;
    std::uint64_t near;
    std::uint64_t admitted;
    std::uint32_t near_by_far;
    std::uint32_t near_done;
    std::uint64_t far_done;
    std::uint32_t done() const noexcept { return near_done + static_cast<std::uint32_t>(far_done); }
  };
  Look look() noexcept;
  bool is_turn(Mode mode, std::uint32_t position, std::uint64_t admitted) noexcept;
  void admit(std::uint64_t next, transport::Pending& pending) noexcept;
  std::uint32_t shift_of(std::uint32_t phase, std::uint64_t begin) noexcept;

  LockWire wire_;
};

/// Between two looks through the network at a lock with so many holders ahead, after so long a wait.
void rest_from_looking(const sync::Patience& patience, std::uint32_t ahead, std::uint64_t waited_ns) noexcept;

}  // namespace weft::lock
