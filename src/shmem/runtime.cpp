#include "shmem/runtime.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/options.hpp"
#include "base/report.hpp"
#include "boot/cards.hpp"
#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "coll/request.hpp"
#include "copy/copy.hpp"
#include "heap/fault.hpp"
#include "heap/placement.hpp"
#include "pmi/session.hpp"
#include "rma/context.hpp"
#include "rma/lock_table.hpp"
#include "rma/network.hpp"
#include "rma/node.hpp"
#include "rma/notes.hpp"
#include "rma/order.hpp"
#include "rma/shared_area.hpp"
#include "shmem.h"
#include "shmem/attach.hpp"
#include "shmem/crash.hpp"
#include "shmem/foreign.hpp"
#include "shmem/inline_window.hpp"
#include "shmem/pages.hpp"
#include "shmem/tools.hpp"

namespace weft::shmem {
namespace {

struct Runtime {
  std::optional<heap::Allocator> book;
  bool finalised = false;                        // at least once
  bool finalise_at_exit = false;                 // start_pes was called
  std::atomic<int> level = SHMEM_THREAD_SINGLE;  // query_thread may be called at any time from any thread
  int inits = 0;
};

constinit Runtime g_runtime{};

void mark(boot::Phase phase) noexcept {
  // Release: the launcher that sees the phase sees what led to it.
  rma::node().record().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

bool find_block(std::uint64_t offset, rma::BlockNote* note) noexcept {
  const auto found = g_runtime.book ? g_runtime.book->block_around(offset) : std::nullopt;
  if (found) {
    *note = {found->offset, found->bytes, found->giver.site, static_cast<api::Call>(found->giver.call)};
  }
  return found.has_value();
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

// Once the network is open, for adapters want the whole heap to be there when they are told of it.
void keep_back_lock_table(rma::Node& node) noexcept {
  const rma::LockTableBytes bytes =
      node.amo_by_network ? rma::lock_table_bytes(node.job->heap_bytes) : rma::LockTableBytes{};
  if (const auto kept = node.window.keep_back(bytes.guard + bytes.table, bytes.guard); !kept) {
    // Where the heap has huge pages of the system's pool there is none to take away.
    base::debug("no guard before the locks at the end of the heap: %s", kept.error().text());
  }
}

base::Result<void> start(const base::Options& options, int requested_level) noexcept {
  rma::Node& node = rma::node();
  if (g_process.attach_failed) {
    return g_process.attach_error;
  }
  base::set_debug(options.debug.on);
  if (node.job == nullptr) {
    const auto attached = attach_now(options);
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
  watch_others();
  base::Result<void> mapped = reopen_files();
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
    mapped = rma::open_network(options, pmi::joined() ? pmi::exchange_cards : boot::exchange_cards);
  }
  if (!mapped) {
    node.window.unmap_all();  // the program may try again
    return mapped;
  }
  keep_back_lock_table(node);
  g_runtime.book.emplace(node.window.blocks().bytes());
  rma::set_find_block(find_block);
  tell_of_crashes();
  open_window(node);
  node.ready.store(true, std::memory_order_relaxed);
  mark(boot::Phase::kInitialised);
  base::debug("window 0x%zx + %zu MiB, heap %zu MiB at 0x%zx, static data %zu KiB at 0x%zx, %u processors, %s",
              node.window.lo(), node.window.span() >> 20, node.window.heap().bytes() >> 20, node.window.heap().lo,
              node.window.statics().bytes() >> 10, node.window.statics().lo, node.job->cpus,
              node.crowded ? "more PEs than processors" : "a processor for each PE");
  if (const int threads = node.window.threads_at_claim(); threads > 0) {
    base::debug("static data is not symmetric: %d threads ran already when libweft.so was loaded", threads);
  }
  warn_of_huge_pages();
  tell_of_blind_tools();
  if (!g_runtime.finalised) note_mpi();
  // Relaxed: the barrier publishes it.
  rma::shared_pe(node.job, node.local)
      .threads.store(requested_level == SHMEM_THREAD_MULTIPLE ? 1 : 0, std::memory_order_relaxed);
  // Every PE has moved its static data and mapped its heap before anybody writes to them.
  coll::meet_at_init();
  watch_node();
  coll::agree(options);
  node.sets_in_order = !coll::on_any_pe(threads_on_node());
  hide_other_programs();
  return {};
}

// on_exit and not atexit: the status tells a program that ends in error, which must not wait for the others.
void finalise_at_exit(int status, void* /*unused*/) {
  const rma::Node& node = rma::node();
  if (node.ready.load(std::memory_order_relaxed) && status == 0 && !g_process.forked && !g_process.leaving) {
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
  if (g_process.forked) {
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
  report_pages();
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
  g_process.leaving = true;
  const std::uint32_t asked = boot::exit_request(rma::node().me, status);
  // Relaxed: the next line publishes it.
  rma::node().record().presence.exit_asked.store(asked, std::memory_order_relaxed);
  std::uint32_t nobody = 0;
  // Release: the launcher that sees the request may end everybody at once, and sees who has asked. The first PE's
  // status counts.
  rma::node().job->exit_request.compare_exchange_strong(nobody, asked, std::memory_order_release,
                                                        std::memory_order_relaxed);
  if (const std::int32_t launcher = rma::node().job->launcher_pid; launcher > 0) {
    (void)::kill(launcher, SIGCHLD);  // it looks at the job at once, should the exit below take long
  }
  std::exit(status);
}

int thread_level() noexcept { return g_runtime.level.load(std::memory_order_relaxed); }

heap::Allocator& book() noexcept { return *g_runtime.book; }

}  // namespace weft::shmem
