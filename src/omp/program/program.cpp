#include "omp/program/program.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "base/lines.hpp"
#include "base/option_table.hpp"
#include "base/options.hpp"
#include "boot/ticket.hpp"
#include "coll/barrier.hpp"
#include "coll/start.hpp"
#include "dsm/advice.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/start.hpp"
#include "dsm/state.hpp"
#include "dsm/windows.hpp"
#include "job/attach.hpp"
#include "job/exit.hpp"
#include "job/front_end.hpp"
#include "job/node.hpp"
#include "job/start.hpp"
#include "omp/far/far.hpp"
#include "omp/program/apart.hpp"
#include "omp/program/atomics.hpp"
#include "omp/program/builds.hpp"
#include "omp/program/callers.hpp"
#include "omp/program/carried.hpp"
#include "omp/program/faults.hpp"
#include "omp/program/files.hpp"
#include "omp/program/heap.hpp"
#include "omp/program/letters.hpp"
#include "omp/program/mapping.hpp"
#include "omp/program/mappings.hpp"
#include "omp/program/once.hpp"
#include "omp/program/stacks.hpp"
#include "omp/program/statics.hpp"
#include "omp/program/threads.hpp"
#include "omp/program/units.hpp"
#include "os/mapping.hpp"
// After base/option_table.hpp.
#include "api/shared/options.inc"

