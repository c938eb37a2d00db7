#include "omp/loops/loops.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "omp/loops/doacross.hpp"
#include "omp/tasks/barrier.hpp"
#include "omp/tasks/tasks.hpp"

namespace weft::omp {

namespace {

std::uint64_t share_up(std::uint64_t count, std::uint64_t by) noexcept {
  return count / by + (count % by != 0 ? 1 : 0);
}

bool next_static(Position& at, const Work& work, std::uint64_t& from, std::uint64_t& to) noexcept {
  const auto size = static_cast<std::uint64_t>(at.team != nullptr ? at.team->size : 1);
  const auto me = static_cast<std::uint64_t>(at.number);
  if (work.chunk == 0) {
    if (at.trip != 0) {
      return false;
    }
    at.trip = 1;
    block(work.count, size, me, from, to);
    return from < to;
  }
  std::uint64_t number = 0;
  if (__builtin_mul_overflow(at.trip, size, &number) || __builtin_add_overflow(number, me, &number) ||
      __builtin_mul_overflow(number, work.chunk, &from) || from >= work.count) {
    return false;
  }
  ++at.trip;
  to = work.count - from < work.chunk ? work.count : from + work.chunk;
  return true;
}

// None of the program's: chunks come from process 0.
constexpr unsigned kFarSchedule = ~0U;

// Relaxed, here and below: only who gets which iterations; what they read came with the construct.
bool next_dynamic(Work& work, std::uint64_t& from, std::uint64_t& to) noexcept {
  from = work.next.load(std::memory_order_relaxed);
  do {
    if (from >= work.count) {
      return false;
    }
    to = work.count - from < work.chunk ? work.count : from + work.chunk;
  } while (!work.next.compare_exchange_weak(from, to, std::memory_order_relaxed));
  return true;
}

bool next_guided(Work& work, std::uint64_t size, std::uint64_t& from, std::uint64_t& to) noexcept {
  from = work.next.load(std::memory_order_relaxed);
  do {
    if (from >= work.count) {
      return false;
    }
    const std::uint64_t left = work.count - from;
    to = from + std::min(left, std::max(share_up(left, size), work.chunk));
  } while (!work.next.compare_exchange_weak(from, to, std::memory_order_relaxed));
  return true;
}

// What the thread has said of this loop, or before the region whose first one it is.
Affinity take_affinity(Thread& self, const Work& work) noexcept {
  const Affinity own = self.at.affinity;
  const Team* const team = self.at.team;
  const bool is_first = team != nullptr && team->affinity.is && work.number() == team->first_work;
  return own.is || !is_first ? own : team->affinity;
}

// Outside of any region: a thread's one place for work.
void end_alone(Work& work) noexcept {
  free_doacross(work);
  std::free(work.memory);
  work.memory = nullptr;
}

}  // namespace

Bounds bounds(long start, long end, long step) noexcept {
  Bounds b;
  b.up = step > 0;
  b.start = static_cast<std::uint64_t>(start);
  b.end = static_cast<std::uint64_t>((b.up && start > end) || (!b.up && start < end) ? start : end);
  b.step = static_cast<std::uint64_t>(step);
  return b;
}

Bounds bounds(bool up, unsigned long long start, unsigned long long end, unsigned long long step) noexcept {
  Bounds b;
  b.up = up;
  b.start = start;
  b.end = (up && start > end) || (!up && start < end) ? start : end;
  b.step = step;
  b.wide = true;
  return b;
}

Begun begin_work(Thread& self) noexcept {
  Position& at = self.at;
  at.trip = 0;
  at.ticket = kNoTicket;
  if (self.said.affinity.is || at.affinity.is) {
    at.affinity = std::exchange(self.said.affinity, {});
  }
  if (at.team == nullptr) {
    at.work = self.orphan;
    self.orphan->left.store(0, std::memory_order_relaxed);
    return {*self.orphan, true};
  }
  const std::uint64_t number = at.works++;
  Work& work = at.team->works[number % Team::kWorks];
  at.work = &work;
  const std::uint64_t free = number * 4 + Work::kFree;
  const std::uint64_t done = number * 4 + Work::kReady;
  // Acquire: what the first thread has set up, or, as the first one, that all are through with the place's last use.
  std::uint64_t turn = work.turn.load(std::memory_order_acquire);
  for (;;) {
    if (turn == done) {
      return {work, false};
    }
    if (turn == free && work.turn.compare_exchange_strong(turn, number * 4 + Work::kTaken, std::memory_order_acquire)) {
      return {work, true};
    }
    wait_briefly([&] {
      turn = work.turn.load(std::memory_order_acquire);
      return turn == free || turn == done;
    });
  }
}

void ready(Work& work) noexcept {
  // Release: the others see what this thread has set up.
  work.turn.store((work.turn.load(std::memory_order_relaxed) & ~std::uint64_t{3}) + Work::kReady,
                  std::memory_order_release);
}

void end_work(Thread& self, const void* site) noexcept {
  Work* const work = self.at.work;
  self.at.work = nullptr;
  if (self.at.team == nullptr) {
    end_alone(*work);
    return;
  }
  barrier(self, site, work);
}

bool end_work_cancel(Thread& self, const void* site) noexcept {
  Work* const work = self.at.work;
  self.at.work = nullptr;
  if (self.at.team == nullptr) {
    end_alone(*work);
    return false;
  }
  return barrier_cancel(self, site, work);
}

void end_work_nowait(Thread& self) noexcept {
  Work* const work = self.at.work;
  self.at.work = nullptr;
  Team* const team = self.at.team;
  if (team == nullptr) {
    end_alone(*work);
    return;
  }
  // Acquire and release: the last one frees what all have used.
  if (work->left.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(team->here)) {
    team->work_cancelled.store(false, std::memory_order_relaxed);
    free_work(*work);
  }
}

void set_up(Thread& self, Work& work, const Bounds& loop, unsigned schedule, std::uint64_t chunk, int team) noexcept {
  schedule &= ~kMonotonic;
  const Affinity affinity = schedule == 0 ? take_affinity(self, work) : Affinity{};
  if (affinity.is) {
    schedule = kStatic;
    chunk = 0;
  } else if (schedule == 0) {
    const Icv& icv = self.task->icv;
    schedule = icv.schedule & ~kMonotonic;
    chunk = icv.chunk > 0 ? static_cast<std::uint64_t>(icv.chunk) : 0;
  }
  if (schedule == kAuto) {
    schedule = kStatic;
    chunk = 0;
  }
  if (schedule != kStatic && (chunk == 0 || (!loop.wide && static_cast<std::int64_t>(chunk) < 0))) {
    chunk = 1;
  }
  work.schedule = schedule;
  work.start = loop.start;
  work.end = loop.end;
  work.step = loop.step;
  work.up = loop.up;
  const std::uint64_t distance = loop.up ? loop.end - loop.start : loop.start - loop.end;
  const std::uint64_t stride = loop.up ? loop.step : ~loop.step + 1;
  work.count = distance == 0 || stride == 0 ? 0 : (distance - 1) / stride + 1;
  work.chunk = chunk;
  work.leap = chunk * loop.step;
  std::uint64_t most = 0;
  work.simple = !__builtin_mul_overflow(chunk, static_cast<std::uint64_t>(team) + 1, &most) &&
                !__builtin_add_overflow(most, work.count, &most);
  work.is_far = self.at.team != nullptr && self.at.team->is_far;
  work.affinity = affinity;
  if (affinity.is && self.at.team != nullptr && self.at.team->is_far && has_homes(affinity, work.count)) {
    work.schedule = kByHomes;
  }
  work.pool_over = false;
  work.pool_from = 0;
  work.pool_to = 0;
  work.quick = work.simple && !work.is_far && schedule != kStatic && schedule != kGuided;
  work.copy = nullptr;
  work.reductions = nullptr;
  work.next.store(0, std::memory_order_relaxed);
  work.ordered.store(0, std::memory_order_relaxed);
  work.tickets = 0;
}

void prepare(Thread& self, Team& team, const Bounds& loop, unsigned schedule, std::uint64_t chunk) noexcept {
  Work& work = team.works[team.first_work % Team::kWorks];
  // What was said is of this loop, and in a region that may be over several processes.
  const Affinity before = std::exchange(self.at.affinity, std::exchange(team.affinity, {}));
  set_up(self, work, loop, schedule, chunk, team.size);
  self.at.affinity = before;
  if (work.affinity.is && team.is_far && has_homes(work.affinity, work.count)) {
    work.schedule = kByHomes;
  }
  work.is_far = team.is_far;
  work.quick = work.quick && !team.is_far;
  ready(work);  // the region's begin releases it
  team.prepared = &work;
}

bool next_chunk_slowly(Thread& self, Chunk& chunk) noexcept {
  Work& work = *self.at.work;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool some = false;
  switch (work.is_far && work.schedule != kStatic && work.schedule != kByHomes ? kFarSchedule : work.schedule) {
    case kFarSchedule: some = next_far_chunk(work, self.at, from, to); break;
    case kStatic: some = next_static(self.at, work, from, to); break;
    case kByHomes: some = next_by_homes(self.at, work, from, to); break;
    case kGuided:
      some = next_guided(work, static_cast<std::uint64_t>(self.at.team != nullptr ? self.at.team->size : 1), from, to);
      break;
    default: some = next_dynamic(work, from, to); break;
  }
  if (!some) {
    return false;
  }
  chunk.begin = work.start + from * work.step;
  chunk.end = to == work.count ? work.end : work.start + to * work.step;
  return true;
}

}  // namespace weft::omp
