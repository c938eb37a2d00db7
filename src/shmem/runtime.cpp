#include "shmem/runtime.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/options.hpp"
#include "base/report.hpp"
#include "boot/attach.hpp"
#include "boot/cards.hpp"
#include "boot/hold.hpp"
#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "coll/request.hpp"
#include "copy/copy.hpp"
#include "heap/fault.hpp"
#include "heap/fork.hpp"
#include "heap/placement.hpp"
#include "os/executable.hpp"
#include "os/huge_pages.hpp"
#include "os/mapping.hpp"
#include "os/memory_info.hpp"
#include "os/numa.hpp"
#include "os/process.hpp"
#include "pmi/session.hpp"
#include "rma/context.hpp"
#include "rma/network.hpp"
#include "rma/node.hpp"
#include "rma/order.hpp"
#include "rma/shared_area.hpp"
#include "shmem.h"
#include "shmem/crash.hpp"
#include "shmem/inline_window.hpp"
#include "shmem/tools.hpp"

namespace weft::shmem {
namespace {

struct Runtime {
  boot::Attachment attached;
  std::optional<heap::Allocator> book;
  base::Error attach_error;  // told at init: a program that never calls it is none of our business
  bool attach_failed = false;
  bool forked = false;
  bool finalised = false;                        // at least once
  bool leaving = false;                          // in exit(), on behalf of global_exit
  bool finalise_at_exit = false;                 // start_pes was called
  bool managed = false;                          // by mpirun or another that is not oshrun, as the environment says
  int statics_fd = -1;                           // then: a file of this PE's own
  int first_guessed = 0;                         // and: the first PE of this node, as programs may have read it
  bool (*progress)() noexcept = nullptr;         // and: what idle waits do besides watching the others
  std::atomic<int> level = SHMEM_THREAD_SINGLE;  // query_thread may be called at any time from any thread
  int inits = 0;
};

// Plain storage: the constructor below runs before the dynamic initialisation of this library's objects might.
constinit Runtime g_runtime{};

void mark(boot::Phase phase) noexcept {
  // Release: the launcher that sees the phase sees what led to it.
  rma::node().record().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

void tell_launcher_why() noexcept { rma::node().record().said_why.store(1, std::memory_order_relaxed); }

void on_failure() noexcept {
  tell_launcher_why();
  after_failure();
  pmi::abort_job(1, "Weft: a PE failed; its line says why");
}

// A forked child keeps nothing of the job: calls of the library end it with a line.
void in_forked_child() noexcept {
  static constinit boot::PeRecord nobody{};
  g_runtime.forked = true;
  close_window();
  rma::node().ready.store(false, std::memory_order_relaxed);
  rma::node().own_record.store(&nobody, std::memory_order_release);
}

// Output of a PE goes to the launcher through a pipe. Lines are passed on as they are printed, and are not lost when
// the job is ended, as a full buffer would be.
void print_by_lines() noexcept {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode)) {
    (void)std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  }
}

base::Result<void> claim_window() noexcept {
  rma::Node& node = rma::node();
  const boot::JobHeader& job = *node.job;
  const heap::Plan plan{.n_pes = node.n_local,
                        .me = node.local,
                        .data_fd = g_runtime.attached.data_fd,
                        .slot_bytes = job.slot_bytes,
                        .static_offset = job.static_offset,
                        .heap_bytes = job.heap_bytes,
                        .heap_fd = g_runtime.attached.heap_fd,
                        .heap_slot_bytes = job.heap_slot_bytes,
                        .advise_huge = job.pages == static_cast<std::uint32_t>(base::HugePages::kThp),
                        .statics_fd = g_runtime.statics_fd,
                        .open_statics = pmi::open_statics};
  const os::Executable exe = os::find_executable();
  const auto claimed = g_runtime.managed ? node.window.settle(plan) : node.window.claim(plan, exe);
  // After a wrong guess programs go on to see no PE in the window, and every operation comes to the library.
  if (claimed && (!g_runtime.managed || node.first_here == g_runtime.first_guessed)) {
    describe_window(node);
  }
  if (claimed && node.n_pes > 1) {
    // Relaxed, as the next line: the barrier of shmem_init publishes it.
    node.record().program.store(os::program_identity(), std::memory_order_relaxed);
    node.record().program_base.store(exe.bias, std::memory_order_relaxed);
    node.record().program_end.store(exe.highest, std::memory_order_relaxed);
    node.record().static_begin.store(node.window.statics().lo, std::memory_order_relaxed);
    node.record().static_bytes.store(node.window.statics().bytes(), std::memory_order_relaxed);
    if (!g_runtime.managed) {
      heap::watch_forks(node.window, in_forked_child);
    }
  }
  return claimed;
}

// A PE of another launcher than oshrun: nothing is known yet of the job, and there may never be one. The static data
// moves into a file of this PE's own, because later it would be too late, and addresses are reserved for as many PEs
// and as large a heap as there may be, because programs take them for constant.
base::Result<void> claim_window_for_manager(const pmi::Prospect& prospect) noexcept {
  const auto options = base::read_options();
  if (!options) {
    return options.error();
  }
  // One PE, and no bound of memory: no job has more.
  const auto most_heap = base::heap_bytes_per_pe(*options, 1, {});
  if (!most_heap) {
    return most_heap.error();
  }
  const os::Executable exe = os::find_executable();
  const auto file = os::make_memory_file("weft-statics", exe.data_hi - exe.data_lo);
  if (!file) {
    return file.error();
  }
  (void)::fcntl(*file, F_SETFD, FD_CLOEXEC);
  g_runtime.managed = true;
  g_runtime.statics_fd = *file;
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  rma::Node& node = rma::node();
  const auto claimed = node.window.claim(
      {.n_pes = prospect.most_pes, .heap_bytes = os::round_up(*most_heap, kHugePage), .statics_fd = *file}, exe);
  if (claimed) {
    heap::watch_forks(node.window, in_forked_child);
    node.first_here = g_runtime.first_guessed = prospect.first_here;
    describe_window(node);
  }
  return claimed;
}

// Huge pages were asked for: says what was got, once memory has been touched.
void report_huge_pages() noexcept {
  const rma::Node& node = rma::node();
  if (node.job->pages == static_cast<std::uint32_t>(base::HugePages::kOff) || !base::debug_on()) {
    return;
  }
  const os::HugeUse use = os::huge_use(node.window.heap().lo);
  base::debug("symmetric heap: %zu of %zu MiB in use have huge pages", use.huge >> 20, use.resident >> 20);
}

// Whatever WEFT_NUMA says: that the first touch put a page far away shows here too.
void report_nodes() noexcept {
  if (!base::debug_on()) {
    return;
  }
  const heap::Range heap = rma::node().window.heap();
  const auto use = os::node_use(heap.lo, heap.hi);
  char text[os::kNodeTextSize];
  base::debug("symmetric heap: %s", use ? os::node_text(*use, text) : use.error().text());
}

// The kernel's own setting decides about transparent huge pages; where it rules them out the user should know.
void warn_of_huge_pages() noexcept {
  const rma::Node& node = rma::node();
  if (node.me == 0 && node.job->pages == static_cast<std::uint32_t>(base::HugePages::kThp)) {
    const auto possible = os::transparent_huge_pages(node.n_local > 1);
    if (!possible) {
      base::say(nullptr, "WEFT_HUGE_PAGES=thp: %s", possible.error().text());
    }
  }
}

// Where the PEs of this node are numbered one after another, as they usually are.
void find_run(rma::Node& node) noexcept {
  node.first_here = node.me - node.local;
  node.run_here = static_cast<unsigned>(node.n_local);
  for (int number = 0; node.job->n_nodes > 1 && number < node.n_local; ++number) {
    const int pe = node.first_here + number;
    const bool exists = pe >= 0 && pe < node.n_pes;
    const boot::PeerCard* card = exists ? boot::peer_card(node.job, pe) : nullptr;
    if (card == nullptr || card->node != node.job->node || card->local != static_cast<std::uint32_t>(number)) {
      node.run_here = 0;
      return;
    }
  }
}

void join(const boot::Attachment& attached) noexcept {
  g_runtime.attached = attached;
  rma::Node& node = rma::node();
  node.job = attached.job;
  node.own_record.store(attached.record, std::memory_order_release);
  node.me = attached.me;
  node.n_pes = static_cast<int>(attached.job->job_pes);
  node.local = attached.local;
  node.n_local = static_cast<int>(attached.job->n_pes);
  find_run(node);
  node.crowded = node.n_local > static_cast<int>(attached.job->cpus);
  rma::set_up_teams();
}

void attach_failed(const base::Error& error) noexcept {
  g_runtime.attach_error = error;
  g_runtime.attach_failed = true;
}

// Before main, so before any thread of the program and any use of its data: the static data moves into shared memory.
// glibc gives constructors what main gets.
[[gnu::constructor]] void attach_before_main(int /*argc*/, char** argv) {
  if (const auto loaded = load_tools(argv); !loaded) {
    attach_failed(loaded.error());
  }
  if (!boot::started_in_a_job()) {
    if (const pmi::Prospect prospect = pmi::look_ahead(); prospect.most_pes > 1) {
      if (const auto claimed = claim_window_for_manager(prospect); !claimed) {
        attach_failed(claimed.error());
      }
    }
    return;
  }
  const auto attached = boot::attach_to_job();
  if (!attached) {
    attach_failed(attached.error());
    return;
  }
  if (attached->job == nullptr) {
    return;  // a helper program of a PE: alone
  }
  join(*attached);
  base::set_reporting_pe(attached->me);
  base::set_failure_hook(on_failure);
  tell_where_calls_fail();
  print_by_lines();
  const auto claimed = claim_window();
  if (!claimed) {
    attach_failed(claimed.error());
  }
  boot::hold_for_debugger(*attached->record);
}

base::Result<void> attach_without_launcher(const base::Options& options) noexcept {
  pmi::tell_of_missing_manager();
  const os::MemoryInfo memory = os::memory_info();
  const base::MemoryBound bound{memory.bytes, memory.is_container, os::kPage};
  const auto heap_bytes = base::heap_bytes_per_pe(options, 1, bound);
  if (!heap_bytes) {
    return heap_bytes.error();
  }
  const auto attached = boot::attach_alone(*heap_bytes);
  if (!attached) {
    return attached.error();
  }
  // Alone the heap is private memory, which the pool of reserved huge pages does not back.
  attached->job->pages = static_cast<std::uint32_t>(options.pages() == base::HugePages::kOff ? base::HugePages::kOff
                                                                                             : base::HugePages::kThp);
  join(*attached);
  base::set_failure_hook(after_failure);
  tell_where_calls_fail();
  if (options.version.on) {
    base::print_version(stdout);
  }
  if (options.info.on) {
    base::print_info(stdout);
  }
  return claim_window();
}

// on_exit, and registered before the program's own handlers can be: so it runs after them.
void leave_manager_at_exit(int status, void* /*unused*/) {
  if (g_runtime.forked) {
    return;
  }
  const rma::Node& node = rma::node();
  if (g_runtime.leaving || status != 0) {
    (void)std::fflush(stdout);
    pmi::abort_job(status, g_runtime.leaving ? "Weft: shmem_global_exit" : "Weft: a PE exited with an error");
  } else if (!node.ready.load(std::memory_order_relaxed) || node.job->n_nodes == 1) {
    // On one node those that wait for a PE which left without shmem_finalize find out. Between nodes the launcher has
    // to, for which it must not be told that all is well.
    pmi::leave_job();
  }
}

// Nobody but the PEs themselves looks after a job that oshrun has not started.
void end_for_lost_pe(int local) noexcept {
  const rma::Node& node = rma::node();
  std::uint32_t nobody = 0;
  // Relaxed: only one is to tell.
  if (!node.job->exit_request.compare_exchange_strong(nobody, boot::kExitAsked | 1U, std::memory_order_relaxed)) {
    return;
  }
  int pe = 0;
  while (node.here(pe) != local) {
    ++pe;
  }
  base::fail(rma::current_call(), "PE %d (pid %d) has ended without shmem_finalize; ending the job", pe,
             boot::pe_record(node.job, local)->pid.load(std::memory_order_relaxed));
}

bool progress_and_watch() noexcept {
  if (const int lost = pmi::find_lost_pe(); lost >= 0) {
    end_for_lost_pe(lost);
  }
  return g_runtime.progress();
}

base::Result<void> attach_by_manager(const base::Options& options) noexcept {
  const auto attached = pmi::join_job(options, g_runtime.statics_fd);
  if (!attached) {
    return attached.error();
  }
  join(*attached);
  base::set_failure_hook(on_failure);
  tell_where_calls_fail();
  print_by_lines();
  (void)::on_exit(leave_manager_at_exit, nullptr);
  if (attached->me == 0 && options.version.on) {
    base::print_version(stdout);
  }
  if (attached->me == 0 && options.info.on) {
    base::print_info(stdout);
  }
  return claim_window();
}

// Where no PE has several threads each makes its calls one after another, and those that all make, all make in the same
// order.
bool threads_on_node() noexcept {
  const rma::Node& node = rma::node();
  for (int number = 0; number < node.n_local; ++number) {
    if (rma::shared_pe(node.job, number).threads.load(std::memory_order_relaxed) != 0) {
      return true;
    }
  }
  return false;
}

// After the barrier of shmem_init: only then has every PE said which program it runs.
void hide_other_programs() noexcept {
  rma::Node& node = rma::node();
  for (int pe = 0; pe < node.n_pes; ++pe) {
    const int number = node.here(pe);
    if (number < 0 || rma::same_program(pe)) {
      continue;
    }
    // The others are past their barrier: too late for a shmem_init that fails.
    const auto hidden = node.window.hide_statics_of(number);
    if (!hidden) {
      base::fail(rma::current_call(), "%s", hidden.error().text());
    }
  }
}

base::Result<void> start(const base::Options& options, int requested_level) noexcept {
  rma::Node& node = rma::node();
  if (g_runtime.attach_failed) {
    return g_runtime.attach_error;
  }
  base::set_debug(options.debug.on);
  if (node.job == nullptr) {
    const auto attached = g_runtime.managed ? attach_by_manager(options) : attach_without_launcher(options);
    if (!attached) {
      return attached;
    }
  }
  node.patience =
      sync::patience_for(node.n_local, static_cast<int>(node.job->cpus), options.spin.value, options.sleep_after.value);
  coll::set_up(options);
  if (const auto copies = copy::choose(static_cast<copy::Choice>(options.copy.choice)); !copies) {
    return copies;
  }
  base::Result<void> mapped;
  if (pmi::joined()) {
    g_runtime.progress = node.patience.idle;
    node.patience.idle = progress_and_watch;
    mapped = pmi::check_files(g_runtime.attached);
  } else if (g_runtime.attached.data_fd >= 0) {
    mapped = boot::reopen_files(&g_runtime.attached);
    node.window.set_files(g_runtime.attached.data_fd, g_runtime.attached.heap_fd);
  }
  if (mapped) {
    mapped = node.window.map_heap();
  }
  if (mapped) {
    mapped = heap::place(node.window.heap(), options.placement(),
                         node.job->pages == static_cast<std::uint32_t>(base::HugePages::kHugetlb));
  }
  if (mapped) {
    mapped = node.window.map_peers();
  }
  if (mapped) {
    mapped = rma::open_network(pmi::joined() ? pmi::exchange_cards : boot::exchange_cards);
  }
  if (!mapped) {
    node.window.unmap_all();  // the program may try again
    return mapped;
  }
  g_runtime.book.emplace(node.job->heap_bytes);
  tell_of_crashes();
  open_window(node);
  node.ready.store(true, std::memory_order_relaxed);
  mark(boot::Phase::kInitialised);
  base::debug("window 0x%zx + %zu MiB, heap %zu MiB at 0x%zx, static data %zu KiB at 0x%zx, %u processors, %s",
              node.window.lo(), node.window.span() >> 20, node.window.heap().bytes() >> 20, node.window.heap().lo,
              node.window.statics().bytes() >> 10, node.window.statics().lo, node.job->cpus,
              node.crowded ? "more PEs than processors" : "a processor for each PE");
  warn_of_huge_pages();
  // Relaxed: the barrier publishes it.
  rma::shared_pe(node.job, node.local)
      .threads.store(requested_level == SHMEM_THREAD_MULTIPLE ? 1 : 0, std::memory_order_relaxed);
  // Every PE has moved its static data and mapped its heap before anybody writes to them.
  coll::meet_at_init();
  if (pmi::joined() && node.job->n_nodes > 1) {
    if (const auto watched = pmi::watch_node(end_for_lost_pe); !watched) {
      base::say(rma::current_call(), "%s", watched.error().text());
    }
  }
  coll::agree(options);
  node.sets_in_order = !coll::on_any_pe(threads_on_node());
  hide_other_programs();
  return {};
}

// on_exit and not atexit: the status tells a program that ends in error, which must not wait for the others.
void finalise_at_exit(int status, void* /*unused*/) {
  const rma::Node& node = rma::node();
  if (node.ready.load(std::memory_order_relaxed) && status == 0 && !g_runtime.forked && !g_runtime.leaving) {
    g_runtime.inits = 1;
    finalise();
  }
}

}  // namespace

