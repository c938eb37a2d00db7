#include "job/crash.hpp"

#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <cstring>

#include "base/lines.hpp"
#include "job/front_end.hpp"
#include "job/node.hpp"
#include "memory/fault.hpp"
#include "os/where.hpp"

namespace weft::job {
namespace {

// "in solve at solver.c:88". Without debug information there is nothing worth telling.
bool place_of_call(char* text, std::size_t size) noexcept {
  const void* site = job::site_in_program();
  char found[256];
  if (site == nullptr || !os::tell_place(reinterpret_cast<std::uintptr_t>(site), found, sizeof found) ||
      std::strstr(found, " at ") == nullptr) {
    return false;
  }
  (void)std::snprintf(text, size, "in %s", found);
  return true;
}

constexpr std::uint32_t kTelling = 1;
constexpr std::uint32_t kTold = 2;
constexpr int kLooks = 100;
constexpr int kBetweenLooksMs = 10;

// What may have caused it, where that is known. Of an address that is not canonical the kernel tells as of 0, and with
// another code.
const char* cause_of(const siginfo_t& fault) noexcept {
  const char* cause = nullptr;
  if (fault.si_signo == SIGSEGV && (fault.si_code == SEGV_MAPERR || fault.si_code == SEGV_ACCERR)) {
    each_front_end([&](const FrontEnd& front_end) {
      cause = cause == nullptr && front_end.why_fault != nullptr
                  ? front_end.why_fault(reinterpret_cast<std::uintptr_t>(fault.si_addr))
                  : cause;
    });
  }
  return cause;
}

void show_stack_once(std::uintptr_t pc, const siginfo_t* fault = nullptr) noexcept {
  job::Node& node = job::node();
  if (node.job == nullptr) {
    return;
  }
  // Others that crash as well have the launcher end the job; it waits a moment before it kills. Blocked before this PE
  // may become the one that tells.
  sigset_t told_to_end;
  ::sigemptyset(&told_to_end);
  ::sigaddset(&told_to_end, SIGTERM);
  ::sigaddset(&told_to_end, SIGINT);
  sigset_t before;
  (void)::pthread_sigmask(SIG_BLOCK, &told_to_end, &before);
  // Relaxed: nothing else goes with it.
  std::atomic<std::uint32_t>& told = node.job->stack_told;
  std::uint32_t nobody = 0;
  if (told.compare_exchange_strong(nobody, kTelling, std::memory_order_relaxed)) {
    if (const char* const cause = fault != nullptr ? cause_of(*fault) : nullptr; cause != nullptr) {
      base::say(nullptr, "%s", cause);
    }
    char prefix[32];
    (void)std::snprintf(prefix, sizeof prefix, node.n_pes > 1 ? "weft: PE %d:   in " : "weft:   in ", node.me);
    os::show_stack(prefix, pc);
    told.store(kTold, std::memory_order_relaxed);
  } else {
    // If this one died now, the launcher would end the one that tells before it is done.
    for (int k = 0; k < kLooks && told.load(std::memory_order_relaxed) != kTold; ++k) {
      (void)::poll(nullptr, 0, kBetweenLooksMs);
    }
  }
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void before_end(const siginfo_t& fault, std::uintptr_t pc) noexcept { show_stack_once(pc, &fault); }

// No other handler was there, so the default comes next: abort() kills by itself, the others' instruction runs again.
void on_crash(int signal, siginfo_t* info, void* context) {
  show_stack_once(memory::interrupted_at(context));
  (void)::signal(signal, SIG_DFL);
  if (info->si_code <= 0) {  // sent, by whomever
    (void)::raise(signal);
  }
}

}  // namespace

void after_failure() noexcept {
  if (const std::uintptr_t pc = memory::explained_fault(); pc != 0) {
    show_stack_once(pc);
  }
}

void tell_where_calls_fail() noexcept {
  if (os::find_where()) {
    base::set_place_hook(place_of_call);
  }
}

void tell_of_crashes() noexcept {
  memory::explain_faults(job::node().space, {before_end, [](int number) { return job::node().pe_of(number); },
                                             &job::node().own, job::keeps_statics});
  for (const int signal : {SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) {
      continue;
    }
    struct sigaction ours {};
    ours.sa_sigaction = on_crash;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigemptyset(&ours.sa_mask);
    (void)::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace weft::job
