// GOMP_loop_*: the calls of compilers for loops, twice, for signed and for unsigned long long bounds.
#include "omp/loops/loops.hpp"

#include <cstdarg>

#include "omp/calls/reduce.hpp"
#include "omp/loops/doacross.hpp"
#include "omp/loops/ordered.hpp"

namespace weft::omp {
namespace {

using Ull = unsigned long long;

template <class Number>
bool give(bool some, const Chunk& chunk, Number* begin, Number* end) noexcept {
  if (some) {
    *begin = static_cast<Number>(chunk.begin);
    *end = static_cast<Number>(chunk.end);
  }
  return some;
}

template <class Number>
bool next(Number* begin, Number* end) noexcept {
  Chunk chunk{};
  return give(next_chunk(self(), chunk), chunk, begin, end);
}

template <class Number>
bool next_ordered(Number* begin, Number* end, const void* site) noexcept {
  Chunk chunk{};
  return give(next_ordered_chunk(self(), chunk, site), chunk, begin, end);
}

void begin(Thread& self, const Bounds& loop, unsigned schedule, std::uint64_t chunk,
           std::uintptr_t* reductions = nullptr, void** memory = nullptr) noexcept {
  const Begun begun = begin_work(self);
  if (begun.first) {
    set_up(self, begun.work, loop, schedule, chunk, size_of(self));
  }
  begin_extras(self, begun, reductions, memory);
  if (begun.first && self.at.team != nullptr) {
    ready(begun.work);
  }
}

template <class Number>
bool start(const Bounds& loop, unsigned schedule, Number chunk, Number* from, Number* to) noexcept {
  begin(self(), loop, schedule, static_cast<std::uint64_t>(chunk));
  return next(from, to);
}

template <class Number>
bool start_ordered(const Bounds& loop, unsigned schedule, Number chunk, Number* from, Number* to) noexcept {
  begin(self(), loop, schedule, static_cast<std::uint64_t>(chunk));
  return next_ordered(from, to, nullptr);  // the first one waits for nobody
}

template <class Number>
bool start_doacross(unsigned n, const Number* counts, unsigned schedule, Number chunk, Number* from, Number* to,
                    std::uintptr_t* reductions = nullptr, void** memory = nullptr) noexcept {
  Thread& me = self();
  const Begun begun = begin_work(me);
  if (begun.first) {
    Bounds loop;
    loop.end = static_cast<std::uint64_t>(counts[0]);
    loop.wide = sizeof(Number) == 8 && static_cast<Number>(-1) > Number{0};
    set_up(me, begun.work, loop, schedule, static_cast<std::uint64_t>(chunk), size_of(me));
    static_assert(sizeof(Number) == sizeof(std::uint64_t));
    make_doacross(begun.work, n, reinterpret_cast<const std::uint64_t*>(counts), size_of(me));
  }
  begin_extras(me, begun, reductions, memory);
  if (begun.first && me.at.team != nullptr) {
    ready(begun.work);
  }
  return from == nullptr || next(from, to);
}

// The numbers of an iteration that follow the first one as arguments.
template <class Number>
void await_listed(Number first, std::va_list more, const void* site) noexcept {
  Thread& me = self();
  const unsigned n = doacross_numbers(me);
  std::uint64_t few[16];
  if (n == 0) {
    return;
  }
  std::uint64_t* const at = n <= 16 ? few : static_cast<std::uint64_t*>(need_memory(sizeof(std::uint64_t) * n));
  at[0] = static_cast<std::uint64_t>(first);
  for (unsigned k = 1; k < n; ++k) {
    at[k] = static_cast<std::uint64_t>(va_arg(more, Number));
  }
  await(me, at, site);
  if (at != few) {
    std::free(at);
  }
}

void post_at(const std::uint64_t* at) noexcept {
  Thread& me = self();
  if (doacross_numbers(me) != 0) {
    post(me, at);
  }
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::bounds;
using weft::omp::kDynamic;
using weft::omp::kGuided;
using weft::omp::kStatic;
using Ull = unsigned long long;

// Of each kind with a chunk, and of each that OMP_SCHEDULE decides.
#define CHUNKED(kind, schedule)                                                                             \
  bool GOMP_loop_##kind##_start(long from, long to, long step, long chunk, long* begin, long* end) {        \
    return weft::omp::start(bounds(from, to, step), schedule, chunk, begin, end);                           \
  }                                                                                                         \
  bool GOMP_loop_##kind##_next(long* begin, long* end) { return weft::omp::next(begin, end); }              \
  bool GOMP_loop_ull_##kind##_start(bool up, Ull from, Ull to, Ull step, Ull chunk, Ull* begin, Ull* end) { \
    return weft::omp::start(bounds(up, from, to, step), schedule, chunk, begin, end);                       \
  }                                                                                                         \
  bool GOMP_loop_ull_##kind##_next(Ull* begin, Ull* end) { return weft::omp::next(begin, end); }
CHUNKED(static, kStatic)
CHUNKED(dynamic, kDynamic)
CHUNKED(guided, kGuided)
CHUNKED(nonmonotonic_dynamic, kDynamic)
CHUNKED(nonmonotonic_guided, kGuided)

#define DECIDED(kind)                                                                            \
  bool GOMP_loop_##kind##_start(long from, long to, long step, long* begin, long* end) {         \
    return weft::omp::start(bounds(from, to, step), 0, 0L, begin, end);                          \
  }                                                                                              \
  bool GOMP_loop_##kind##_next(long* begin, long* end) { return weft::omp::next(begin, end); }   \
  bool GOMP_loop_ull_##kind##_start(bool up, Ull from, Ull to, Ull step, Ull* begin, Ull* end) { \
    return weft::omp::start(bounds(up, from, to, step), 0, Ull{0}, begin, end);                  \
  }                                                                                              \
  bool GOMP_loop_ull_##kind##_next(Ull* begin, Ull* end) { return weft::omp::next(begin, end); }
