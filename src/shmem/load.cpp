// What the library does when it is loaded: tells the job of this front end, and comes to it.
#include "api/calls.hpp"
#include "base/lines.hpp"
#include "job/attach.hpp"
#include "lock/table.hpp"
#include "progress/work.hpp"
#include "shmem/checks.hpp"
#include "shmem/inline_window.hpp"
#include "shmem/near.hpp"
#include "shmem/runtime.hpp"
#include "shmem/shortage.hpp"
#include "shmem/tools.hpp"

namespace weft::shmem {
namespace {

constinit progress::Poller g_locks{.what = []() noexcept {
  lock::serve_locks();
  return false;
}};

void open_locks(transport::Transport* network) noexcept {
  if (job::node().amo_by_network) {
    if (!lock::open_lock_table(*network)) {
      base::fail(job::current_call(),
                 "no memory for the agent that migrates locks; set WEFT_AMO=cpu if the network allows it");
    }
    progress::add_poller(g_locks);
  }
}

void close_locks() noexcept {
  lock::close_lock_table();
  progress::remove_poller(g_locks);
}

void refuse_calls() noexcept {
  set_ready(false);
  close_window();
  close_near();
}

// Plain data, as the constructor below may come before those of this library's objects.
constinit const job::FrontEnd kFrontEnd{
    .interface = boot::Interface::kOpenShmem,
    .needs = {.statics = job::Statics::kSymmetric, .heap = true, .network = true},
    .words = {.interface = api::words::kInterface,
              .library = "libweft.so",
              .begin = api::words::kBegin,
              .end = api::words::kEnd,
              .exit_all = api::words::kExitAll,
              .allocate = "shmem_malloc",
              .address_of = "shmem_ptr",
              .heap_option = "SHMEM_SYMMETRIC_SIZE"},
    .symbol = "weft_window",
    .tools = tools(),
    .name_of = [](job::CallNumber call) noexcept { return api::call_name(static_cast<api::Call>(call)); },
    .settled = describe_window,
    .opening = open_locks,
    .closing = close_locks,
    .forked = refuse_calls,
    .why_fault = [](std::uintptr_t at) noexcept { return follows_from_shortage(at) ? shortage() : nullptr; },
};

// glibc gives constructors what main gets.
[[gnu::constructor]] void load(int /*argc*/, char** argv) { job::attach(argv, kFrontEnd); }

}  // namespace

const job::FrontEnd& front_end() noexcept { return kFrontEnd; }

}  // namespace weft::shmem
