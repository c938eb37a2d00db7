#include "pmi/watch.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace weft::pmi {
namespace {

struct Watch {
  boot::JobHeader* job = nullptr;
  void (*lost)(int local) noexcept = nullptr;
  pollfd* processes = nullptr;  // by number on the node; -1 where there is nothing to watch
  int n = 0;
};
constinit Watch g_watch;

bool finalised(int local) noexcept {
  // Acquire: it has ended, so this is the last it said.
  return boot::pe_record(g_watch.job, local)->phase.load(std::memory_order_acquire) ==
         static_cast<std::uint32_t>(boot::Phase::kFinalised);
}

void* watch(void* /*unused*/) {
  for (;;) {
    if (::poll(g_watch.processes, static_cast<nfds_t>(g_watch.n), -1) < 0 && errno != EINTR) {
      return nullptr;
    }
    for (int local = 0; local < g_watch.n; ++local) {
      pollfd& process = g_watch.processes[local];
      if (process.fd < 0 || process.revents == 0) {
        continue;
      }
      (void)::close(process.fd);
      process.fd = -1;  // poll leaves it out
      if (!finalised(local)) {
        constexpr int kForTheManagerMs = 1500;
        (void)::poll(nullptr, 0, kForTheManagerMs);
        g_watch.lost(local);
      }
    }
  }
}

}  // namespace

base::Result<void> watch_neighbours(boot::JobHeader* job, int local, void (*lost)(int local) noexcept) noexcept {
  const int n = local == 0 ? static_cast<int>(job->n_pes) : 1;
  void* at = ::mmap(nullptr, static_cast<std::size_t>(n) * sizeof(pollfd), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    return base::Error::make("no memory to watch %d processes", n);
  }
  g_watch = {job, lost, static_cast<pollfd*>(at), n};
  for (int other = 0; other < n; ++other) {
    const pid_t pid = boot::pe_record(job, other)->pid.load(std::memory_order_relaxed);
    // By number, as this glibc has no name for it. A process that cannot be had is not watched: kernels before 5.3.
    const int fd = other == local ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    g_watch.processes[other] = {fd, POLLIN, 0};
  }
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  (void)::pthread_attr_setstacksize(&attributes, std::size_t{256} << 10);
  // Signals are the program's threads' business.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int failed = ::pthread_create(&thread, &attributes, watch, nullptr);
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  (void)::pthread_attr_destroy(&attributes);
  return failed == 0 ? base::Result<void>()
                     : base::Error::make("cannot start a thread to watch the other PEs: %s", std::strerror(failed));
}

}  // namespace weft::pmi