int initialise(int requested_level, int* provided_level) noexcept {
  if (requested_level < SHMEM_THREAD_SINGLE || requested_level > SHMEM_THREAD_MULTIPLE) {
    base::say(rma::current_call(), "thread level %d is none of SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE",
              requested_level);
    return 1;
  }
  if (g_runtime.forked) {
    base::fail(rma::current_call(), "called in a forked child; only the process oshrun started is a PE");
  }
  if (g_runtime.inits == 0) {
    const auto options = base::read_options();
    const base::Result<void> started = options ? start(*options, requested_level) : base::Result<void>(options.error());
    if (!started) {
      base::say(rma::current_call(), "%s", started.error().text());
      tell_launcher_why();
      pmi::abort_job(1, "Weft: shmem_init failed");  // the others wait for this PE
      return 1;
    }
    // Nothing here is cheaper at a lower level, so every level is granted as asked.
    g_runtime.level.store(requested_level, std::memory_order_relaxed);
  }
  ++g_runtime.inits;
  *provided_level = thread_level();
  return 0;
}

void finalise() noexcept {
  if (g_runtime.inits == 0 && g_runtime.finalised) {
    // One too many. The standard wants as many finalizes as inits, but old programs finalize twice, and nothing is left
    // that this could harm.
    base::debug("%s: called again after the last finalize; ignored", rma::current_call());
    return;
  }
  rma::need_ready();
  rma::quiet();
  if (g_runtime.inits > 1) {
    --g_runtime.inits;
    coll::barrier();
    return;
  }
  coll::finish_requests();
  rma::destroy_all_contexts();
  coll::meet_at_finalize();
  rma::close_network();
  rma::delete_all_teams();
  rma::Node& node = rma::node();
  report_huge_pages();
  report_nodes();
  close_window();
  node.ready.store(false, std::memory_order_relaxed);
  node.window.unmap_all();
  g_runtime.book.reset();
  g_runtime.inits = 0;
  g_runtime.finalised = true;
  mark(boot::Phase::kFinalised);
}

