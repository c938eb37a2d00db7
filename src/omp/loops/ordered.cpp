#include "omp/loops/ordered.hpp"

namespace weft::omp {

namespace {

// Chunks and tickets go out together, so that they have one order.
bool take_chunk(Thread& self, Chunk& chunk) noexcept {
  Position& at = self.at;
  Work& work = *at.work;
  if (work.schedule == kStatic) {
    const auto size = static_cast<std::uint64_t>(at.team != nullptr ? at.team->size : 1);
    const std::uint64_t ticket = (work.chunk == 0 ? 0 : at.trip * size) + static_cast<std::uint64_t>(at.number);
    if (!next_chunk(self, chunk)) {
      return false;
    }
    at.ticket = ticket;
    return true;
  }
  if (work.is_far) {
    return next_far_ticket(work, at, chunk, at.ticket);
  }
  // Acquire and release: of the tickets.
  wait_briefly([&] {
    return work.ticket_lock.load(std::memory_order_relaxed) == 0 &&
           work.ticket_lock.exchange(1, std::memory_order_acquire) == 0;
  });
  const bool some = next_chunk(self, chunk);
  if (some) {
    at.ticket = work.tickets++;
  }
  work.ticket_lock.store(0, std::memory_order_release);
  return some;
}

// For people, so what other threads change meanwhile is read as it is.
std::uint32_t whose_turn(const Awaited& awaited) noexcept {
  const auto& work = *static_cast<const Work*>(awaited.object);
  if (work.is_far) {
    return 0;  // process 0 knows
  }
  const std::uint64_t turn = work.ordered.load(std::memory_order_relaxed);
  const Team& team = *t_thread->at.team;
  for (int k = 0; k < team.here; ++k) {
    const Thread* const each = k == 0 ? team.primary : __atomic_load_n(&team.threads[k], __ATOMIC_RELAXED);
    if (each != nullptr && __atomic_load_n(&each->at.work, __ATOMIC_RELAXED) == &work &&
        __atomic_load_n(&each->at.ticket, __ATOMIC_RELAXED) == turn) {
      return each->id;
    }
  }
  return 0;
}

}  // namespace

bool next_ordered_chunk(Thread& self, Chunk& chunk, const void* site) noexcept {
  Position& at = self.at;
  const std::uint64_t had = at.ticket;
  if (had != kNoTicket) {
    wait_for_turn(self, site);
  }
  at.ticket = kNoTicket;
  const bool some = take_chunk(self, chunk);
  if (had != kNoTicket && at.work->is_far) {
    post_far(*at.work, kTurns, had + 1);
  } else if (had != kNoTicket) {
    // Release: what the ordered regions wrote. Sequentially consistent: before the look for sleepers.
    at.work->ordered.store(had + 1, std::memory_order_seq_cst);
    if (at.team != nullptr) {
      ring(at.team->bell);
    }
  }
  return some;
}

void wait_for_turn(Thread& self, const void* site) noexcept {
  Position& at = self.at;
  if (at.team == nullptr || at.team->size == 1 || at.work == nullptr || at.ticket == kNoTicket) {
    return;
  }
  const std::uint64_t mine = at.ticket;
  const Work& work = *at.work;
  const Awaited awaited{
      .why = ThreadWaits::kOrdered, .site = site, .object = &work, .wanted = mine, .holder = whose_turn};
  if (work.is_far) {
    await_far(work, kTurns, mine, awaited);
    return;
  }
  // Sequentially consistent as wait() demands; acquire: what earlier ordered regions wrote.
  wait(at.team->bell, awaited, [&] { return work.ordered.load(std::memory_order_seq_cst) == mine; });
}

}  // namespace weft::omp
