#include "omp/rewrite/trap.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cerrno>
#include <cstring>

#include "omp/rewrite/carry.hpp"
#include "omp/rewrite/rewrite.hpp"

namespace weft::omp::rewrite {
namespace {

constinit struct sigaction g_before = {};
constinit bool g_caught = false;

// By the numbers of registers.
constexpr int kSaved[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

void on_trap(int signal, siginfo_t* info, void* context) {
  greg_t* const saved = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const Place* const place = place_at(static_cast<std::uintptr_t>(saved[REG_RIP]) - 1);
  if (place == nullptr || info->si_code != SI_KERNEL) {
    if ((g_before.sa_flags & SA_SIGINFO) != 0) {
      g_before.sa_sigaction(signal, info, context);
    } else if (g_before.sa_handler == SIG_DFL) {
      (void)::sigaction(signal, &g_before, nullptr);
      (void)::raise(signal);
    } else if (g_before.sa_handler != SIG_IGN) {
      g_before.sa_handler(signal);
    }
    return;
  }
  Registers registers;
  for (int k = 0; k < 16; ++k) {
    registers.general[k] = static_cast<std::uint64_t>(saved[kSaved[k]]);
  }
  registers.flags = static_cast<std::uint64_t>(saved[REG_EFL]);
  // The kernel has saved the vectors.
  const bool done = carry_out(*place, registers, false);
  if (done) {
    for (int k = 0; k < 16; ++k) {
      saved[kSaved[k]] = static_cast<greg_t>(registers.general[k]);
    }
    saved[REG_EFL] = static_cast<greg_t>(registers.flags);
  }
  saved[REG_RIP] = static_cast<greg_t>(done ? place->done_of_trap : place->local_of_trap);
}

}  // namespace

base::Result<void> catch_traps() noexcept {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = on_trap;
  // No deferring: what carries operations out may come to a place itself, in a library.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
  if (::sigaction(SIGTRAP, &action, &before) != 0) {
    return base::Error::make("no handler for SIGTRAP: %s", std::strerror(errno));
  }
  // A program that puts back what was there before its own handler asks for this one.
  if ((before.sa_flags & SA_SIGINFO) == 0 || before.sa_sigaction != on_trap) {
    g_before = before;
  }
  g_caught = true;
  return {};
}

void take_traps_back() noexcept {
  if (g_caught) {
    (void)catch_traps();
  }
}

}  // namespace weft::omp::rewrite
