#include "omp/team/league.hpp"

#include <algorithm>
#include <atomic>
#include <climits>

namespace weft::omp {

namespace {

// Threads of its teams read them; the region's begin has released them. Relaxed.
std::atomic<unsigned> g_teams{1};
std::atomic<unsigned> g_team{0};

}  // namespace

void set_league(unsigned teams, unsigned team) noexcept {
  g_teams.store(teams, std::memory_order_relaxed);
  g_team.store(team, std::memory_order_relaxed);
}

unsigned number_of_teams() noexcept { return g_teams.load(std::memory_order_relaxed); }
unsigned number_of_team() noexcept { return g_team.load(std::memory_order_relaxed); }

void run_league(Thread& self, unsigned teams, unsigned limit, void (*body)(void*), void* argument) noexcept {
  const unsigned had = self.task->icv.thread_limit;
  const unsigned wanted = limit != 0 ? limit : g_settings.teams_thread_limit;
  if (wanted != 0) {
    self.task->icv.thread_limit = std::min(wanted, static_cast<unsigned>(INT_MAX));
  }
  for (unsigned k = 0; k < teams; ++k) {
    set_league(teams, k);
    body(argument);
  }
  set_league(1, 0);
  self.task->icv.thread_limit = had;
}

}  // namespace weft::omp
