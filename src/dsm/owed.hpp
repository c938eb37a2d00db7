// What this PE has released and PEs of other nodes are not told of yet, as the front end does that: the next message of
// its own to each of them takes it along, so that no announcement has to be waited for before that message. Record
// 0162.
//
// Nobody says that he has heard it. So that is for messages behind which the threads of the PE that they are for do
// nothing until they have come. Threads that take no part in that, as the program has made them itself, end it for
// good: before the front end lets the first one come into being, or, where it has not seen that, before one of them
// releases or acquires anything. From then on all announcements of all PEs are waited for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "dsm/protocol/notices.hpp"

namespace weft::dsm {

using protocol::Run;

struct Owed {
  Run run;
  std::uint64_t round;  // of this PE's announcements (protocol/pushes.hpp)
};
static_assert(sizeof(Owed) == 16 && std::is_trivially_copyable_v<Owed>);

/// To one PE at a time; where there is more, all are told at once.
inline constexpr std::size_t kMostOwed = 128;

/// Whom a release leaves to the front end: a PE, or one of these.
inline constexpr int kOweNobody = -1;
inline constexpr int kOweAll = -2;
constexpr bool is_owed_to(int owed_to, int pe) noexcept { return owed_to == kOweAll || owed_to == pe; }

/// False, and nothing is changed: somebody would be owed too much, or nobody is to be owed anything any more. Pages
/// asks each time with its order held alone.
bool owe(int owed_to, std::span<const Run> runs, std::uint64_t round) noexcept;
/// Anything is owed to others than those that a release leaves out; it leaves out nobody where all is waited for.
bool owes_beside(int owed_to) noexcept;
/// That, added to what is announced and waited for; each page is there once. It is owed until then: another thread's
/// message may be the first that arrives.
void collect_owed(int owed_to, std::vector<Run>* runs) noexcept;
/// It has come. With Pages' order held alone since it was collected.
void forget_paid(int owed_to) noexcept;

/// What goes with the next message to that PE, which is sent for certain now; how many.
std::size_t take_owed(int pe, std::span<Owed, kMostOwed> into) noexcept;
/// Of handlers: it has come from that PE. Before anybody acquires by that message. False: that cannot be.
[[nodiscard]] bool hear(int pe, std::span<const Owed> owed) noexcept;

/// Of a thread of the front end, or of main: it does nothing behind a message that may be on its way to this PE.
void take_part() noexcept;
/// Set by take_part(). Relaxed: that was before this thread began, or tells it nothing.
extern constinit std::atomic<bool> g_some_take_part;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local bool t_takes_part;
/// Of the front end, before there is such a thread: see above. When it returns, whatever has been released so far is
/// known to this PE, and what this PE has, to all.
void wait_for_all() noexcept;
/// False: wait_for_all() has nothing to do, now and later.
bool may_be_owed() noexcept;
inline void come_from_outside() noexcept {
  if (g_some_take_part.load(std::memory_order_relaxed) && !t_takes_part) [[unlikely]] {
    wait_for_all();
  }
}

/// What another PE's wait_for_all() asks; nobody is owed anything more from here on. `told`: how many messages have
/// taken something along to this PE. Of handlers.
struct Settled {
  std::uint64_t told;  // to that PE
  bool all;            // it is owed nothing, and what it has told has come
};
Settled settle(int pe, std::uint64_t told) noexcept;
/// Messages that took something along: how many have gone to that PE, and come from it.
std::uint64_t told_along(int pe) noexcept;
std::uint64_t heard_along(int pe) noexcept;

/// Nobody is told anything any more.
void forget_owed() noexcept;

}  // namespace weft::dsm
