// __kmpc_*: static schedules, which a thread computes alone; chunks of dynamic ones; doacross. Each call is there four
// times, for signed and unsigned numbers of 4 and 8 bytes. Bounds are inclusive.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

#include "omp/llvm/kmp.hpp"
#include "omp/loops/loops.hpp"
#include "omp/loops/ordered.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/team/league.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {

/// A loop with doacross that a thread is in: its nest, and a bit for each of its iterations that have posted.
struct Ordering {
  Work* work;
  unsigned n;
  struct Nest {
    std::int64_t low, high, step;  // inclusive
  } * nests;
  std::atomic<std::uint32_t>* posted;
};

namespace llvm {
namespace {

// kmp_sched_t. Those of ordered loops are as much higher.
constexpr int kStaticChunked = 33;
constexpr int kStaticWhole = 34;
constexpr int kGuidedChunked = 36;
constexpr int kRuntime = 37;
constexpr int kAutomatic = 38;
constexpr int kStaticBalanced = 45;
constexpr int kGuidedSimd = 46;
constexpr int kRuntimeSimd = 47;
constexpr int kFirstOrdered = 64;
constexpr int kLastOrdered = 72;
constexpr int kOrderedLess = 32;
constexpr int kDistributeChunked = 91;
constexpr int kDistribute = 92;
constexpr int kFirstUnmerged = 160;  // the same once more, for who does not want chunks put together
constexpr int kLastUnmerged = 200;
constexpr int kUnmergedLess = 128;
constexpr int kModifiers = 1 << 29 | 1 << 30;  // monotonic, nonmonotonic: chunks are given out in order anyway

int plain(int schedule, bool* ordered) noexcept {
  schedule &= ~kModifiers;
  if (schedule >= kFirstUnmerged && schedule <= kLastUnmerged) {
    schedule -= kUnmergedLess;
  }
  *ordered = schedule >= kFirstOrdered && schedule <= kLastOrdered;
  return *ordered ? schedule - kOrderedLess : schedule;
}

// In two's complement, so that no bounds overflow.
template <class Number>
struct Loop {
  using Size = std::make_unsigned_t<Number>;
  using Step = std::make_signed_t<Number>;
  Number low, high;
  Step step;

