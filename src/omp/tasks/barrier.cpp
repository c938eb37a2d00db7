#include "omp/tasks/barrier.hpp"

#include <cstdlib>
#include <utility>

#include "omp/image/image.hpp"
#include "omp/tasks/arrived.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/tasks/tasks.hpp"

namespace weft::omp {

namespace {

Awaited awaited_at(const void* site, const Work* work) noexcept {
  return {.why = work != nullptr ? ThreadWaits::kWorkEnd : ThreadWaits::kBarrier, .site = site};
}

[[gnu::noinline]] void run_all(Thread& self, Team& team, const void* site, const Work* work) noexcept {
  const Awaited awaited = awaited_at(site, work);
  const std::uint64_t region = team.region.load(std::memory_order_relaxed);
  // Sequentially consistent as wait() demands; acquire: what the tasks have written.
  while (team.unfinished.load(std::memory_order_seq_cst) != 0) {
    const HasArrived noted(team);
    if (!run_one(self, team, region)) {
      wait(team.bell, awaited, [&] {
        return team.unfinished.load(std::memory_order_seq_cst) == 0 ||
               team.ready_tasks.load(std::memory_order_seq_cst) != 0;
      });
    }
  }
}

// Threads of other processes, when all of this one are here and its tasks are done. One of all may bring something.
[[gnu::noinline]] void meet_others(const Thread& self, Team& team, const void* site, const Work* work) noexcept {
  far::Message question;
  question.what = far::What::kBarrier;
  question.many = static_cast<std::uint16_t>(team.processes);
  question.a = reinterpret_cast<std::uintptr_t>(std::exchange(team.brought, nullptr));
  const far::Message answer = meet(question, self.at.works, g_settings.cancellation, awaited_at(site, work));
  if (answer.b != 0) {
    // Those of this process that have left did not come, so it is this one's threads that see it. Sequentially
    // consistent as cancel() is; the bell rings behind this.
    team.cancelled.store(true, std::memory_order_seq_cst);
  }
  team.copied = reinterpret_cast<void*>(answer.a);
  image::acquire(site);
}

// The last one to come: lets all go when no task is left.
void open(Thread& self, Team& team, const void* site, Work* work) noexcept {
  if (team.unfinished.load(std::memory_order_acquire) != 0) {
    run_all(self, team, site, work);
  }
  if (team.is_far) {
    meet_others(self, team, site, work);
  }
  if (work != nullptr) {
    free_work(*work);
  }
  team.work_cancelled.store(false, std::memory_order_relaxed);
  team.arrived.store(0, std::memory_order_relaxed);
  // Release: all that threads wrote before they came. Sequentially consistent: before the look for sleepers.
  team.barriers.fetch_add(1, std::memory_order_seq_cst);
  ring(team.bell);
}

}  // namespace

void barrier(Thread& self, const void* site, Work* work) noexcept {
  Team* const team = self.at.team;
  if (team == nullptr) {
    return;
  }
  const std::uint32_t passed = team->barriers.load(std::memory_order_relaxed);
  // Acquire and release: the last one passes on what all have written.
  if (team->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(team->here)) {
    open(self, *team, site, work);
    return;
  }
  const std::uint64_t region = team->region.load(std::memory_order_relaxed);
  // Sequentially consistent as wait() demands; acquire: what all have written.
  const auto open_now = [&] { return team->barriers.load(std::memory_order_seq_cst) != passed; };
  const Awaited awaited = awaited_at(site, work);
  for (;;) {
    wait(team->bell, awaited, [&] { return open_now() || team->ready_tasks.load(std::memory_order_seq_cst) != 0; });
    if (open_now()) {
      return;
    }
    const HasArrived noted(*team);
    run_one(self, *team, region);
  }
}

bool barrier_cancel(Thread& self, const void* site, Work* work) noexcept {
  Team* const team = self.at.team;
  if (team == nullptr) {
    return false;
  }
  if (!g_settings.cancellation) {
    barrier(self, site, work);
    return false;
  }
  const auto cancelled = [&] { return region_is_over(*team); };
  if (cancelled()) {
    return true;
  }
  const std::uint32_t passed = team->barriers.load(std::memory_order_relaxed);
  if (team->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(team->here)) {
    open(self, *team, site, work);
    return cancelled();
  }
  const std::uint64_t region = team->region.load(std::memory_order_relaxed);
  const auto open_now = [&] { return team->barriers.load(std::memory_order_seq_cst) != passed; };
  const Awaited awaited = awaited_at(site, work);
  for (;;) {
    wait(team->bell, awaited,
         [&] { return open_now() || cancelled() || team->ready_tasks.load(std::memory_order_seq_cst) != 0; });
    if (open_now() || cancelled()) {
      return cancelled();
    }
    const HasArrived noted(*team);
    run_one(self, *team, region);
  }
}

void free_work(Work& work) noexcept {
  const std::uint64_t number = work.turn.load(std::memory_order_relaxed) / 4;
  work.left.store(0, std::memory_order_relaxed);
  if (work.doacross != nullptr) {
    work.give_back(work);
  }
  if (work.memory != nullptr) {
    std::free(work.memory);
    work.memory = nullptr;
  }
  // Release: the next user's first thread writes what these have read.
  work.turn.store((number + Team::kWorks) * 4 + Work::kFree, std::memory_order_release);
}

}  // namespace weft::omp
