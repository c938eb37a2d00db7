#include "launch/guard.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>

namespace weft::launch {

// Runs beside us in our memory, which makes it cheap, and with our thread's variables (errno), which makes it delicate:
// bare system calls, none of which fails, and nothing else. All signals are blocked.
__attribute__((no_sanitize("address", "thread", "undefined"))) int Guard::watch(void* guard) noexcept {
  const Guard& self = *static_cast<const Guard*>(guard);
  (void)::syscall(SYS_setsid);  // kill -9 of the launcher's whole group, as job control does it, must not reach us
  (void)::syscall(SYS_prctl, PR_SET_NAME, "oshrun-guard", 0, 0, 0);
  // Whatever else we hold open, somebody may wait for its end: the reader of the launcher's stdout, for one.
  (void)::syscall(SYS_dup3, self.life_line_[0], 0, 0);
  (void)::syscall(SYS_close_range, 1, UINT_MAX, 0);
  char byte = 0;
  (void)::syscall(SYS_read, 0, &byte, 1);
  for (std::size_t pe = 0; pe < self.n_; ++pe) {
    const pid_t group = self.groups_[pe].load(std::memory_order_acquire);
    if (group > 1) (void)::syscall(SYS_kill, -group, SIGKILL);
  }
  ::syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

void Guard::start(int n_pes) {
  alignas(64) static std::byte stack[16 * 1024];
  n_ = static_cast<std::size_t>(n_pes);
  groups_ = std::make_unique<std::atomic<pid_t>[]>(n_);
  if (::pipe2(life_line_, O_CLOEXEC) != 0) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)::sigprocmask(SIG_SETMASK, &all, &before);
  pid_ = ::clone(watch, stack + sizeof stack, CLONE_VM | SIGCHLD, this);
  (void)::sigprocmask(SIG_SETMASK, &before, nullptr);
}

void Guard::stop() {
  if (pid_ > 0) {
    (void)::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  for (int& end : life_line_) {
    if (end >= 0) (void)::close(end);
    end = -1;
  }
}

}  // namespace weft::launch
