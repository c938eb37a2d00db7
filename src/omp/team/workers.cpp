#include "omp/team/workers.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/arrived.hpp"
#include "omp/tasks/depend.hpp"
#include "omp/tasks/memory.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/bind.hpp"
#include "omp/team/far.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {

__thread Thread* t_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

pthread_key_t g_ends;
std::atomic<int> g_key{0};  // 0: none, 1: being made, 2: made

struct Initial {
  Thread thread;
  Task task;
  Work work;
};

struct Birth {
  Team* team;
  int number;
  std::uint64_t region;
};

void free_spares(Thread& thread) noexcept { free_tasks(std::exchange(thread.spare_tasks, nullptr)); }

// A thread of the program's own ends that has had regions.
void end_thread(void* given) {
  auto* const initial = static_cast<Initial*>(given);
  (void)let_go(initial->thread);
  free_spares(initial->thread);
  t_thread = nullptr;
  end_notes();
  count_threads(-1);
  std::free(initial);
}

// In a forked child, where no worker is: this thread's regions take new ones. Its teams stay as they are, in memory
// that nobody frees. The region that it has forked in has lost its threads, as with libgomp.
void forget_workers() {
  only_this_thread();
  if (t_thread == nullptr) {
    return;
  }
  Thread& me = *t_thread;
  me.idle_teams = nullptr;
  if (me.at.team == nullptr) {
    // Relaxed, here and elsewhere: only the number counts.
    me.own_group.busy.store(1, std::memory_order_relaxed);
  }
}

void need_key() noexcept {
  int expected = 0;
  if (g_key.compare_exchange_strong(expected, 1, std::memory_order_acq_rel)) {
    (void)::pthread_key_create(&g_ends, end_thread);
    (void)::pthread_atfork(nullptr, nullptr, forget_workers);
    g_key.store(2, std::memory_order_release);
  }
  wait_briefly([] { return g_key.load(std::memory_order_acquire) == 2; });
}

void run_region(Thread& self, Team& team, int number) noexcept {
  Position& at = self.at;
  at.team = &team;
  at.number = team.first + number;
  at.level = team.level;
  at.active_level = team.active_level;
  at.work = team.prepared;
  at.works = team.first_work + (team.prepared != nullptr ? 1 : 0);
  at.singles = team.first_single;
  at.trip = 0;
  at.ticket = kNoTicket;
  self.group = team.group;
  Task& task = team.implicit[number];
  make_implicit(task, team.icv, &team, team.outer_task);
  self.task = &task;
  enter_place(self, team, number);
  if (team.show) {
    show_affinity(self);
  }
  team.body(team.argument);
}

void* work(void* given) {
  const Birth birth = *static_cast<Birth*>(given);
  std::free(given);
  Team& team = *birth.team;
  auto* const memory = static_cast<Initial*>(need_memory(sizeof(Initial), alignof(Initial)));
  auto* const initial = new (memory) Initial;
  Thread& self = initial->thread;
  self.orphan = &initial->work;
  self.worker = true;
  t_thread = &self;
  begin_notes({&team, static_cast<std::uint32_t>(birth.number), team.level, team.primary->id}, tell_position);
  self.id = own_id();
  team.threads[birth.number] = &self;
  std::uint64_t seen = birth.region;
  for (;;) {
    // Sequentially consistent as wait() demands; acquire: what the primary thread wrote for the region.
    const auto called = [&] {
      return team.region.load(std::memory_order_seq_cst) != seen || team.over.load(std::memory_order_seq_cst);
    };
    while (!called()) {
      const bool helps = self.at.team != nullptr;  // it was in the last region, whose tasks may not be done
      wait(team.dock, {.why = ThreadWaits::kRegion},
           [&] { return called() || (helps && team.ready_tasks.load(std::memory_order_seq_cst) != 0); });
      if (helps && !called()) {
        const HasArrived noted(team);
        run_one(self, team, seen);
      }
    }
    if (team.over.load(std::memory_order_relaxed)) {
      break;
    }
    seen = team.region.load(std::memory_order_acquire);
    if (birth.number >= static_cast<int>(seen >> 32)) {
      self.at.team = nullptr;
      continue;
    }
    run_region(self, team, birth.number);
    // Release: what this thread wrote. Sequentially consistent: before the look for sleepers.
    team.joined.fetch_add(1, std::memory_order_seq_cst);
    ring(team.bell);
  }
  (void)let_go(self);
  free_spares(self);
  t_thread = nullptr;
  end_notes();
  count_threads(-1);
  // Release: this thread uses nothing of the team any more.
  team.living.fetch_sub(1, std::memory_order_seq_cst);
  std::free(memory);
  return nullptr;
}

