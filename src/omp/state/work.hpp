// One work-sharing construct of a team: a loop, sections, or single with copyprivate. A team has a ring of them, so
// that threads may be in different ones; the number of a construct is the same in all threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "omp/sync/mutex.hpp"

namespace weft::omp {

struct Doacross;

/// What the iterations of a loop have to do with, where it is shared out by homes of pages: iteration k, counted from
/// 0, with what lies at `at` + k * `stride`.
struct Affinity {
  std::uintptr_t at = 0;
  std::uint64_t stride = 0;  // in two's complement
  bool is = false;
};

struct alignas(64) Work {
  /// 4 * number + one of these. The store of kReady releases what the first thread has written, the one of kFree what
  /// all have read.
  static constexpr std::uint64_t kFree = 0;
  static constexpr std::uint64_t kTaken = 1;
  static constexpr std::uint64_t kReady = 2;
  std::atomic<std::uint64_t> turn{0};
  unsigned schedule = 0;
  bool simple = true;  // no sum of chunks can overflow
  bool quick = false;  // and the next chunk is one addition
  bool up = true;
  std::uint64_t start = 0, step = 1, end = 0;  // as the program has them
  std::uint64_t count = 0;                     // of iterations
  std::uint64_t chunk = 1;
  std::uint64_t leap = 1;                    // from a chunk to the next one, as the program has them: chunk * step
  std::uint64_t base = 0, stride = 1;        // where these are numbers only (omp/llvm): what they stand for
  std::uint64_t vector = 1, iterations = 0;  // of each, where numbers are vectors, and of all
  bool takes_turns = false;                  // and whether it has ordered regions
  Affinity affinity;                         // of kByHomes
  Doacross* doacross = nullptr;
  void (*give_back)(Work& work) = nullptr;  // of the doacross
  void* copy = nullptr;                     // of copyprivate
  void* memory = nullptr;                   // that the compiler asked for, one for all threads
  void* far_memory = nullptr;               // the same of a team over several processes, which is the team's
  std::uintptr_t* reductions = nullptr;

  std::uint64_t number() const noexcept { return turn.load(std::memory_order_relaxed) / 4; }

  alignas(64) std::atomic<std::uint64_t> next{0};     // iteration that nobody has yet
  std::atomic<std::uint32_t> left{0};                 // threads that are through
  alignas(64) std::atomic<std::uint64_t> ordered{0};  // chunk whose ordered regions may run
  // Of a team over several processes: iterations that this one has, and its threads do not yet.
  bool is_far = false;
  bool pool_over = false;
  std::uint64_t pool_from = 0, pool_to = 0;
  Mutex pool_lock;
  std::uint64_t tickets = 0;  // chunks given out; whose turn it is changes it, or under the lock
  std::atomic<std::uint32_t> ticket_lock{0};
};

}  // namespace weft::omp
