#include "check/tool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "check/agreement.hpp"
#include "check/blocks.hpp"
#include "check/board.hpp"
#include "check/faults.hpp"
#include "check/handles.hpp"
#include "check/leaks.hpp"
#include "check/locks.hpp"
#include "check/memory.hpp"
#include "check/operands.hpp"
#include "check/ops.hpp"
#include "check/report.hpp"
#include "interpose/real.hpp"

// By this libweft.so knows that the library is there (job/tools.cpp).
extern "C" [[gnu::visibility("default")]] const char weft_check_tool;
extern "C" const char weft_check_tool = 1;

namespace weft::check {
namespace {

using api::Op;

struct State {
  std::atomic<pid_t> process = 0;  // not zero while initialised; a forked child is another
  std::atomic<int> inside = 0;     // threads in calls, where only one may be
  int inits = 0;
  int me = 0;
  int n_pes = 1;
  int level = SHMEM_THREAD_SINGLE;
  pthread_t thread{};  // that called shmem_init
};
State g_state;

thread_local const Invocation* t_call = nullptr;

// Answers of the library about itself: any thread may ask, whatever the level.
bool is_query(Op op) noexcept {
  switch (op) {
    case Op::my_pe:
    case Op::n_pes:
    case Op::query_initialized:
    case Op::query_thread:
    case Op::info_get_version:
    case Op::info_get_name:
    case Op::pe_accessible:
    case Op::addr_accessible:
    case Op::address_of_peer:
    case Op::team_ptr:
    case Op::team_my_pe:
    case Op::team_n_pes:
    case Op::global_exit:
    case Op::pcontrol:
    case Op::wtime:
    case Op::cache_noop: return true;
    default: return false;
  }
}

bool is_collective(Op op) noexcept {
  switch (op) {
    case Op::barrier_all:
    case Op::sync_all:
    case Op::barrier:
    case Op::sync:
    case Op::team_sync:
    case Op::team_split_strided:
    case Op::team_split_2d:
    case Op::team_destroy:
    case Op::team_barrier_nb:
    case Op::broadcast:
    case Op::broadcast_nb:
    case Op::collect:
    case Op::fcollect:
    case Op::alltoall:
    case Op::alltoall_nb:
    case Op::alltoalls: return true;
    default: return is_reduction(op);
  }
}

// After them all have met, or all PEs of a set have: a good time to look at the blocks.
bool is_meeting(Op op) noexcept {
  switch (op) {
    case Op::barrier_all:
    case Op::sync_all:
    case Op::barrier:
    case Op::sync:
    case Op::team_sync: return true;
    default: return false;
  }
}

bool is_start(Op op) noexcept { return op == Op::init || op == Op::init_thread || op == Op::start_pes; }

// The last finalize is one of the calls that all make alike, so it is compared before.
void about_to_end() noexcept {
  if (g_state.inits != 1) {
    return;
  }
  close_locks();
  Leaks leaks("blocks", "shmem_free");
  // All PEs have the same blocks; one tells.
  for (const Block& block : g_state.me == 0 ? blocks().live() : std::vector<Block>{}) {
    leaks.add(block.made, block.bytes);
  }
  leaks.tell();
  close_handles();
  close_book();
}

void started(const Invocation& call) noexcept {
  int initialised = 0;
  WEFT_REAL(query_initialized)(&initialised);
  if (initialised == 0 || (call.op == Op::start_pes && g_state.inits > 0) || ++g_state.inits > 1) {
    return;
  }
  g_state.me = WEFT_REAL(my_pe)();
  g_state.n_pes = WEFT_REAL(n_pes)();
  g_state.thread = ::pthread_self();
  WEFT_REAL(query_thread)(&g_state.level);
  set_up_board();
  open_book();
  watch_faults();
  g_state.process.store(::getpid(), std::memory_order_release);
  if (call.op == Op::start_pes) {
    // Its finalize is libweft.so's own, at the end of the program, and comes after what is asked for later.
    (void)::on_exit(
        [](int status, void*) {
          if (status == 0 && ready()) {
            about_to_end();
          }
        },
        nullptr);
  }
}

void ended() noexcept {
  if (g_state.inits > 0 && --g_state.inits == 0) {
    forget_board();
    forget_sets();
    g_state.process.store(0, std::memory_order_release);
  }
}

void check_thread(bool alone) noexcept {
  if (g_state.level <= SHMEM_THREAD_FUNNELED && ::pthread_equal(g_state.thread, ::pthread_self()) == 0) {
    report(text("called by another thread than shmem_init, with the thread level %s; ask shmem_init_thread for %s",
                g_state.level == SHMEM_THREAD_SINGLE ? "SHMEM_THREAD_SINGLE" : "SHMEM_THREAD_FUNNELED",
                "SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE"));
  } else if (!alone && g_state.level == SHMEM_THREAD_SERIALIZED) {
    report(
        "called while another thread is in a call, with the thread level SHMEM_THREAD_SERIALIZED; take turns, or ask "
        "shmem_init_thread for SHMEM_THREAD_MULTIPLE");
  }
}

void made_teams(const Invocation& call, long long result) noexcept {
  const std::uint64_t name = next_name(call.team);
  std::uint64_t which = 0;
  for (void* made : {call.made, call.made_too}) {
    ++which;
    if (made == nullptr || result != 0 || *static_cast<shmem_team_t*>(made) == SHMEM_TEAM_INVALID) {
      continue;
    }
    made_team(made, name ^ which);
  }
}

}  // namespace

bool ready() noexcept { return g_state.process.load(std::memory_order_acquire) == ::getpid(); }
int me() noexcept { return g_state.me; }
int n_pes() noexcept { return g_state.n_pes; }
int thread_level() noexcept { return g_state.level; }

weft_support_ranges memory() noexcept {
  weft_support_ranges ranges{};
  interpose::library().memory(&ranges);
  return ranges;
}

const Invocation* current() noexcept { return t_call; }

InCall::InCall(const Invocation& call) noexcept : outer_(t_call), counted_(!is_query(call.op)) {
  t_call = &call;
  if (counted_) {
    const bool alone = g_state.inside.fetch_add(1, std::memory_order_relaxed) == 0;
    if (ready()) {
      check_thread(alone);
    }
  }
}

InCall::~InCall() {
  if (counted_) {
    g_state.inside.fetch_sub(1, std::memory_order_relaxed);
  }
  t_call = outer_;
}

void before(const Invocation& call) noexcept {
  if (!ready()) {
    return;
  }
  check_handles(call);
  check_operands(call);
  if (call.op == Op::set_lock || call.op == Op::test_lock || call.op == Op::clear_lock) {
    before_lock(call);
  }
  // A collective routine on a team that is none: the library says so.
  if (is_collective(call.op)) {
    check_psync(call);
    agree(call);
  }
  if (is_meeting(call.op)) {
    blocks().verify();
  }
  if (call.op == Op::finalize) {
    agree(call);
    about_to_end();
  }
  if (call.op == Op::global_exit) {
    g_state.process.store(0, std::memory_order_release);  // nothing more is looked at
  }
}

void after(const Invocation& call, long long result) noexcept {
  if (is_start(call.op)) {
    started(call);
  }
  if (call.op == Op::finalize) {
    ended();
  }
  if (!ready()) {
    return;
  }
  switch (call.op) {
    case Op::team_split_strided:
    case Op::team_split_2d: made_teams(call, result); break;
    case Op::team_destroy: ended_team(call); break;
    case Op::ctx_create:
    case Op::team_create_ctx:
      if (result == 0) {
        made_context(call);
      }
      break;
    case Op::ctx_get_team: told_team(call); break;
    case Op::ctx_destroy: ended_context(call); break;
    case Op::set_lock: after_lock(call, true); break;
    case Op::test_lock: after_lock(call, result == 0); break;
    case Op::collect: check_collected(call); break;
    default: break;
  }
}

}  // namespace weft::check
