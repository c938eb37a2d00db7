#include "launch/processes/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::launch::processes {
namespace {

bool ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

Signals::~Signals() {
  if (fd_ >= 0) (void)::close(fd_);
}

base::Result<void> Signals::open() {
  sigemptyset(&reset_);
  // Ignored SIGCHLD is inherited too, and would make the kernel reap our PEs before we learn how they ended.
  (void)::signal(SIGCHLD, SIG_DFL);
  for (const int signal : {SIGPIPE, SIGTTIN, SIGXFSZ}) {
    if (ignored(signal)) continue;
    (void)::signal(signal, SIG_IGN);
    sigaddset(&reset_, signal);
  }
  sigset_t taken;  // a blocked signal reaches the descriptor even where it is ignored
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  // A shell script ignores these two for what it starts with &. Whoever sends them to a launcher means the job.
  for (const int signal : {SIGINT, SIGQUIT}) {
    sigaddset(&taken, signal);
    sigaddset(&reset_, signal);
  }
  for (const int signal : {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) {
    if (!ignored(signal)) sigaddset(&taken, signal);
  }
  (void)::sigprocmask(SIG_BLOCK, &taken, nullptr);
  fd_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) return base::Error::make("cannot watch for signals (signalfd): %s", std::strerror(errno));
  return {};
}

int Signals::next() {
  signalfd_siginfo info{};
  return ::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
}

void stop_self() { (void)::kill(::getpid(), SIGSTOP); }

}  // namespace weft::launch::processes