namespace weft::omp::program {
namespace {

constexpr const char* kName = "OpenMP";

// Of WEFT_SHARED_BY (api/shared/options.def).
constexpr int kAutomatically = 0;
constexpr int kByMemory = 1;
constexpr int kByPages = 2;
// And of WEFT_SHARED_HOMES.
constexpr int kLearnedHomes = 0;

constinit bool g_dismissed = false;          // process 0 has said that the program ends
constinit std::atomic<bool> g_left = false;  // relaxed: threads of the program may be made meanwhile
// Each process has copies of pages, and the OpenMP library's state to itself (omp/far).
constinit bool g_by_pages = false;
// What its pages have cost.
constinit bool g_tells = false;
constinit Table g_table{};
constinit std::atomic<bool> g_begun = false;

constinit job::FrontEnd g_front_end{
    .interface = boot::Interface::kSharedPages,
    .needs = {.network = true},
    .words = {.interface = kName,
              .library = "libweft_image.so",
              .begin = "the start of the program",
              .end = "its end",
              .allocate = "malloc",
              .member = "process"},
    .symbol = kFindTable,
    .name_of = [](job::CallNumber /*call*/) noexcept { return kName; },
    .opening =
        [](transport::Transport* network) noexcept {
          dsm::opening(network);
          far::opening(network);
        },
    .forked = dsm::leave_after_fork,
    .why_fault = why_fault,
};

base::Result<void> start(const base::Options& options, const api::shared::Options& own) noexcept {
  if (own.size.value > dsm::kMostBytes || own.size.value < dsm::kPageBytes) {
    return base::Error::make("WEFT_SHARED_SIZE=%llu is not between %zu bytes and %llu GiB",
                             static_cast<unsigned long long>(own.size.value), dsm::kPageBytes,
                             static_cast<unsigned long long>(dsm::kMostBytes >> 30));
  }
  if (const auto started = coll::start(g_front_end, options); !started) {
    return started;
  }
  if (const auto met = coll::meet_all(options); !met) {
    return met;
  }
  if (const auto begun = dsm::begin({.bytes = own.size.value,
                                     .option = "WEFT_SHARED_SIZE",
                                     .by_memory = own.by.choice == kByMemory,
                                     .by_pages = own.by.choice == kByPages,
                                     .renewal = static_cast<dsm::protocol::Renewal>(own.protocol.choice + 1),
                                     .learn_homes = own.homes.choice == kLearnedHomes,
                                     .profile = options.profile.value,
                                     .of_openmp = true,
                                     .code = has_code_on_stacks(),
                                     .crowd = true,
                                     .is_closed = is_closed});
      !begun) {
    return begun;
  }
  g_by_pages = dsm::g.way == dsm::Way::kPages;
  if (g_by_pages) {
    far::begin();
    coll::barrier();
  }
  return share_statics(job::node().me, !g_by_pages);
}

// Of a machine's processors, when a process is not bound to some.
int processors_here() noexcept {
  const job::Node& node = job::node();
  cpu_set_t mine;
  const auto all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const int bound = ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : all;
  return std::max(1, bound < all ? bound : all / node.n_local);
}

// A program's own malloc comes first, and its memory would be each process's.
bool is_of_this_library(const void* function) noexcept {
  Dl_info theirs{};
  Dl_info ours{};
  return function != nullptr && ::dladdr(function, &theirs) != 0 && ::dladdr(&g_table, &ours) != 0 &&
         theirs.dli_fbase == ours.dli_fbase;
}

void start_there(void* argument) noexcept {
  auto* const birth = static_cast<Birth*>(argument);
  if (!start_here(*birth)) {
    base::fail(kName, "cannot start a thread with a stack of %zu KiB in process %d; lower OMP_STACKSIZE or raise %s",
               birth->stack_bytes >> 10, job::node().me, "WEFT_SHARED_SIZE");
  }
  (void)dsm::release_block(birth);
}

bool start_thread(int process, void* (*body)(void*), void* argument, std::size_t stack_bytes) noexcept {
  const std::size_t bytes = os::round_up(stack_bytes, os::kPage);
  if (process == job::node().me) {
    return start_here({body, argument, bytes});
  }
  auto* const birth = static_cast<Birth*>(dsm::allocate(sizeof(Birth), 16));
  if (birth == nullptr) {
    return false;
  }
  *birth = {body, argument, bytes};
  if (job::node().me == 0) {
    carry_by_memory();
  }
  send(process, start_there, birth);
  return true;
}

void run_there(int processes, void (*body)(void*), void* argument, std::size_t bytes, const void* site) noexcept {
  const far::Carry carry{std::bit_cast<std::uint64_t>(modes_here()), carry_from_here(carried_things())};
  open_guards();
  far::run(processes, body, argument, bytes, site, carry);
}

void run_in_all(void (*body)(void*), void* argument) noexcept {
  run_there(job::node().n_pes, body, argument, 0, nullptr);
  far::table().finish({nullptr, [](void* /*self*/) noexcept {}}, nullptr);
}

void map_now(const weft_omp_mapping& directive, bool alone) noexcept {
  map_array(directive, alone, [](void (*there)(void*), void* argument, void (*here)(void*) noexcept) noexcept {
    run_there(job::node().n_pes, there, argument, 0, nullptr);
    here(argument);
    far::table().finish({nullptr, [](void* /*self*/) noexcept {}}, nullptr);
  });
}

// All have heard that the program ends, and this process's destructors have run: they may look for pages of others, who
// are to be there yet. What is shared stays, and so does the job that would take it along: the
// caller's stack is in it, and destructors and the C library's last lines still read it.
void leave() noexcept {
  g_left.store(true, std::memory_order_relaxed);
  share_no_more();
  dsm::release();
  dsm::rest();
  if (g_tells) {
    dsm::tell_counts("processes");
  }
  coll::meet_at_finalize();
  job::mark(boot::Phase::kFinalised);
}

// Several processes of one machine are for its NUMA nodes, and for trying out. Who says by what they share knows that.
void tell_of_threads(bool is_said) noexcept {
  const job::Node& node = job::node();
  if (is_said || node.me != 0 || node.n_local == 1 || ::access("/sys/devices/system/node/node1", F_OK) == 0) {
    return;
  }
  base::say(kName,
            "%d processes are on one machine, where one with as many threads is faster; give each machine one process, "
            "or WEFT_SHARED_BY=%s, and this line is not said",
            node.n_local, g_by_pages ? "pages" : "memory");
}

// A region that has just ended may not have let all of them go yet; one in which a thread calls exit never does.
bool all_become_idle() noexcept {
  if (g_by_pages) {
    return far::all_are_idle();
  }
  return all_have_run();
}

}  // namespace

bool has_begun() noexcept { return g_begun.load(std::memory_order_relaxed); }
bool has_left() noexcept { return g_left.load(std::memory_order_relaxed); }

bool come(char** argv) noexcept {
  const auto options = api::shared::read_options();
  // In a job of one machine somebody has to answer while the program computes.
  g_front_end.needs.agent = options && options->by.choice == kByPages;
  if (options && options->size.value <= dsm::kMostBytes) {
    g_front_end.needs.own_bytes = dsm::own_bytes(options->size.value);
  }
  job::attach(argv, g_front_end);
  if (job::g_process.attach_failed) {
    base::fail(kName, "%s", job::g_process.attach_error.text());
  }
  return job::node().job != nullptr && job::node().n_pes > 1;
}

void begin() noexcept {
  const auto options = base::read_options();
  if (!options) {
    base::fail(kName, "%s", options.error().text());
  }
  const auto own = api::shared::read_options();
  if (!own) {
    base::fail(kName, "%s", own.error().text());
  }
  if (const auto same = compare_builds(); !same) {
    base::fail(kName, "%s", same.error().text());
  }
  if (const auto started = start(*options, *own); !started) {
    base::fail(kName, "%s", started.error().text());
  }
  const job::Node& node = job::node();
  if (!begin_letters()) {
    base::fail(kName, "no shared memory is left for the program; raise WEFT_SHARED_SIZE");
  }
  find_private_code(g_by_pages);
  if (!is_of_this_library(::dlsym(RTLD_DEFAULT, "malloc"))) {
    base::fail(
        kName,
        "the program has a malloc of its own, whose memory its processes would not share; link it without, or set "
        "WEFT_OPENMP=apart");
  }
  g_tells = own->stats.on;
  constexpr std::int64_t kMostThreads = 4096;
  const std::int64_t of_each = std::max<std::int64_t>(own->openmp_threads.value, 0);
  if (own->openmp_threads.value == 0 || of_each > kMostThreads) {
    base::fail(kName, "WEFT_OMP_THREADS=%lld: give a whole number from 1 to %lld, or auto",
               static_cast<long long>(own->openmp_threads.value), static_cast<long long>(kMostThreads));
  }
  begin_files();
  begin_units();
  begin_mappings();
  keep_private_memory_apart(node.me, node.n_pes);
  map_arrays(own->openmp_map.value);
  share_heap();
  if (dsm::g.way == dsm::Way::kPages) {
    if (const auto carried = carry_atomics(); !carried) {
      base::fail(kName, "%s", carried.error().text());
    }
  }
  g_table = {
      .layout = kTableLayout,
      .process = node.me,
      .processes = node.n_pes,
      .shared_bytes = own->size.value,
      .threads_of_each = static_cast<int>(of_each),
      .everywhere = g_by_pages ? run_in_all : have_all_run,
      .barrier = []() noexcept { dsm::barrier(); },
      .release = []() noexcept { dsm::release(); },
      .acquire = [](const void* site, bool locked) noexcept { dsm::acquire(dsm::site_of(site), locked); },
      .allocate = [](std::size_t bytes, std::size_t alignment) noexcept { return dsm::allocate(bytes, alignment); },
      .free = [](void* block) noexcept { (void)dsm::release_block(block); },
      .is_shared = [](const void* at) noexcept { return dsm::holds(at, 1) || is_shared_static(at); },
      .stack = make_stack,
      .start_thread = start_thread,
      .far = nullptr,
      .threads = boot::claim_threads(node.job, node.local),
      .map = map_now,
      .home_of = home_of};
  if (g_table.threads != nullptr) {
    const boot::ThreadsBy by = g_by_pages ? boot::ThreadsBy::kPages : boot::ThreadsBy::kMemory;
    g_table.threads->by.store(static_cast<std::uint32_t>(by), std::memory_order_relaxed);
  }
  if (g_by_pages) {
    static constinit far::Table far_table{};
    far_table = far::table();
    far_table.run = run_there;
    g_table.far = &far_table;
    far::tell_threads(of_each != 0 ? static_cast<int>(of_each) : processors_here());
  }
  tell_of_threads(own->by.choice != kAutomatically);
  // Relaxed: there is one thread.
  g_begun.store(true, std::memory_order_relaxed);
}

namespace {

int serve_by_pages() noexcept {
  for (;;) {
    const far::Message wanted = far::next_wanted();
    auto* const body = reinterpret_cast<void (*)(void*)>(wanted.a);
    if (body == nullptr) {
      g_dismissed = true;
      return 0;
    }
    dsm::acquire(wanted.c);
    take_modes(std::bit_cast<Modes>(wanted.token));
    carry_to_here(carried_things(), wanted.version);
    body(reinterpret_cast<void*>(wanted.b));
    far::tell_done();
  }
}

}  // namespace

int serve() noexcept {
  if (g_by_pages) {
    return serve_by_pages();
  }
  for (;;) {
    const Letter wanted = next_letter();
    if (wanted.body == nullptr) {
      g_dismissed = true;
      return 0;
    }
    wanted.body(wanted.argument);
    if (wanted.body != start_there) {
      note_run();
    }
  }
}

void end_at_exit(int status, void* /*unused*/) {
  if (job::g_process.forked || job::g_process.leaving || has_left()) {
    return;
  }
  (void)std::fflush(nullptr);
  if (g_dismissed) {
    leave();
    return;
  }
  if (job::node().me != 0 || status != 0 || !all_become_idle()) {
    job::ask_all_to_exit(status);
    return;
  }
  if (g_by_pages) {
    far::run(job::node().n_pes, nullptr, nullptr, 0, nullptr, {});
  } else {
    for (int process = 1; process < job::node().n_pes; ++process) {
      send(process, nullptr, nullptr);
    }
  }
  leave();
}

}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" const weft::omp::program::Table* weft_omp_image() {
  using namespace weft::omp::program;
  return g_begun.load(std::memory_order_relaxed) ? &g_table : nullptr;
}
#pragma GCC visibility pop