  bool is_empty() const noexcept { return step > 0 ? high < low : low < high; }
  // At least one.
  Size count() const noexcept {
    const auto up = static_cast<Size>(static_cast<Size>(high) - static_cast<Size>(low));
    const auto down = static_cast<Size>(static_cast<Size>(low) - static_cast<Size>(high));
    return static_cast<Size>((step > 0 ? up / static_cast<Size>(step) : down / (Size{0} - static_cast<Size>(step))) +
                             1);
  }
  Number at(Size iteration) const noexcept {
    return static_cast<Number>(static_cast<Size>(low) + static_cast<Size>(iteration * static_cast<Size>(step)));
  }
};

// The block of who is number `me` of n: sizes differ by one at most, the larger ones first. False: it has none.
template <class Number>
bool take_block(Loop<Number>& loop, unsigned n, unsigned me, bool* last) noexcept {
  using Size = typename Loop<Number>::Size;
  const Size count = loop.count();
  const Size each = count / n;
  const Size larger = count % n;
  const Size from = me * each + std::min<Size>(me, larger);
  const Size size = each + (me < larger ? 1 : 0);
  *last = size != 0 && from + size == count;
  if (size == 0) {
    return false;
  }
  const Number high = loop.at(from + size - 1);
  loop.low = loop.at(from);
  loop.high = high;
  return true;
}

struct Sharers {
  unsigned n, me;
};
Sharers threads() noexcept {
  Thread& me = self();
  return {static_cast<unsigned>(size_of(me)), static_cast<unsigned>(me.at.number)};
}
Sharers teams() noexcept { return {number_of_teams(), number_of_team()}; }

template <class Number>
void share(int schedule, Sharers sharers, std::int32_t* last, Number* low, Number* high,
           std::make_signed_t<Number>* stride, std::make_signed_t<Number> step,
           std::make_signed_t<Number> chunk) noexcept {
  using Size = typename Loop<Number>::Size;
  using Step = std::make_signed_t<Number>;
  Loop<Number> loop{*low, *high, step};
  std::int32_t ignored = 0;
  std::int32_t& is_last = last != nullptr ? *last : ignored;
  is_last = 0;
  *stride = step;
  if (loop.is_empty()) {
    return;
  }
  const Size count = loop.count();
  *stride = static_cast<Step>(count * static_cast<Size>(step));
  if (sharers.n == 1 && schedule != kStaticChunked) {
    is_last = 1;
    return;
  }
  if (schedule == kStaticChunked) {
    const Size size = std::min<Size>(chunk < 1 ? 1 : static_cast<Size>(chunk), count);
    const Size chunks = (count - 1) / size + 1;
    if (sharers.me >= chunks) {  // nothing, in a way that no addition to it gives something
      *low = static_cast<Number>(static_cast<Size>(*high) + static_cast<Size>(step));
      return;
    }
    *stride = static_cast<Step>(size * static_cast<Size>(step) * std::min<Size>(sharers.n, chunks));
    const Size from = sharers.me * size;
    *low = loop.at(from);
    *high = loop.at(from + std::min<Size>(count - from, size) - 1);
    is_last = (chunks - 1) % sharers.n == sharers.me ? 1 : 0;
    return;
  }
  if (schedule == kStaticBalanced) {  // blocks of whole vectors
    const Size vector = chunk < 1 ? 1 : static_cast<Size>(chunk);
    const Size size = ((count - 1) / sharers.n / vector + 1) * vector;
    const Size from = sharers.me * size;
    if (from >= count) {
      *low = static_cast<Number>(static_cast<Size>(*high) + static_cast<Size>(step));
      return;
    }
    const Size to = std::min<Size>(count - from, size) + from;
    *low = loop.at(from);
    *high = loop.at(to - 1);
    is_last = to == count ? 1 : 0;
    return;
  }
  bool mine_is_last = false;
  if (!take_block(loop, sharers.n, sharers.me, &mine_is_last)) {
    *low = static_cast<Number>(static_cast<Size>(*high) + static_cast<Size>(step));
    return;
  }
  *low = loop.low;
  *high = loop.high;
  is_last = mine_is_last ? 1 : 0;
}

template <class Number>
void begin_static(int schedule, std::int32_t* last, Number* low, Number* high, std::make_signed_t<Number>* stride,
                  std::make_signed_t<Number> step, std::make_signed_t<Number> chunk) noexcept {
  bool ordered = false;
  const int kind = plain(schedule, &ordered);
  if (kind == kDistribute || kind == kDistributeChunked) {
    share(kind == kDistribute ? kStaticWhole : kStaticChunked, teams(), last, low, high, stride, step, chunk);
  } else {
    share(kind, threads(), last, low, high, stride, step, chunk);
  }
}

// A team's block, and a thread's part of that. `team_high` is where the team's ends.
template <class Number>
void begin_both(int schedule, std::int32_t* last, Number* low, Number* high, Number* team_high,
                std::make_signed_t<Number>* stride, std::make_signed_t<Number> step,
                std::make_signed_t<Number> chunk) noexcept {
  std::int32_t of_teams = 0;
  std::int32_t of_threads = 0;
  share(kStaticWhole, teams(), &of_teams, low, high, stride, step, chunk);
  *team_high = *high;
  bool ordered = false;
  share(plain(schedule, &ordered), threads(), &of_threads, low, high, stride, step, chunk);
  if (last != nullptr) {
    *last = of_teams != 0 && of_threads != 0 ? 1 : 0;
  }
}

unsigned dynamic_kind(int kind) noexcept {
  switch (kind) {
    case kStaticChunked:
    case kStaticWhole:
    case kStaticBalanced:
    case kAutomatic: return kStatic;
    case kGuidedChunked:
    case kGuidedSimd: return kGuided;
    case kRuntime:
    case kRuntimeSimd: return 0;
    default: return kDynamic;
  }
}

template <class Number>
void begin_dispatch(int schedule, Number low, Number high, std::make_signed_t<Number> step,
                    std::make_signed_t<Number> chunk) noexcept {
  Thread& me = self();
  const Begun begun = begin_work(me);
  if (!begun.first) {
    return;
  }
  bool ordered = false;
  const int kind = plain(schedule, &ordered);
  const Loop<Number> loop{low, high, step};
  Bounds numbers;
  numbers.end = loop.is_empty() ? 0 : loop.count();
  numbers.wide = true;
  // Of a loop for vectors the chunk is how long these are: they are shared out, and none is divided.
  const bool has_vectors = (kind == kRuntimeSimd || kind == kGuidedSimd) && chunk > 0;
  // A chunk that is said when the program runs is of so many of these, and so are all but the last.
  const Icv& icv = me.task->icv;
  const bool is_said = has_vectors && kind == kRuntimeSimd && (icv.schedule & ~kMonotonic) != kAuto;
  const std::uint64_t said = is_said && icv.chunk > 1 ? static_cast<std::uint64_t>(icv.chunk) : 1;
  const unsigned schedule_now = said > 1 ? icv.schedule & ~kMonotonic : dynamic_kind(kind);
  begun.work.vector = has_vectors ? static_cast<std::uint64_t>(chunk) * said : 1;
  begun.work.iterations = numbers.end;
  if (has_vectors) {
    numbers.end = numbers.end / begun.work.vector + (numbers.end % begun.work.vector != 0 ? 1 : 0);
  }
  const bool has_chunk = chunk > 0 && !has_vectors && kind != kStaticWhole && kind != kAutomatic;
  const std::uint64_t chunk_now = said > 1 ? 1 : has_chunk ? static_cast<std::uint64_t>(chunk) : 0;
  set_up(me, begun.work, numbers, schedule_now, chunk_now, size_of(me));
  begun.work.base = static_cast<std::uint64_t>(low);
  begun.work.stride = static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
  begun.work.takes_turns = ordered;
  if (me.at.team != nullptr) {
    ready(begun.work);
  }
}

// The loop ends for a thread that finds no more of it.
template <class Number>
std::int32_t next_dispatch(std::int32_t* last, Number* low, Number* high, std::make_signed_t<Number>* stride,
                           const void* site) noexcept {
  Thread& me = self();
  Work* const work = me.at.work;
  if (work == nullptr) {
    return 0;
  }
  Chunk chunk{};
  if (is_cancelled(me, Construct::kWork) ||
      !(work->takes_turns ? next_ordered_chunk(me, chunk, site) : next_chunk(me, chunk))) {
    end_work_nowait(me);
    return 0;
  }
  const std::uint64_t end = chunk.end == work->count ? work->iterations : chunk.end * work->vector;
  *low = static_cast<Number>(work->base + chunk.begin * work->vector * work->stride);
  *high = static_cast<Number>(work->base + (end - 1) * work->stride);
  if (stride != nullptr) {
    *stride = static_cast<std::make_signed_t<Number>>(work->stride);
  }
  if (last != nullptr) {
    *last = chunk.end == work->count ? 1 : 0;
  }
  return 1;
}

// ---- Doacross

constexpr std::size_t kBits = 32;

std::uint64_t count_of(const Ordering::Nest& nest) noexcept {
  const Loop<std::int64_t> loop{nest.low, nest.high, nest.step};
  return loop.is_empty() ? 0 : loop.count();
}

// The number of an iteration; false: there is none such.
bool number_of_iteration(const Ordering& loop, const std::int64_t* at, std::uint64_t* number) noexcept {
  *number = 0;
  for (unsigned k = 0; k < loop.n; ++k) {
    const Ordering::Nest& nest = loop.nests[k];
    if (nest.step > 0 ? at[k] < nest.low || at[k] > nest.high : at[k] > nest.low || at[k] < nest.high) {
      return false;
    }
    const Loop<std::int64_t> before{nest.low, at[k], nest.step};
    *number = *number * count_of(nest) + before.count() - 1;
  }
  return true;
}

void begin_ordering(unsigned n, const Ordering::Nest* nests) noexcept {
  Thread& me = self();
  me.said.ordering = nullptr;
  if (size_of(me) == 1 || n == 0) {
    return;
  }
  auto* const loop = new (need_memory(sizeof(Ordering) + n * sizeof(Ordering::Nest), alignof(Ordering))) Ordering{};
  loop->n = n;
  loop->nests = reinterpret_cast<Ordering::Nest*>(loop + 1);
  std::copy_n(nests, n, loop->nests);
  const Begun begun = begin_work(me);
  loop->work = &begun.work;
  if (begun.first) {
    std::uint64_t all = 1;
    for (unsigned k = 0; k < n; ++k) {
      if (__builtin_mul_overflow(all, count_of(nests[k]), &all)) {
        die("a loop with depend(sink) or doacross has more iterations than 64 bits count");
      }
    }
    const std::size_t words = static_cast<std::size_t>(all / kBits) + 1;
    begun.work.memory = std::calloc(words, sizeof(std::uint32_t));
    if (begun.work.memory == nullptr) {
      die("no memory for the marks of %llu iterations of a loop with depend(sink) or doacross",
          static_cast<unsigned long long>(all));
    }
    begun.work.is_far = me.at.team->is_far;
    ready(begun.work);
  }
  loop->posted = static_cast<std::atomic<std::uint32_t>*>(begun.work.memory);
  me.at.work = nullptr;
  me.said.ordering = loop;
}

void end_ordering() noexcept {
  Thread& me = self();
  if (Ordering* const loop = std::exchange(me.said.ordering, nullptr); loop != nullptr) {
    Work* const at = std::exchange(me.at.work, loop->work);
    end_work_nowait(me);
    me.at.work = at;
    std::free(loop);
  }
}

void post_iteration(const std::int64_t* at) noexcept {
  Thread& me = self();
  std::uint64_t number = 0;
  if (const Ordering* const loop = me.said.ordering; loop != nullptr && number_of_iteration(*loop, at, &number)) {
    if (loop->work->is_far) {
      post_far(*loop->work, number, 1);
    }
    // Release: what the iteration wrote. Sequentially consistent: before the look for sleepers.
    loop->posted[number / kBits].fetch_or(1U << number % kBits, std::memory_order_seq_cst);
    ring(me.at.team->bell);
  }
}

void await_iteration(const std::int64_t* at, const void* site) noexcept {
  Thread& me = self();
  std::uint64_t number = 0;
  if (const Ordering* const loop = me.said.ordering; loop != nullptr && number_of_iteration(*loop, at, &number)) {
    // Sequentially consistent as wait() demands; acquire: what that iteration wrote.
    const auto posted = [&] {
      return (loop->posted[number / kBits].load(std::memory_order_seq_cst) & 1U << number % kBits) != 0;
    };
    const Awaited awaited{.why = ThreadWaits::kIteration, .site = site, .wanted = static_cast<std::uint64_t>(at[0])};
    if (!loop->work->is_far) {
      wait(me.at.team->bell, awaited, posted);
    } else if (!posted()) {
      await_far(*loop->work, number, 1, awaited);
    }
  }
}

}  // namespace
}  // namespace llvm
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::llvm::Place;