// With several processes, before the first region: unless people say how many, of each process or in all, as many
// threads as there are processors, and of each process one at least. A process that is bound has its part of them.
void count_processors_of_all() noexcept {
  static std::atomic<bool> counted{false};
  const int processes = image::processes();
  if (processes == 1 || counted.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  const int of_each = image::threads_of_each();
  const bool is_said = of_each == 0 && std::getenv("OMP_NUM_THREADS") != nullptr;
  if (const int threads = usual_threads_of_all(); threads != 0) {
    if (!is_said) {
      g_settings.icv.threads = static_cast<unsigned long>(threads);
    }
    set_patience(g_settings.spin_count, g_settings.wait_policy, image::far()->usual_threads(image::process()));
    return;
  }
  if (image::process() != 0) {
    return;
  }
  const auto all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const int here = std::max(1, g_settings.processors);
  const int usual = here < all ? here : std::max(all / processes, 1);
  const int threads = (of_each != 0 ? of_each : usual) * processes;
  if (!is_said) {
    g_settings.icv.threads = static_cast<unsigned long>(threads);
  }
  set_patience(g_settings.spin_count, g_settings.wait_policy, std::min(threads, all));
}

// Threads of the outermost region are spread over the processes, in blocks; those of inner ones stay where they are
// met.
int process_of(const Team& team, int number) noexcept {
  const int processes = image::processes();
  if (team.level > 1 || image::process() != 0 || image::far() != nullptr) {
    return image::process();
  }
  const int usual = static_cast<int>(g_settings.icv.threads);
  const int block = std::max(1, (usual + processes - 1) / processes);
  return number / block < processes ? number / block : number % processes;
}

// What people say, or as the C library has it; but no more than half of the memory that is shared for a team's.
std::size_t stack_bytes(int threads) noexcept {
  if (g_settings.stack_bytes != 0) {
    return g_settings.stack_bytes;
  }
  constexpr std::size_t kLeast = std::size_t{256} << 10;
  std::size_t usual = 0;
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_getstacksize(&attributes, &usual);
  (void)::pthread_attr_destroy(&attributes);
  return std::min(usual, std::max(kLeast, image::shared_bytes() / 2 / static_cast<std::size_t>(threads)));
}

// On stacks that all processes share, as regions' variables are.
void hire_everywhere(Team& team) noexcept {
  count_threads(team.here - team.capacity);
  // A thread that the program has made itself has a stack that only its process sees, and with it the region's
  // variables.
  const bool all_see = image::is_shared(__builtin_frame_address(0));
  for (int number = team.capacity; number < team.here; ++number) {
    auto* const birth =
        new (need_memory(sizeof(Birth))) Birth{&team, number, team.region.load(std::memory_order_relaxed)};
    team.living.fetch_add(1, std::memory_order_relaxed);
    const int process = all_see ? process_of(team, number) : image::process();
    if (!image::start_thread(process, work, birth, stack_bytes(team.size))) {
      die("Thread creation failed: %s", std::strerror(ENOMEM));
    }
  }
  team.capacity = team.here;
}

}  // namespace

Thread& make_thread() noexcept {
  need_key();
  count_processors_of_all();
  auto* const initial = new (need_memory(sizeof(Initial), alignof(Initial))) Initial;
  Thread& thread = initial->thread;
  thread.group = &thread.own_group;
  thread.orphan = &initial->work;
  thread.task = &initial->task;
  make_implicit(initial->task, g_settings.icv, nullptr, nullptr);
  place_initial(thread);
  t_thread = &thread;
  begin_notes({}, tell_position);
  thread.id = own_id();
  static std::atomic<bool> main_is_known{false};
  if (main_is_known.exchange(true, std::memory_order_relaxed)) {
    count_threads(1);  // the first one is counted from the beginning
  }
  (void)::pthread_setspecific(g_ends, initial);
  return thread;
}

void hire(Thread&, Team& team) noexcept {
  if (team.here <= team.capacity) {
    return;
  }
  if (image::processes() > 1) {
    hire_everywhere(team);
    return;
  }
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (g_settings.stack_bytes != 0) {
    (void)::pthread_attr_setstacksize(&attributes, g_settings.stack_bytes);
  }
  count_threads(team.size - team.capacity);
  for (int number = team.capacity; number < team.size; ++number) {
    auto* const birth =
        new (need_memory(sizeof(Birth))) Birth{&team, number, team.region.load(std::memory_order_relaxed)};
    team.living.fetch_add(1, std::memory_order_relaxed);
    pthread_t thread{};
    unbind_birth(&attributes, team, number);
    if (const int error = ::pthread_create(&thread, &attributes, work, birth); error != 0) {
      die("Thread creation failed: %s", std::strerror(error));
    }
  }
  (void)::pthread_attr_destroy(&attributes);
  team.capacity = team.size;
}

void dissolve(Team& team) noexcept {
  team.over.store(true, std::memory_order_seq_cst);
  ring(team.dock);
  // Acquire: nobody uses it any more.
  wait_briefly([&] { return team.living.load(std::memory_order_acquire) == 0; });
  for (int k = 0; k < team.capacity; ++k) {
    forget_dependences(team.implicit[k]);
  }
  for (std::atomic<Task*>& place : team.returned) {
    // Relaxed: its threads are gone.
    free_tasks(place.load(std::memory_order_relaxed));
  }
  std::free(team.implicit);
  std::free(team.threads);
  std::free(team.place_of);
  std::free(team.part_first);
  std::free(&team);
}

bool let_go(Thread& self) noexcept {
  if (self.at.team != nullptr && !self.worker) {
    return false;
  }
  while (Team* const team = self.idle_teams) {
    self.idle_teams = team->next_idle;
    dissolve(*team);
  }
  return true;
}

}  // namespace weft::omp
