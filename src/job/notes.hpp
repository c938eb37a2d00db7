// What this PE tells the launcher, for people: what a long wait is for (boot::WaitRecord), and which locks it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "boot/job.hpp"
#include "job/node.hpp"
#include "sync/waiter.hpp"

namespace weft::job {

/// As boot::WaitRecord has it, but with this PE's addresses.
struct Awaited {
  boot::Waiting why = boot::Waiting::kNot;
  const void* object = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t wanted = 0;
  std::uint32_t compare = 0;
  std::uint32_t type = 0;
  // Of the members: the first, from one to the next, and how many.
  int start = 0;
  int stride = 0;
  int size = 0;
  const int* pes = nullptr;  // where they are not evenly spaced: all of them, ascending; the stride is 0 then
  std::uint32_t slot = boot::kNoSlot;
  std::uint64_t number = 0;
  int root = -1;
  std::uint64_t given = 0;
  std::uint64_t index = 0;
  boot::Place place = 0;       // instead of `object`: where that is not symmetric
  const void* site = nullptr;  // where it is not that of the call
};

/// The result is for the other two.
int begin_wait(const Awaited& awaited) noexcept;
void looked_in_vain(int place) noexcept;
void end_wait(int place) noexcept;

/// Of a wait for elements of an array: the k-th range of those that are missing, and how many ranges there are.
void note_missing(int place, int k, std::uint32_t first, std::uint32_t last) noexcept;
void note_missing_ranges(int place, int ranges) noexcept;

/// What a wait for a message (boot::Waiting::kMessage) has found out while it lasts; as boot::WaitRecord has it.
struct MessageNote {
  std::uint32_t compare = 0;
  std::uint64_t number = 0;
  std::uint64_t given = 0;
  char label[boot::kLabelBytes] = {};  // the rest of it null
  int heard = 0;
  struct Heard {
    std::uint32_t pe;
    std::int32_t tag;
  } of[boot::kMissing] = {};
};
void note_message(int place, const MessageNote& note) noexcept;

/// The same of a wait for what is a window's (boot::Waiting::kWindow).
struct WindowNote {
  int needed = -1;            // the PE that holds the lock, or is to do something; -1: not known
  std::uint32_t readers = 0;  // others that have the lock shared
  const char* label = "";     // what people call it
};
void note_window(int place, const WindowNote& note) noexcept;

/// And of a wait for what another PE has or does of shared pages (boot::Waiting::kPages).
struct PagesTold {
  boot::OfPages what = boot::OfPages::kContents;
  int pe = -1;                // that is asked
  std::uint64_t address = 0;  // in the program; 0: of no place in particular
};
void note_pages(int place, const PagesTold& told) noexcept;

/// A block of the heap, for people: where it is, and which call gave it.
struct BlockNote {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  const void* site = nullptr;
  CallNumber call = kNoCall;
};
/// How waits find the block around an offset in the heap; false where there is none, or the book is in use.
using FindBlock = bool (*)(std::uint64_t offset, BlockNote* found) noexcept;
void set_find_block(FindBlock find) noexcept;

/// Of a wait for a lock whose word has so many bytes; the subject is this PE's address of it, the detail the ticket.
template <std::uint32_t bytes>
inline constexpr sync::WaitNote::Writer kLockNote = {
    [](const void* subject, std::uint64_t ticket) noexcept {
      const bool known = ticket != sync::WaitNote::kNoDetail;
      return begin_wait(
          {.why = boot::Waiting::kLock, .object = subject, .wanted = known ? ticket : 0, .type = known ? bytes : 0});
    },
    looked_in_vain, end_wait};

void note_held(const void* lock) noexcept;
void note_released(const void* lock) noexcept;
/// The same of a lock that is not symmetric, by a place that is its on all PEs.
void note_held(boot::Place lock) noexcept;
void note_released(boot::Place lock) noexcept;

/// Locks of a window, as boot::HeldOfWindow has them. pe -1: of several members.
struct HeldOfWindow {
  std::uint64_t window = 0;
  int first = 0;
  int last = 0;
  int pe = -1;
  bool exclusive = false;
  const char* label = "";  // boot::kLabelBytes, of which those behind the text are null
};
/// The result is for the other two; -1: there is no room for more. Inline, as its end is: each lock of a window does
/// it.
int note_held_beside(const HeldOfWindow& held) noexcept;
inline void write_held(boot::HeldOfWindow& entry, const HeldOfWindow& held) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  entry.first.store(static_cast<std::uint32_t>(held.first), kRelaxed);
  entry.last.store(static_cast<std::uint32_t>(held.last), kRelaxed);
  entry.pe.store(held.pe < 0 ? boot::HeldOfWindow::kAll : static_cast<std::uint32_t>(held.pe), kRelaxed);
  entry.exclusive.store(held.exclusive ? 1 : 0, kRelaxed);
  std::uint64_t words[boot::kLabelWords];
  std::memcpy(words, held.label, sizeof words);
  for (int k = 0; k < boot::kLabelWords; ++k) {
    entry.label[k].store(words[k], kRelaxed);
  }
  // Release: who sees the number sees the rest.
  entry.window.store(held.window, std::memory_order_release);
}
/// What the first entry tells, or told last, as its writer calls it; 0: not known. Relaxed: only processes of one
/// thread go by it.
extern constinit std::atomic<std::uintptr_t> g_first_tells;
/// `what`: never 0 of what note_again() is to find.
inline int note_held_of_window(const HeldOfWindow& held, std::uintptr_t what = 0) noexcept {
  boot::HeldOfWindow& first = node().record().of_windows[0];
  if (first.window.load(std::memory_order_relaxed) != 0) {
    return note_held_beside(held);
  }
  g_first_tells.store(what, std::memory_order_relaxed);
  write_held(first, held);
  return 0;
}
/// By a process of one thread: that is held again, which is one store. False: the first entry is in use, or told of
/// something else last.
inline bool note_again(std::uintptr_t what, std::uint64_t window) noexcept {
  std::atomic<std::uint64_t>& first = node().record().of_windows[0].window;
  if (g_first_tells.load(std::memory_order_relaxed) != what || first.load(std::memory_order_relaxed) != 0) {
    return false;
  }
  first.store(window, std::memory_order_release);  // as in write_held()
  return true;
}
/// What bears such a number may be another one from now on.
inline void forget_what_is_told() noexcept { g_first_tells.store(0, std::memory_order_relaxed); }
/// Of the next rank, too.
void note_one_more(int place, int last) noexcept;
/// Before it is given back: what is noted is held.
inline void note_released_of_window(int place) noexcept {
  if (place >= 0) {
    // Relaxed: giving the lock back is a release, and follows.
    node().record().of_windows[place].window.store(0, std::memory_order_relaxed);
  }
}

}  // namespace weft::job