DECIDED(runtime)
DECIDED(nonmonotonic_runtime)
DECIDED(maybe_nonmonotonic_runtime)

#define ORDERED(kind, schedule)                                                                                     \
  bool GOMP_loop_ordered_##kind##_start(long from, long to, long step, long chunk, long* begin, long* end) {        \
    return weft::omp::start_ordered(bounds(from, to, step), schedule, chunk, begin, end);                           \
  }                                                                                                                 \
  bool GOMP_loop_ordered_##kind##_next(long* begin, long* end) {                                                    \
    return weft::omp::next_ordered(begin, end, WEFT_SITE);                                                          \
  }                                                                                                                 \
  bool GOMP_loop_ull_ordered_##kind##_start(bool up, Ull from, Ull to, Ull step, Ull chunk, Ull* begin, Ull* end) { \
    return weft::omp::start_ordered(bounds(up, from, to, step), schedule, chunk, begin, end);                       \
  }                                                                                                                 \
  bool GOMP_loop_ull_ordered_##kind##_next(Ull* begin, Ull* end) {                                                  \
    return weft::omp::next_ordered(begin, end, WEFT_SITE);                                                          \
  }
ORDERED(static, kStatic)
ORDERED(dynamic, kDynamic)
ORDERED(guided, kGuided)

bool GOMP_loop_ordered_runtime_start(long from, long to, long step, long* begin, long* end) {
  return weft::omp::start_ordered(bounds(from, to, step), 0, 0L, begin, end);
}
bool GOMP_loop_ordered_runtime_next(long* begin, long* end) { return weft::omp::next_ordered(begin, end, WEFT_SITE); }
bool GOMP_loop_ull_ordered_runtime_start(bool up, Ull from, Ull to, Ull step, Ull* begin, Ull* end) {
  return weft::omp::start_ordered(bounds(up, from, to, step), 0, Ull{0}, begin, end);
}
bool GOMP_loop_ull_ordered_runtime_next(Ull* begin, Ull* end) { return weft::omp::next_ordered(begin, end, WEFT_SITE); }

