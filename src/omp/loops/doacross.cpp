#include "omp/loops/doacross.hpp"

#include <cstdlib>
#include <new>

#include "omp/loops/loops.hpp"
#include "omp/sync/fatal.hpp"

namespace weft::omp {

/// For each iteration of the outermost loop, or each chunk of them that one thread runs in order, the last iteration
/// that was posted, as one number, and one more than that: none is zero.
struct Doacross {
  unsigned n = 0;
  std::uint64_t chunk = 1;   // outermost iterations with one entry
  std::uint64_t larger = 0;  // with blocks, that many have chunk + 1
  std::uint64_t* factors = nullptr;
  std::atomic<std::uint64_t>* posted = nullptr;
  std::uint64_t entries = 0;
  bool is_turns = true;  // entries are what a static schedule deals out in turn
};

namespace {

struct Spot {
  std::uint64_t entry, number;
};

// Of an iteration of the outermost loop, which is counted from there on then.
std::uint64_t entry_of(const Doacross& d, std::uint64_t& first) noexcept {
  const bool is_behind = d.larger != 0 && first >= d.larger * (d.chunk + 1);
  const std::uint64_t before = is_behind ? d.larger : 0;
  const std::uint64_t chunk = d.larger != 0 && !is_behind ? d.chunk + 1 : d.chunk;
  first -= before * (d.chunk + 1);
  const std::uint64_t entry = before + first / chunk;
  first %= chunk;
  return entry;
}

Spot spot_of(const Doacross& d, const std::uint64_t* at) noexcept {
  std::uint64_t first = at[0];
  Spot spot{};
  spot.entry = entry_of(d, first);
  spot.number = first * d.factors[0] + 1;
  for (unsigned k = 1; k < d.n; ++k) {
    spot.number += at[k] * d.factors[k];
  }
  return spot;
}

// For people: which thread has that iteration, if it is one of this process and the schedule deals iterations out in
// turn. By others, as by homes, nobody knows.
std::uint32_t who_has_it(const Awaited& awaited) noexcept {
  const auto& work = *static_cast<const Work*>(awaited.object);
  if (work.schedule != kStatic || !work.doacross->is_turns) {
    return 0;
  }
  const Team& team = *t_thread->at.team;
  std::uint64_t first = awaited.wanted;
  const std::uint64_t entry = entry_of(*work.doacross, first);
  const std::uint64_t number = entry % static_cast<std::uint64_t>(team.size) - static_cast<std::uint64_t>(team.first);
  if (number >= static_cast<std::uint64_t>(team.here)) {
    return 0;
  }
  const Thread* const thread = number == 0 ? team.primary : __atomic_load_n(&team.threads[number], __ATOMIC_RELAXED);
  return thread != nullptr ? thread->id : 0;
}

}  // namespace

void make_doacross(Work& work, unsigned n, const std::uint64_t* counts, int team) noexcept {
  auto* const d = new (need_memory(sizeof(Doacross))) Doacross;
  d->n = n;
  d->factors = static_cast<std::uint64_t*>(need_memory(sizeof(std::uint64_t) * n));
  std::uint64_t all = 1;
  bool fits = true;
  for (unsigned k = n; k-- > 0;) {
    d->factors[k] = all;
    if (k > 0) {
      fits = !__builtin_mul_overflow(all, counts[k], &all) && fits;
    }
  }
  std::uint64_t most = 0;
  d->chunk = work.chunk;
  if (work.schedule == kStatic && work.chunk == 0) {
    d->chunk = counts[0] / static_cast<std::uint64_t>(team);
    d->larger = counts[0] % static_cast<std::uint64_t>(team);
    if (d->chunk == 0) {  // fewer iterations than threads: one each
      d->chunk = 1;
      d->larger = 0;
    }
  } else if (work.schedule == kGuided || d->chunk == 0) {
    d->chunk = 1;
  }
  // Where a chunk's iterations have no number of 64 bits, each outermost one has its own entry.
  if (!fits || __builtin_mul_overflow(all, d->chunk + 1, &most)) {
    d->is_turns = d->chunk == 1 && d->larger == 0;
    d->chunk = 1;
    d->larger = 0;
  }
  d->entries = d->larger + (counts[0] - d->larger * (d->chunk + (d->larger != 0 ? 1 : 0)) + d->chunk - 1) / d->chunk;
  d->posted = static_cast<std::atomic<std::uint64_t>*>(need_memory(sizeof(std::uint64_t) * (d->entries + 1)));
  for (std::uint64_t k = 0; k <= d->entries; ++k) {
    new (d->posted + k) std::atomic<std::uint64_t>{0};
  }
  work.doacross = d;
  work.give_back = free_doacross;
}

void free_doacross(Work& work) noexcept {
  if (Doacross* const d = work.doacross; d != nullptr) {
    std::free(d->factors);
    std::free(d->posted);
    std::free(d);
    work.doacross = nullptr;
  }
}

unsigned doacross_numbers(const Thread& self) noexcept {
  const Work* const work = self.at.work;
  return work != nullptr && work->doacross != nullptr ? work->doacross->n : 0;
}

void post(Thread& self, const std::uint64_t* at) noexcept {
  Work& work = *self.at.work;
  Doacross& d = *work.doacross;
  const Spot spot = spot_of(d, at);
  if (spot.entry >= d.entries) {
    return;
  }
  std::atomic<std::uint64_t>& posted = d.posted[spot.entry];
  if (posted.load(std::memory_order_relaxed) >= spot.number) {
    return;  // only this thread writes it
  }
  if (work.is_far) {
    post_far(work, spot.entry, spot.number);
  }
  // Release: what the iteration wrote. Sequentially consistent: before the look for sleepers.
  posted.store(spot.number, std::memory_order_seq_cst);
  if (self.at.team != nullptr) {
    ring(self.at.team->bell);
  }
}

void await(Thread& self, const std::uint64_t* at, const void* site) noexcept {
  if (self.at.team == nullptr || self.at.team->size == 1) {
    return;
  }
  const Doacross& d = *self.at.work->doacross;
  const Spot spot = spot_of(d, at);
  if (spot.entry >= d.entries) {
    return;
  }
  const std::atomic<std::uint64_t>& posted = d.posted[spot.entry];
  const Awaited awaited{
      .why = ThreadWaits::kIteration, .site = site, .object = self.at.work, .wanted = at[0], .holder = who_has_it};
  if (self.at.work->is_far) {
    // Acquire: by a thread of this process.
    if (posted.load(std::memory_order_acquire) < spot.number) {
      await_far(*self.at.work, spot.entry, spot.number, awaited);
    }
    return;
  }
  // Sequentially consistent as wait() demands; acquire: what that iteration wrote.
  wait(self.at.team->bell, awaited, [&] { return posted.load(std::memory_order_seq_cst) >= spot.number; });
}

}  // namespace weft::omp