void initialise_until_exit() noexcept {
  if (g_runtime.inits > 0) {
    return;
  }
  int provided = 0;
  if (initialise(SHMEM_THREAD_SINGLE, &provided) != 0) {
    ::_exit(1);
  }
  if (!g_runtime.finalise_at_exit) {
    g_runtime.finalise_at_exit = true;
    (void)::on_exit(finalise_at_exit, nullptr);
  }
}

void exit_job(int status) noexcept {
  rma::need_ready();
  g_runtime.leaving = true;
  std::uint32_t nobody = 0;
  // Release: the launcher that sees the request may end everybody at once. The first PE's status counts.
  rma::node().job->exit_request.compare_exchange_strong(nobody,
                                                        boot::kExitAsked | (static_cast<std::uint32_t>(status) & 0xffU),
                                                        std::memory_order_release, std::memory_order_relaxed);
  if (const std::int32_t launcher = rma::node().job->launcher_pid; launcher > 0) {
    (void)::kill(launcher, SIGCHLD);  // it looks at the job at once, should the exit below take long
  }
  std::exit(status);
}

int thread_level() noexcept { return g_runtime.level.load(std::memory_order_relaxed); }

heap::Allocator& book() noexcept { return *g_runtime.book; }

}  // namespace weft::shmem