// The schedule as a number, and without begin only the construct's start.
bool GOMP_loop_start(long from, long to, long step, long schedule, long chunk, long* begin, long* end,
                     uintptr_t* reductions, void** memory) {
  weft::omp::begin(weft::omp::self(), bounds(from, to, step), static_cast<unsigned>(schedule),
                   static_cast<std::uint64_t>(chunk), reductions, memory);
  return begin == nullptr || weft::omp::next(begin, end);
}
bool GOMP_loop_ull_start(bool up, Ull from, Ull to, Ull step, long schedule, Ull chunk, Ull* begin, Ull* end,
                         uintptr_t* reductions, void** memory) {
  weft::omp::begin(weft::omp::self(), bounds(up, from, to, step), static_cast<unsigned>(schedule), chunk, reductions,
                   memory);
  return begin == nullptr || weft::omp::next(begin, end);
}
bool GOMP_loop_ordered_start(long from, long to, long step, long schedule, long chunk, long* begin, long* end,
                             uintptr_t* reductions, void** memory) {
  weft::omp::begin(weft::omp::self(), bounds(from, to, step), static_cast<unsigned>(schedule),
                   static_cast<std::uint64_t>(chunk), reductions, memory);
  return begin == nullptr || weft::omp::next_ordered(begin, end, WEFT_SITE);
}
bool GOMP_loop_ull_ordered_start(bool up, Ull from, Ull to, Ull step, long schedule, Ull chunk, Ull* begin, Ull* end,
                                 uintptr_t* reductions, void** memory) {
  weft::omp::begin(weft::omp::self(), bounds(up, from, to, step), static_cast<unsigned>(schedule), chunk, reductions,
                   memory);
  return begin == nullptr || weft::omp::next_ordered(begin, end, WEFT_SITE);
}

#define DOACROSS(kind, schedule)                                                                         \
  bool GOMP_loop_doacross_##kind##_start(unsigned n, long* counts, long chunk, long* begin, long* end) { \
    return weft::omp::start_doacross(n, counts, schedule, chunk, begin, end);                            \
  }                                                                                                      \
  bool GOMP_loop_ull_doacross_##kind##_start(unsigned n, Ull* counts, Ull chunk, Ull* begin, Ull* end) { \
    return weft::omp::start_doacross(n, counts, schedule, chunk, begin, end);                            \
  }
DOACROSS(static, kStatic)
DOACROSS(dynamic, kDynamic)
DOACROSS(guided, kGuided)

bool GOMP_loop_doacross_runtime_start(unsigned n, long* counts, long* begin, long* end) {
  return weft::omp::start_doacross(n, counts, 0, 0L, begin, end);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned n, Ull* counts, Ull* begin, Ull* end) {
  return weft::omp::start_doacross(n, counts, 0, Ull{0}, begin, end);
}
bool GOMP_loop_doacross_start(unsigned n, long* counts, long schedule, long chunk, long* begin, long* end,
                              uintptr_t* reductions, void** memory) {
  return weft::omp::start_doacross(n, counts, static_cast<unsigned>(schedule), chunk, begin, end, reductions, memory);
}
bool GOMP_loop_ull_doacross_start(unsigned n, Ull* counts, long schedule, Ull chunk, Ull* begin, Ull* end,
                                  uintptr_t* reductions, void** memory) {
  return weft::omp::start_doacross(n, counts, static_cast<unsigned>(schedule), chunk, begin, end, reductions, memory);
}

void GOMP_doacross_post(long* at) { weft::omp::post_at(reinterpret_cast<const std::uint64_t*>(at)); }
void GOMP_doacross_ull_post(Ull* at) { weft::omp::post_at(reinterpret_cast<const std::uint64_t*>(at)); }
void GOMP_doacross_wait(long first, ...) {
  std::va_list more;
  va_start(more, first);
  weft::omp::await_listed(first, more, WEFT_SITE);
  va_end(more);
}
void GOMP_doacross_ull_wait(Ull first, ...) {
  std::va_list more;
  va_start(more, first);
  weft::omp::await_listed(first, more, WEFT_SITE);
  va_end(more);
}

void GOMP_loop_end(void) { weft::omp::end_work(weft::omp::self(), WEFT_SITE); }
bool GOMP_loop_end_cancel(void) { return weft::omp::end_work_cancel(weft::omp::self(), WEFT_SITE); }
void GOMP_loop_end_nowait(void) { weft::omp::end_work_nowait(weft::omp::self()); }

void GOMP_ordered_start(void) { weft::omp::wait_for_turn(weft::omp::self(), WEFT_SITE); }
void GOMP_ordered_end(void) {}  // the turn passes with the chunk

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
