// What processes of a program that are one by pages say to each other (far.hpp). libweft_omp.so puts the questions,
// libweft_image.so carries and answers them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::omp::far {

/// To process 0, unless said otherwise. With an answer: a question, which is answered when it can be.
enum class What : std::uint8_t {
  kRun,      // of process 0 to others: a is a function, or 0: the program ends; b its argument, unless that comes with
             // it; c a site; the token modes of arithmetic, and `version` of what else is carried. No answer
  kDone,     // it has returned. No answer
  kBarrier,  // of `many` processes; a: what one of them has for all, or 0. The answer's a: what one had; b: 1, the
             // region is over, and not all have come
  kArrive,   // of any process to all others of the team, instead: it is at the barrier; b: which (meetings.hpp). a as
             // above. No answer
  kChunks,   // of construct a, a loop of b iterations in chunks of c, of `threads` of which `here` ask; `how`: kGuided,
             // kDynamic, and kOne or not. The answer: iterations from a to b, chunk number c of the loop; none: a == b
  kSingle,   // number a, of `many` processes. The answer's a: 1, it is this process's, or 0
  kClaim,    // of construct a: b. The answer's a: what the first one who said so had
  kPost,     // of construct a: entry b is at least c from now on. No answer
  kAwait,    // of construct a: answered when entry b is at least c
  kLock,     // the one named a. Answered when it is this process's
  kTry,      // the same. The answer's a: 1, it is, or 0
  kUnlock,   // `how`: kMayBeTested or not. No answer
  kOver,     // the region that process 0 has begun last is over, as it was cancelled
  kHeard,    // answered at once: what this process has said before without an answer is on the board
  kIsOver,   // of any process to the others: region a is over, or, if b is not 0, its construct b (Over). No answer
  kWhats,
};

inline constexpr std::uint8_t kGuided = 1;
inline constexpr std::uint8_t kOne = 2;          // chunk at a time
inline constexpr std::uint8_t kMayBeTested = 4;  // a lock of omp.h: behind a barrier others see whether it is free

struct Message {
  std::uint64_t token = 0;  // comes back with the answer; it is nobody else's business
  What what = What::kWhats;
  std::uint8_t how = 0;
  std::uint16_t many = 0;
  std::uint16_t threads = 0;
  std::uint16_t here = 0;
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint16_t given = 0;  // bytes that come with it, before what the sender owes (dsm/owed.hpp)
  std::uint16_t unused = 0;
  std::uint32_t version = 0;
};
static_assert(sizeof(Message) == 48 && std::is_trivially_copyable_v<Message>);

/// Of what a region's function is given by its message, at most.
inline constexpr std::size_t kMostGiven = 1024;

/// So many processes tell each other that they are at a barrier; more ask process 0, which is as many messages in turn
/// then, and fewer in all.
inline constexpr int kMostMeet = 4;

/// What others have cancelled. Regions are numbered from 1 on, and constructs by the barriers of their region before
/// them, so that what comes late says nothing of the next one.
struct Over {
  std::atomic<std::uint64_t> region{0};
  std::atomic<std::uint64_t> construct{0};
  /// When a region is: for those that sleep in it.
  std::atomic<void (*)() noexcept> wake{nullptr};
};
constexpr std::uint64_t construct_number(std::uint64_t region, std::uint32_t barriers) noexcept {
  return region << 32 | (barriers + std::uint64_t{1});
}

/// Who waits for an answer: told whenever it has been found that it is not there yet, once that takes long.
struct Patient {
  void* self;
  void (*looked)(void* self) noexcept;
};

/// What libweft_omp.so is offered for that; in one memory there is no such table.
struct Table {
  /// Threads that this process has where nobody says how many.
  int (*usual_threads)(int process) noexcept;
  /// In process 0: it releases, and the processes from 1 up to that number acquire and call body(argument); of `bytes`
  /// the argument is a copy, until they have returned. kMostGiven at most; 0: it is in shared memory.
  /// For all of them that is where an interval of that site begins (dsm/order.hpp).
  void (*run)(int processes, void (*body)(void*), void* argument, std::size_t bytes, const void* site) noexcept;
  /// Until all of them have returned, and released; then it acquires, for what follows the site.
  void (*finish)(const Patient& patient, const void* site) noexcept;
  /// Of process 0: what it releases the others know when they have the next one that it has them run.
  void (*release)() noexcept;
  /// Waits for the answer.
  Message (*ask)(Message question, const Patient& patient) noexcept;
  /// kBarrier, in all processes that it is of, one thread of each: releases, and returns the answer when all have come.
  /// `constructs`: those of lower numbers are over then. `alone`: it may be that not all come, by kOver.
  Message (*meet)(const Message& question, std::uint64_t constructs, bool alone, const Patient& patient) noexcept;
  void (*say)(const Message& message) noexcept;
  /// To all processes up to that number but this one.
  void (*say_to_others)(int processes, const Message& message) noexcept;
  Over* over;
};

}  // namespace weft::omp::far
