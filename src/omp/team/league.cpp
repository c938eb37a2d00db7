#include "omp/team/league.hpp"

#include <atomic>

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

}  // namespace weft::omp
