#include "omp/team/far.hpp"

#include <new>
#include <type_traits>

#include "omp/image/image.hpp"
#include "omp/loops/loops.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/cancel.hpp"
#include "omp/team/league.hpp"
#include "omp/team/places.hpp"

namespace weft::omp {
namespace {

/// What the other processes must know of a region: a copy goes with the message that it begins.
struct Region {
  void (*body)(void*);
  void* argument;
  int size;
  unsigned flags;
  std::uint64_t number;
  bool cancellation;
  Icv icv;                                 // of the task that has met it
  unsigned num_teams, teams_thread_limit;  // as routines have set them
  SharedFormat affinity_format;            // the same
  unsigned teams, team;
  std::uintptr_t* reductions;  // by tasks, of the region itself
  bool prepared;               // it begins inside a loop
  struct {
    unsigned schedule;
    bool simple, up;
    std::uint64_t start, step, end, count, chunk;
    Affinity affinity;
  } loop;
  Affinity affinity;  // of the first loop in it
  void** word;        // far_word()
};
static_assert(std::is_trivially_copyable_v<Region> && sizeof(Region) <= far::kMostGiven);

constinit std::uint64_t g_regions = 0;  // that process 0 has begun
constinit void** g_word = nullptr;      // in shared memory

Spread spread_here(int threads) noexcept {
  const int process = image::process();
  Spread spread{first_thread(process, threads), first_thread(process + 1, threads) - first_thread(process, threads), 0};
  for (int k = 0; k < image::processes() && first_thread(k, threads) < threads; ++k) {
    ++spread.processes;
  }
  return spread;
}

void** word_of_all() noexcept {
  if (g_word == nullptr) {
    void* const memory = image::allocate(sizeof(void*));
    if (memory == nullptr) {
      die("Out of memory allocating %lu bytes", static_cast<unsigned long>(sizeof(void*)));
    }
    g_word = new (memory) void* {nullptr};
  }
  return g_word;
}

void run_here(void* given) noexcept {
  const Region& region = *static_cast<const Region*>(given);
  g_word = region.word;
  const Spread spread = spread_here(region.size);
  if (spread.here == 0) {
    return;
  }
  Thread& me = self();
  me.task->icv = region.icv;
  set_league(region.teams, region.team);
  Team& team = take_team(me, region.size, spread);
  begin_works(team);
  g_settings.cancellation = region.cancellation;
  g_settings.num_teams = region.num_teams;
  g_settings.teams_thread_limit = region.teams_thread_limit;
  take_affinity_format(region.affinity_format);
  team.far_number = region.number;
  listen(team);
  team.affinity = region.affinity;
  if (region.prepared) {
    Work& work = team.works[0];
    work.schedule = region.loop.schedule;
    work.simple = region.loop.simple;
    work.up = region.loop.up;
    work.start = region.loop.start;
    work.step = region.loop.step;
    work.end = region.loop.end;
    work.count = region.loop.count;
    work.chunk = region.loop.chunk;
    work.affinity = region.loop.affinity;
    work.quick = false;
    work.is_far = true;
    work.pool_over = false;
    work.pool_from = 0;
    work.pool_to = 0;
    work.turn.store(Work::kReady, std::memory_order_release);
    team.prepared = &work;
  }
  Taskgroup group;
  if (region.reductions != nullptr) {
    group.reductions = region.reductions;
    group.workshare = true;  // no taskgroup that the program could cancel
    team.taskgroup = &group;
  }
  void (*const body)(void*) = region.body;
  void* const argument = region.argument;
  go(me, team, body, argument, region.flags);
  body(argument);
  join(me, nullptr);
}

}  // namespace

Spread spread_of(const Thread& self, int threads) noexcept {
  const bool is_far = image::far() != nullptr && image::process() == 0 && threads > 1 && self.at.team == nullptr &&
                      !self.worker && image::is_shared(__builtin_frame_address(0));
  return is_far ? spread_here(threads) : Spread{0, threads, 1};
}

void begin_works(Team& team) noexcept {
  free_shared_memory(team);
  for (unsigned k = 0; k < Team::kWorks; ++k) {
    team.works[k].turn.store(std::uint64_t{k} * 4, std::memory_order_relaxed);
    team.works[k].left.store(0, std::memory_order_relaxed);
  }
  team.first_work = 0;
  team.first_single = 0;
  team.singles.store(0, std::memory_order_relaxed);
  team.barriers.store(0, std::memory_order_relaxed);
  team.copied = nullptr;
  team.brought = nullptr;
}

void begin_there(Team& team, unsigned flags) noexcept {
  if (image::process() != 0) {
    return;
  }
  static Region region;  // not on the stack, which others may have read
  region.body = team.body;
  region.argument = team.argument;
  region.size = team.size;
  region.flags = flags;
  region.number = team.far_number = ++g_regions;
  region.word = word_of_all();
  region.cancellation = g_settings.cancellation;
  region.icv = team.outer_task->icv;
  region.num_teams = g_settings.num_teams;
  region.teams_thread_limit = g_settings.teams_thread_limit;
  region.affinity_format = share_affinity_format();
  region.teams = number_of_teams();
  region.team = number_of_team();
  region.reductions = team.taskgroup != nullptr ? team.taskgroup->reductions : nullptr;
  region.affinity = team.affinity;
  region.prepared = team.prepared != nullptr;
  if (const Work* const work = team.prepared; work != nullptr) {
    region.loop = {work->schedule, work->simple, work->up,    work->start,   work->step,
                   work->end,      work->count,  work->chunk, work->affinity};
  }
  listen(team);
  // What the region reads and writes first goes by its body, which is the same for whoever calls it from where.
  image::far()->run(team.processes, run_here, &region, sizeof region, reinterpret_cast<const void*>(team.body));
}

void end_there(const void* site) noexcept {
  if (image::process() == 0) {
    image::far()->release();
    finish_there({.why = ThreadWaits::kProcesses, .site = site});
  }
  note_far_region(nullptr, 0, 0, 0);
}

// Other processes have nothing to do before the first region.
void** far_word() noexcept { return image::far() != nullptr ? word_of_all() : nullptr; }

int usual_threads_of_all() noexcept {
  int all = 0;
  for (int k = 0; image::far() != nullptr && k < image::processes(); ++k) {
    all += image::far()->usual_threads(k);
  }
  return all;
}

}  // namespace weft::omp
