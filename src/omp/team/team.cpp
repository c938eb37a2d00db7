#include "omp/team/team.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <new>
#include <utility>

#include "omp/sync/fatal.hpp"
#include "omp/tasks/arrived.hpp"
#include "omp/tasks/barrier.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/tasks/depend.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/bind.hpp"
#include "omp/team/far.hpp"
#include "omp/team/workers.hpp"

namespace weft::omp {

namespace {

unsigned from_list(unsigned level) noexcept {
  return level < g_settings.thread_list_length ? static_cast<unsigned>(g_settings.thread_list[level]) : 0;
}

// By what the machine has had to do lately.
unsigned long processors_left() noexcept {
  double loads[3] = {0, 0, 0};
  const double load = ::getloadavg(loads, 3) == 3 ? loads[2] + 0.5 : 0;
  return load >= g_settings.processors
             ? 1
             : static_cast<unsigned long>(g_settings.processors) - static_cast<unsigned long>(load);
}

void grow(Team& team, int threads) noexcept {
  auto* const implicit =
      static_cast<Task*>(need_memory(sizeof(Task) * static_cast<std::size_t>(threads), alignof(Task)));
  for (int k = 0; k < threads; ++k) {
    new (implicit + k) Task;
  }
  std::free(team.implicit);
  team.implicit = implicit;
  const auto n = static_cast<std::size_t>(threads);
  auto** const threads_of = static_cast<Thread**>(need_memory(sizeof(void*) * n));
  std::fill_n(threads_of, n, nullptr);
  std::copy_n(team.threads, team.threads != nullptr ? team.capacity : 0, threads_of);
  std::free(team.threads);
  team.threads = threads_of;
  std::free(team.place_of);
  team.place_of = static_cast<int*>(need_memory(sizeof(int) * n));
  std::free(team.part_first);
  team.part_first = static_cast<unsigned*>(need_memory(sizeof(unsigned) * 2 * n));
  team.part_length = team.part_first + n;
}

}  // namespace

const void* tell_position(boot::ThreadRecord& record) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const Position& at = t_thread->at;
  const Team* const team = at.team;
  record.team.store(reinterpret_cast<std::uintptr_t>(team), kRelaxed);
  record.number.store(static_cast<std::uint32_t>(at.number), kRelaxed);
  record.size.store(team != nullptr ? static_cast<std::uint32_t>(team->size) : 1, kRelaxed);
  record.first.store(team != nullptr ? static_cast<std::uint32_t>(team->first) : 0, kRelaxed);
  record.here.store(team != nullptr ? static_cast<std::uint32_t>(team->here) : 1, kRelaxed);
  record.primary.store(team != nullptr ? team->primary->id : own_id(), kRelaxed);
  return team == nullptr ? nullptr : team->code != nullptr ? team->code : reinterpret_cast<const void*>(team->body);
}

int resolve_threads(Thread& self, unsigned asked, unsigned sections) noexcept {
  const Icv& icv = self.task->icv;
  if (asked == 1 || self.at.active_level >= icv.active_levels) {
    return 1;
  }
  unsigned long threads = asked != 0 ? asked : icv.threads;
  if (icv.dynamic != 0) {
    threads = std::min(threads, processors_left());
    if (sections != 0) {
      threads = std::min<unsigned long>(threads, sections);
    }
  }
  threads = std::clamp<unsigned long>(threads, 1, INT_MAX);
  if (icv.thread_limit == kNoLimit || threads == 1) {
    return static_cast<int>(threads);
  }
  // As many more as the limit leaves. Relaxed: only the number counts.
  unsigned busy = self.group->busy.load(std::memory_order_relaxed);
  unsigned more = 0;
  do {
    const unsigned left = icv.thread_limit > busy ? icv.thread_limit - busy : 0;
    more = static_cast<unsigned>(std::min<unsigned long>(threads - 1, left));
  } while (!self.group->busy.compare_exchange_weak(busy, busy + more, std::memory_order_relaxed));
  return static_cast<int>(more) + 1;
}

Team& take_team(Thread& self, int threads, bool may_be_far) noexcept {
  const Spread spread = may_be_far ? spread_of(self, threads) : Spread{0, threads, 1};
  Team& team = take_team(self, threads, spread);
  if (spread.processes > 1) {
    begin_works(team);
  }
  return team;
}

Team& take_team(Thread& self, int threads, const Spread& spread) noexcept {
  Team* team = self.idle_teams;
  if (team != nullptr) {
    self.idle_teams = team->next_idle;
  } else {
    team = new (need_memory(sizeof(Team), alignof(Team))) Team;
    team->primary = &self;
    for (unsigned k = 0; k < Team::kWorks; ++k) {
      team->works[k].turn.store(std::uint64_t{k} * 4, std::memory_order_relaxed);
    }
    grow(*team, 1);
  }
  if (spread.here > team->capacity) {
    grow(*team, spread.here);
  }
  team->size = threads;
  team->here = spread.here;
  team->first = spread.first;
  team->processes = spread.processes;
  team->is_far = spread.processes > 1;
  team->prepared = nullptr;
  if (self.said.affinity.is || team->affinity.is) {
    team->affinity = std::exchange(self.said.affinity, {});
  }
  team->code = nullptr;
  team->taskgroup = nullptr;
  team->group = self.group;
  return *team;
}

