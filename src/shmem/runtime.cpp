#include "shmem/runtime.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/lines.hpp"
#include "base/options.hpp"
#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "coll/ongoing.hpp"
#include "coll/sets.hpp"
#include "coll/start.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/exit.hpp"
#include "job/notes.hpp"
#include "job/pages.hpp"
#include "job/start.hpp"
#include "lock/table.hpp"
#include "pmi/session.hpp"
#include "rma/order.hpp"
#include "shmem.h"
#include "shmem/checks.hpp"
#include "shmem/contexts.hpp"
#include "shmem/foreign.hpp"
#include "shmem/inline_window.hpp"
#include "shmem/near.hpp"
#include "shmem/tools.hpp"

namespace weft::shmem {
namespace {

struct Runtime {
  std::optional<memory::Allocator> book;
  bool finalised = false;                        // at least once
  bool finalise_at_exit = false;                 // start_pes was called
  std::atomic<int> level = SHMEM_THREAD_SINGLE;  // query_thread may be called at any time from any thread
  int inits = 0;
};

constinit Runtime g_runtime{};

bool find_block(std::uint64_t offset, job::BlockNote* note) noexcept {
  const auto found = g_runtime.book ? g_runtime.book->block_around(offset) : std::nullopt;
  if (found) {
    *note = {found->offset, found->bytes, found->giver.site, found->giver.call};
  }
  return found.has_value();
}

// Where no PE has several threads each makes its calls one after another, and those that all make, all make in the same
// order.
bool threads_on_node() noexcept {
  const job::Node& node = job::node();
  for (int number = 0; number < node.n_local; ++number) {
    if (job::shared_pe(node.job, number).threads.load(std::memory_order_relaxed) != 0) {
      return true;
    }
  }
  return false;
}

// After the barrier of shmem_init: only then has every PE said which program it runs.
void hide_other_programs() noexcept {
  job::Node& node = job::node();
  for (int pe = 0; pe < node.n_pes; ++pe) {
    const int number = node.here(pe);
    if (number < 0 || job::same_program(pe)) {
      continue;
    }
    // The others are past their barrier: too late for a shmem_init that fails.
    const auto hidden = node.space.hide_statics_of(number);
    if (!hidden) {
      base::fail(job::current_call(), "%s", hidden.error().text());
    }
  }
}

// Once the network is open, for adapters want the whole heap to be there when they are told of it.
void keep_back_lock_table(job::Node& node) noexcept {
  const lock::LockTableBytes bytes =
      node.amo_by_network ? lock::lock_table_bytes(node.job->heap_bytes) : lock::LockTableBytes{};
  if (const auto kept = node.space.keep_back(bytes.guard + bytes.table, bytes.guard); !kept) {
    // Where the heap has huge pages of the system's pool there is none to take away.
    base::debug("no guard before the locks at the end of the heap: %s", kept.error().text());
  }
}

base::Result<void> start(const base::Options& options, int requested_level) noexcept {
  if (const auto started = coll::start(front_end(), options); !started) {
    return started;
  }
  job::Node& node = job::node();
  keep_back_lock_table(node);
  g_runtime.book.emplace(node.space.blocks().bytes());
  job::set_find_block(find_block);
  open_window(node);
  open_near(node);
  set_ready(true);
  base::debug("window 0x%zx + %zu MiB, heap %zu MiB at 0x%zx, static data %zu KiB at 0x%zx, %u processors, %s",
              node.space.lo(), node.space.extent() >> 20, node.space.heap().bytes() >> 20, node.space.heap().lo,
              node.space.statics().bytes() >> 10, node.space.statics().lo, node.job->cpus,
              node.crowded ? "more PEs than processors" : "a processor for each PE");
  if (const int threads = node.space.threads_at_claim(); threads > 0) {
    base::debug("static data is not symmetric: %d threads ran already when libweft.so was loaded", threads);
  }
  job::warn_of_huge_pages();
  job::tell_of_blind_tools(tools());
  if (!g_runtime.finalised) note_mpi();
  // Relaxed: the meeting publishes it.
  job::shared_pe(node.job, node.local)
      .threads.store(requested_level == SHMEM_THREAD_MULTIPLE ? 1 : 0, std::memory_order_relaxed);
  // Every PE has moved its static data and mapped its heap before anybody writes to them.
  if (const auto met = coll::meet_all(options); !met) [[unlikely]] {
    // The others are past it: too late for a shmem_init that fails.
    base::fail(job::current_call(), "%s", met.error().text());
  }
  node.sets_in_order = !coll::on_any_pe(threads_on_node());
  hide_other_programs();
  return {};
}

// on_exit and not atexit: the status tells a program that ends in error, which must not wait for the others.
void finalise_at_exit(int status, void* /*unused*/) {
  if (ready() && status == 0 && !job::g_process.forked && !job::g_process.leaving) {
    g_runtime.inits = 1;
    finalise();
  }
}

}  // namespace

int initialise(int requested_level, int* provided_level) noexcept {
  if (requested_level < SHMEM_THREAD_SINGLE || requested_level > SHMEM_THREAD_MULTIPLE) {
    base::say(job::current_call(), "thread level %d is none of SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE",
              requested_level);
    return 1;
  }
  if (job::g_process.forked) {
    base::fail(job::current_call(), "called in a forked child; only the process oshrun started is a PE");
  }
  if (g_runtime.inits == 0) {
    const auto options = base::read_options();
    const base::Result<void> started = options ? start(*options, requested_level) : base::Result<void>(options.error());
    if (!started) {
      base::say(job::current_call(), "%s", started.error().text());
      job::tell_launcher_why();
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
    base::debug("%s: called again after the last finalize; ignored", job::current_call());
    return;
  }
  need_ready();
  rma::quiet();
  if (g_runtime.inits > 1) {
    --g_runtime.inits;
    coll::barrier();
    return;
  }
  coll::finish_requests();
  destroy_all_contexts();
  coll::meet_at_finalize();
  coll::forget_sets();
  group::delete_all_teams(boot::Interface::kOpenShmem);
  job::report_pages();
  close_window();
  close_near();
  set_ready(false);
  job::stop(front_end());
  g_runtime.book.reset();
  g_runtime.inits = 0;
  g_runtime.finalised = true;
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
  need_ready();
  job::ask_all_to_exit(status);
  std::exit(status);
}

bool finalised() noexcept { return g_runtime.finalised && g_runtime.inits == 0; }

int thread_level() noexcept { return g_runtime.level.load(std::memory_order_relaxed); }

memory::Allocator& book() noexcept { return *g_runtime.book; }

}  // namespace weft::shmem
