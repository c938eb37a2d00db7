#include "os/process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace weft::os {
namespace {

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

struct Launch {
  const Spawn* plan;
  pid_t parent;
  int error;
  bool unbound;  // the error is that of binding
};

bool place(int from, int to) noexcept {
  if (from != to) return ::dup2(from, to) == to;
  return ::fcntl(to, F_SETFD, 0) == 0;
}

// Where the hard limit is lower than the mark, there is none.
__attribute__((no_sanitize("address", "thread", "undefined"))) void put_mark(std::uint64_t mark) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_LOCKS, &limit) != 0) return;
  limit.rlim_cur = mark;
  (void)::setrlimit(RLIMIT_LOCKS, &limit);
}

// Runs in the child, in the parent's memory: only system calls, and nothing that changes what the parent sees but
// `error`. The parent sleeps until it is done.
__attribute__((no_sanitize("address", "thread", "undefined"))) int start_program(void* argument) noexcept {
  Launch* launch = static_cast<Launch*>(argument);
  const Spawn& plan = *launch->plan;
  (void)::setpgid(0, 0);
  // By the child: if the parent is killed just now, whoever reads this finds all that have begun.
  if (plan.note_pid != nullptr) plan.note_pid->store(::getpid(), std::memory_order_release);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch->parent) ::_exit(127);  // it was gone before the line above
  struct sigaction as_default {};
  as_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal < 32; ++signal) {
    if (sigismember(&plan.reset_signals, signal) == 1) (void)::sigaction(signal, &as_default, nullptr);
  }
  if (plan.mark != 0) put_mark(plan.mark);
  if (plan.descriptors != nullptr) (void)::setrlimit(RLIMIT_NOFILE, plan.descriptors);
  if (plan.cpus != nullptr && ::sched_setaffinity(0, sizeof *plan.cpus, plan.cpus) != 0) {
    launch->error = errno;
    launch->unbound = true;
    ::_exit(127);
  }
  if (plan.same_addresses) {
    const int now = ::personality(0xffffffff);
    if (now >= 0) (void)::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  }
  if (plan.foreground) (void)::tcsetpgrp(plan.in, ::getpid());  // all signals are blocked: it does not stop us
  const bool there = plan.directory == nullptr || ::chdir(plan.directory) == 0;
  if (there && place(plan.in, 0) && place(plan.out, 1) && place(plan.err, 2)) {
    sigset_t none;
    sigemptyset(&none);
    if (!plan.keep_blocked) (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)::execve(plan.path, plan.arguments, plan.environment);
  }
  launch->error = errno;
  ::_exit(127);
}

long milliseconds_now() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Kills the children the kernel lists. False: it keeps no such list (CONFIG_PROC_CHILDREN).
bool kill_listed_children() noexcept {
  std::FILE* file = std::fopen("/proc/thread-self/children", "re");
  if (file == nullptr) return false;
  int pid = 0;
  while (std::fscanf(file, "%d", &pid) == 1) (void)::kill(pid, SIGKILL);
  (void)std::fclose(file);
  return true;
}

struct Stat {
  char state = '\0';
  int parent = 0;
  int threads = 0;
};

// Nothing of a process that does not exist.
Stat read_stat(pid_t pid) noexcept {
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return {};
  char text[512];
  const std::size_t read = std::fread(text, 1, sizeof text - 1, file);
  (void)std::fclose(file);
  text[read] = '\0';
  const char* after_name = std::strrchr(text, ')');  // the name may hold anything, blanks and brackets included
  Stat found;
  constexpr const char* kFields = ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d";
  if (after_name == nullptr || std::sscanf(after_name, kFields, &found.state, &found.parent, &found.threads) != 3)
    return {};
  return found;
}

void kill_children_in_proc() noexcept {
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = ::readdir(proc)) {
    const pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid > 0 && read_stat(pid).parent == ::getpid()) (void)::kill(pid, SIGKILL);
  }
  (void)::closedir(proc);
}

}  // namespace

Spawned spawn(const Spawn& plan) noexcept {
  // The child borrows our memory until it has started its program: nothing is copied, and a failing exec is known
  // here at once. One thread spawns at a time, so one stack does.
  alignas(64) static std::byte stack[32 * 1024];
  Launch launch{&plan, ::getpid(), 0, false};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::clone(start_program, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  const int clone_error = errno;
  (void)::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return {-1, clone_error, false};
  if (launch.error != 0) {
    if (plan.note_pid != nullptr) plan.note_pid->store(0, std::memory_order_release);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {-1, launch.error, !launch.unbound};
  }
  return {pid, 0, false};
}

void adopt_orphans() noexcept { (void)::prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool kill_all_children(int limit_ms) noexcept {
  const long until = milliseconds_now() + limit_ms;
  for (;;) {
    const pid_t gone = ::waitpid(-1, nullptr, WNOHANG);
    if (gone > 0) continue;
    if (gone < 0 && errno == ECHILD) return true;
    // Killing one may make its children ours: look again until there is none.
    if (!kill_listed_children()) kill_children_in_proc();
    if (milliseconds_now() > until) return false;
    const timespec pause{0, 200'000};
    (void)::nanosleep(&pause, nullptr);
  }
}

bool is_zombie(pid_t pid) noexcept { return read_stat(pid).state == 'Z'; }

bool is_stopped(pid_t pid) noexcept {
  const char state = read_stat(pid).state;
  return state == 'T' || state == 't';
}

bool has_ended(pid_t pid) noexcept {
  if (::kill(pid, 0) != 0) return errno == ESRCH;
  const Stat found = read_stat(pid);
  // Where only its main thread has ended it is a zombie too, with the others to be counted.
  return found.state == 'Z' && found.threads <= 1;
}

bool wears(pid_t pid, std::uint64_t mark) noexcept {
  rlimit limit{};
  return ::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0 && limit.rlim_cur == mark;
}

base::Result<int> make_memory_file(const char* label, std::uint64_t bytes) noexcept {
  // Newer kernels want to be told that nobody will execute it; older ones do not know the flag.
  int fd = ::memfd_create(label, MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL) fd = ::memfd_create(label, MFD_ALLOW_SEALING);
  if (fd < 0) return base::Error::make("cannot create shared memory (memfd_create): %s", std::strerror(errno));
  // Beyond `ulimit -f` the kernel sends a signal besides the error.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGXFSZ, &ignore, &before);
  const bool sized = ::ftruncate(fd, static_cast<off_t>(bytes)) == 0;
  const int why = errno;
  (void)::sigaction(SIGXFSZ, &before, nullptr);
  if (!sized) {
    (void)::close(fd);
    return base::Error::make(
        "cannot give shared memory a size of %llu bytes: %s; the limit of file sizes holds for it, too: ulimit -f "
        "unlimited",
        static_cast<unsigned long long>(bytes), std::strerror(why));
  }
  // A PE that shrank it would kill the others with SIGBUS.
  (void)::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

int count_threads() noexcept {
  DIR* tasks = ::opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = ::readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  (void)::closedir(tasks);
  return count;
}

bool raise_descriptor_limit(std::uint64_t needed, rlimit* before) noexcept {
  if (::getrlimit(RLIMIT_NOFILE, before) != 0) return true;
  if (before->rlim_cur >= needed) return true;
  if (before->rlim_max < needed) return false;
  const rlimit raised{before->rlim_max, before->rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
}

}  // namespace weft::os
