#include "check/faults.hpp"

#include <signal.h>

#include "check/blocks.hpp"
#include "check/tail.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"
#include "interpose/site.hpp"

namespace weft::check {
namespace {

struct sigaction g_before;

// The address in this PE's own memory that stands for one in its view of another's, as shmem_ptr gives them.
struct Meant {
  std::uintptr_t at = 0;
  int pe = 0;
};
Meant meant_by(std::uintptr_t at) noexcept {
  const weft_support_ranges ranges = memory();
  for (int pe = 0; pe < n_pes(); ++pe) {
    const auto view = reinterpret_cast<std::uintptr_t>(WEFT_REAL(ptr)(reinterpret_cast<void*>(ranges.heap_lo), pe));
    if (view != 0 && at >= view && at - view < ranges.heap_hi - ranges.heap_lo) {
      return {at - view + ranges.heap_lo, pe};
    }
  }
  return {};
}

// Ends the program where the address is one that is closed.
void explain(const Meant& meant) {
  if (meant.at == 0) {
    return;
  }
  const std::string whose = meant.pe == me() ? "" : text(" on PE %d, by shmem_ptr,", meant.pe);
  if (const auto block = blocks().around(meant.at); block && block->is_freed) {
    report_fault("freed memory" + whose + " was used", text("byte %zu of ", meant.at - block->at) + described(*block),
                 {"it was freed by " + told(block->freed)});
  }
  if (in_tail(meant.at)) {
    const auto before = blocks().before(meant.at);
    report_fault("the heap's unused end" + whose + " was used",
                 before ? text("%zu bytes behind the end of ", meant.at - before->end()) + described(*before)
                        : "there is no block in the heap",
                 {});
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (ready() && info->si_code == SEGV_ACCERR) {
    explain(meant_by(reinterpret_cast<std::uintptr_t>(info->si_addr)));
  }
  if ((g_before.sa_flags & SA_SIGINFO) != 0 && g_before.sa_sigaction != nullptr) {
    g_before.sa_sigaction(signal, info, context);
    return;
  }
  ::sigaction(signal, &g_before, nullptr);
}

}  // namespace

void watch_faults() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  struct sigaction before {};
  ::sigaction(SIGSEGV, nullptr, &before);
  if (before.sa_sigaction != on_fault) {
    ::sigaction(SIGSEGV, &action, &g_before);
  }
}

}  // namespace weft::check
