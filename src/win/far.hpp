// Members of a window on other nodes. Their memory is reached by the network, put and got without anybody's help. All
// that is to be indivisible there, locks, flags and changes of elements, is carried out by the processors of their own
// node, by whichever thread lets the network go on there: so each word has one way of being changed, whatever the
// network's own atomic operations can do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lock/readers.hpp"
#include "reach/way.hpp"
#include "transport/transport.hpp"
#include "win/elements.hpp"
#include "win/joined.hpp"
#include "win/member.hpp"
#include "win/moves.hpp"
#include "win/unanswered.hpp"

namespace weft::win {

class Window;

/// Before anybody can reach this PE by the network; null: one node.
void open_far(transport::Transport* network) noexcept;

// ---- What an origin does at a member of another node. Waits let the network go on.

/// What of this process's is under way at others, beside what the network counts: questions that are not waited for.
struct UnderWay {
  transport::Pending moves;                // puts and gets
  Unanswered unanswered;                   // questions: of elements
  JoinedOfAll joined;                      // some of these
  std::atomic<std::uint32_t> through = 0;  // and of what was told members (ask_through)
};
/// Until all accesses are complete that began before, whatever other threads begin meanwhile.
void finish_far(UnderWay& under_way) noexcept;

void lock_far(const Member& member, int origin, lock::Mode mode) noexcept;
/// As a late reader (lock/late.hpp).
void lock_far_late(const Member& member, int origin) noexcept;
/// All accesses are complete. Told, and not answered: an answer costs both a message's time, and what comes behind it
/// to the member waits for that (record 0158).
void unlock_far(const Member& member, int origin, lock::Mode mode, UnderWay& under_way) noexcept;
void tell_far(const Member& member, int origin, bool posted, UnderWay& under_way) noexcept;
/// Before the window goes: asks a member that was told something whether that has come.
void ask_through(const MemberList& members, int rank, int origin, UnderWay& under_way) noexcept;
/// Until all that were asked have answered.
void await_through(const MemberList& members, UnderWay& under_way) noexcept;
/// False: the member has not attached it in one piece.
bool find_far(const Member& member, int origin, std::uint64_t address, std::uint64_t bytes, Far* found) noexcept;

/// Among what is under way to members.
enum class Order : std::uint8_t {
  kNone,
  kFirst,   // others come behind it, where they want to
  kBehind,  // and it comes behind those of the same elements that are under way
};

/// Elements in a row at an address of the member, at most kMostOfQuestion bytes of them. with: null where nothing goes
/// in; before: null where nobody wants what was there. The numbers are the front end's. Without `before` it is under
/// way when this returns, and `with` stays as it is until it is complete.
struct FarChange {
  std::uint64_t address = 0;
  std::uint64_t count = 0;  // of elements
  std::size_t bytes = 0;    // all of them
  std::size_t reach = 0;    // from the first one's begin to the last one's end, there
  std::uint32_t op = 0;
  std::uint32_t element = 0;
  const void* with = nullptr;
  void* before = nullptr;
  Order order = Order::kBehind;
};
void change_far(const Member& member, int origin, const FarChange& change, UnderWay& under_way) noexcept;
/// Several rows in one question, one behind the other in `with` and `before`: at most kMostRows, which are kMostOfRows
/// bytes in all together with what is told of them. `address` and `reach` are none, `count` and `bytes` are of all, and
/// `extent` is from an element to the next there; `with` may be changed at once.
struct FarRow {
  // No values at first: who gathers rows has room for kMostRows of them, and mostly one.
  std::uint64_t address;
  std::uint64_t count;
};
inline constexpr std::size_t kMostRows = 256;
// So that libfabric's leaf has them in one message, and sends none behind a second question (ofi/letters.hpp).
inline constexpr std::size_t kMostOfRows = 4000;
void change_rows_far(const Member& member, int origin, const FarChange& change, std::size_t extent, const FarRow* rows,
                     std::size_t n_rows, UnderWay& under_way) noexcept;
/// Reads such rows into `before`, behind nothing: `left`, which has been raised, goes down when they are there.
void read_rows_far(const Member& member, int origin, const FarChange& change, const FarRow* rows, std::size_t n_rows,
                   Unanswered::Left& left) noexcept;
/// The network sends small puts that follow each other in one message by itself.
bool network_joins_puts() noexcept;
/// Until it is 0.
void await_rows(const Unanswered::Left& left) noexcept;
/// One element becomes another if it is what was expected.
void swap_far(const Member& member, int origin, const FarChange& change, const void* compare,
              UnderWay& under_way) noexcept;

// ---- What a member does for others.

/// Windows that members of other nodes ask for are found by their lines. Before the members have met; until close.
void show_far(std::uint64_t line, Window* window) noexcept;
void hide_far(std::uint64_t line) noexcept;

/// Members of other nodes that wait for a lock of this process's: who may have made it their turn calls this, or, on
/// another process of the node, wakes its agent.
void serve_far_waiters() noexcept;

/// What the front end knows of elements, by its numbers. False: there is no such operation for such elements.
struct FarElement {
  std::size_t packed = 0;  // bytes of one in a question
  std::size_t extent = 0;  // from one to the next in memory
  std::size_t reach = 0;   // of the last one
  bool is_plain = false;   // a row of them is memory as it is
  Change change;
};
using FindElement = bool (*)(std::uint32_t op, std::uint32_t element, FarElement* found) noexcept;
/// Carries out a change of elements that the processor does not change, under the lock; the memory is this process's.
using ChangeElements = void (*)(std::uint32_t op, std::uint32_t element, std::byte* at, std::size_t count,
                                const std::byte* with, std::byte* before) noexcept;
void set_far_elements(FindElement find, ChangeElements change) noexcept;

}  // namespace weft::win