#define LOOPS(suffix, Number, Step)                                                                                  \
  void __kmpc_for_static_init_##suffix(Place*, int32_t, int32_t schedule, int32_t* last, Number* low, Number* high,  \
                                       Step* stride, Step step, Step chunk) {                                        \
    weft::omp::llvm::begin_static(schedule, last, low, high, stride, step, chunk);                                   \
  }                                                                                                                  \
  void __kmpc_dist_for_static_init_##suffix(Place*, int32_t, int32_t schedule, int32_t* last, Number* low,           \
                                            Number* high, Number* team_high, Step* stride, Step step, Step chunk) {  \
    weft::omp::llvm::begin_both(schedule, last, low, high, team_high, stride, step, chunk);                          \
  }                                                                                                                  \
  void __kmpc_team_static_init_##suffix(Place*, int32_t, int32_t* last, Number* low, Number* high, Step* stride,     \
                                        Step step, Step chunk) {                                                     \
    weft::omp::llvm::begin_static(weft::omp::llvm::kDistributeChunked, last, low, high, stride, step, chunk);        \
  }                                                                                                                  \
  void __kmpc_dispatch_init_##suffix(Place*, int32_t, int32_t schedule, Number low, Number high, Step step,          \
                                     Step chunk) {                                                                   \
    weft::omp::llvm::begin_dispatch(schedule, low, high, step, chunk);                                               \
  }                                                                                                                  \
  void __kmpc_dist_dispatch_init_##suffix(Place*, int32_t, int32_t schedule, int32_t* last, Number low, Number high, \
                                          Step step, Step chunk) {                                                   \
    Step stride = 0;                                                                                                 \
    weft::omp::llvm::begin_static(weft::omp::llvm::kDistribute, last, &low, &high, &stride, step, chunk);            \
    weft::omp::llvm::begin_dispatch(schedule, low, high, step, chunk);                                               \
  }                                                                                                                  \
  int32_t __kmpc_dispatch_next_##suffix(Place*, int32_t, int32_t* last, Number* low, Number* high, Step* stride) {   \
    return weft::omp::llvm::next_dispatch(last, low, high, stride, WEFT_SITE);                                       \
  }                                                                                                                  \
  void __kmpc_dispatch_fini_##suffix(Place*, int32_t) {} /* of an iteration: turns are those of chunks */
LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)
void __kmpc_for_static_fini(Place*, int32_t) {}
void __kmpc_dispatch_deinit(Place*, int32_t) {}

void __kmpc_doacross_init(Place*, int32_t, int32_t n, const weft::omp::Ordering::Nest* nests) {
  weft::omp::llvm::begin_ordering(static_cast<unsigned>(n), nests);
}
void __kmpc_doacross_post(Place*, int32_t, const int64_t* at) { weft::omp::llvm::post_iteration(at); }
void __kmpc_doacross_wait(Place*, int32_t, const int64_t* at) { weft::omp::llvm::await_iteration(at, WEFT_SITE); }
void __kmpc_doacross_fini(Place*, int32_t) { weft::omp::llvm::end_ordering(); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