void go(Thread& self, Team& team, void (*body)(void*), void* argument, unsigned flags) noexcept {
  const int threads = team.size;
  Task& parent = *self.task;
  const std::uint64_t first_work = team.first_work;
  team.body = body;
  team.argument = argument;
  team.outer = self.at;
  team.outer_task = self.task;
  team.level = self.at.level + 1;
  team.active_level = self.at.active_level + (threads > 1 ? 1 : 0);
  team.icv = parent.icv;
  if (g_settings.thread_list_length > 1) {
    if (const unsigned next = from_list(team.level); next != 0) {
      team.icv.threads = next;
    }
  }
  const unsigned bind = g_settings.processors > 0 ? bind_team(self, team, flags) : 0;
  if (bind != 0 && team.level < g_settings.bind_list_length) {
    team.icv.bind = g_settings.bind_list[team.level];
  }
  make_implicit(team.implicit[0], team.icv, &team, &parent);
  self.task = &team.implicit[0];
  self.at.team = &team;
  self.at.number = team.first;
  self.at.level = team.level;
  self.at.active_level = team.active_level;
  self.at.work = team.prepared;
  self.at.works = first_work + (team.prepared != nullptr ? 1 : 0);
  self.at.singles = team.first_single;
  self.at.trip = 0;
  self.at.ticket = kNoTicket;
  team.show = g_settings.display_affinity && (team.shown != threads || team.level > 1);
  team.shown = threads;
  const std::uint64_t number = (team.region.load(std::memory_order_relaxed) + 1) & 0xffffffffU;
  const std::uint64_t region = static_cast<std::uint64_t>(team.here) << 32 | number;
  if (team.is_far) {
    note_far_region(&team, team.first, team.here, team.size);
    begin_there(team, flags);
  }
  if (team.here > 1) {
    hire(self, team);
    // Release: what is written above is seen by who finds the region. Sequentially consistent: before the look for
    // sleepers.
    team.region.store(region, std::memory_order_seq_cst);
    ring(team.dock);
  } else {
    // For threads of the last region, which help with its tasks: these are not theirs. Relaxed: who finds one of them
    // has the lock after this thread.
    team.region.store(region, std::memory_order_relaxed);
  }
  if (team.show) {
    show_affinity(self);
  }
}

void join(Thread& self, const void* site) noexcept {
  Team& team = *self.at.team;
  const int threads = team.size;
  const std::uint64_t region = team.region.load(std::memory_order_relaxed);
  const auto others = static_cast<std::uint32_t>(team.here - 1);
  // Sequentially consistent as wait() demands; acquire: what the other threads and the tasks have written.
  const auto all_done = [&] {
    return team.joined.load(std::memory_order_seq_cst) == others &&
           team.unfinished.load(std::memory_order_seq_cst) == 0;
  };
  const Awaited awaited{.why = ThreadWaits::kRegionEnd, .site = site};
  team.primary_waits.store(true, std::memory_order_relaxed);  // a hint: nothing comes with it
  while (!all_done()) {
    wait(team.bell, awaited, [&] { return all_done() || team.ready_tasks.load(std::memory_order_seq_cst) != 0; });
    const HasArrived noted(team);
    run_one(self, team, region);
  }
  if (team.is_far) {
    end_there(site);
  }
  team.joined.store(0, std::memory_order_relaxed);
  team.primary_waits.store(false, std::memory_order_relaxed);
  forget_dependences(*self.task);
  if (region_is_over(team)) {
    // Threads have left at different constructs: all places anew.
    for (unsigned k = 0; k < Team::kWorks; ++k) {
      team.works[k].turn.store(std::uint64_t{k} * 4, std::memory_order_relaxed);
      team.works[k].left.store(0, std::memory_order_relaxed);
    }
    team.first_work = 0;
    team.first_single = team.singles.load(std::memory_order_relaxed);
    team.arrived.store(0, std::memory_order_relaxed);
    team.cancelled.store(false, std::memory_order_relaxed);
    team.work_cancelled.store(false, std::memory_order_relaxed);
  } else {
    team.first_work = self.at.works;
    team.first_single = self.at.singles;
    if (team.prepared != nullptr && self.at.work == team.prepared) {
      free_work(*team.prepared);  // a loop of the region itself has no end of its own
    }
  }
  self.at = team.outer;
  self.task = team.outer_task;
  if (threads > 1 && self.task->icv.thread_limit != kNoLimit) {
    self.group->busy.fetch_sub(static_cast<unsigned>(threads - 1), std::memory_order_relaxed);
  }
  team.next_idle = self.idle_teams;
  self.idle_teams = &team;
}

}  // namespace weft::omp
