#include "launch/processes/guard.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>

namespace weft::launch::processes {
namespace {

constexpr char kName[] = "oshrun-guard";
constexpr int kPasses = 2000;         // a millisecond apart: for processes that start others as fast as they are killed
constexpr int kPatientPasses = 1000;  // in which the guards of a job within the job may end theirs
// Somebody who kills each guard as it comes is not to keep us busy for ever.
constexpr int kMostRestarts = 100;

// What runs in a guard is beside us in our memory, which makes it cheap, and has our thread's variables (errno), which
// makes it delicate: bare system calls, of which none fails as long as we live, and nothing else. All signals are
// blocked.
#define WEFT_IN_GUARD __attribute__((no_sanitize("address", "thread", "undefined")))

template <class T>
WEFT_IN_GUARD long address(T* at) noexcept {
  return reinterpret_cast<long>(at);
}

struct Entry {  // as getdents64 has it
  std::uint64_t inode;
  std::int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// 0: no number.
WEFT_IN_GUARD int number_in(const char* text) noexcept {
  int number = 0;
  for (; *text >= '0' && *text <= '9' && number < INT_MAX / 10; ++text) number = number * 10 + (*text - '0');
  return *text == '\0' ? number : 0;
}

WEFT_IN_GUARD bool wears(int pid, std::uint64_t mark) noexcept {
  struct {
    std::uint64_t now, most;
  } limit{};
  return ::syscall(SYS_prlimit64, pid, RLIMIT_LOCKS, 0, address(&limit)) == 0 && limit.now == mark;
}

enum class Kind : std::uint8_t { kGone, kGuard, kOther };

// By /proc/PID/stat, "7 (name) S ...": one that has ended may stay there for long, where nobody takes note of its end.
WEFT_IN_GUARD Kind kind_of(int proc, const char* pid) noexcept {
  char path[32] = {};
  int length = 0;
  for (; pid[length] != '\0' && length < 16; ++length) path[length] = pid[length];
  for (const char letter : {'/', 's', 't', 'a', 't', '\0'}) path[length++] = letter;
  const long file = ::syscall(SYS_openat, proc, address(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Kind::kGone;
  char text[256];
  const long got = ::syscall(SYS_read, file, address(text), sizeof text);
  (void)::syscall(SYS_close, file);
  long name = 0;
  while (name < got && text[name] != '(') ++name;
  long end = got - 1;
  while (end > name && text[end] != ')') --end;
  if (end <= name || end + 2 >= got) return Kind::kGone;
  if (text[end + 2] == 'Z' || text[end + 2] == 'X') return Kind::kGone;
  bool is_guard = end - name - 1 == static_cast<long>(sizeof kName) - 1;
  for (long k = 0; is_guard && k < static_cast<long>(sizeof kName) - 1; ++k) is_guard = text[name + 1 + k] == kName[k];
  return is_guard ? Kind::kGuard : Kind::kOther;
}

// Kills all that wear the mark; guards only with `guards`. True: there were some.
WEFT_IN_GUARD bool kill_marked(std::uint64_t mark, bool guards) noexcept {
  const long proc = ::syscall(SYS_openat, AT_FDCWD, address("/proc"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return false;
  bool found = false;
  alignas(Entry) char room[2048];
  for (;;) {
    const long got = ::syscall(SYS_getdents64, proc, address(room), sizeof room);
    if (got <= 0) break;
    for (long at = 0; at < got;) {
      const Entry& entry = *reinterpret_cast<const Entry*>(room + at);
      at += entry.length;
      const int pid = number_in(entry.name);
      if (pid <= 1 || !wears(pid, mark)) continue;
      const Kind kind = kind_of(static_cast<int>(proc), entry.name);
      if (kind == Kind::kGone) continue;
      found = true;
      if (kind == Kind::kOther || guards) (void)::syscall(SYS_kill, pid, SIGKILL);
    }
  }
  (void)::syscall(SYS_close, proc);
  return found;
}

}  // namespace

// The pid makes it another one on each host of a job, whose token is the same on all of them.
std::uint64_t mark_of(const boot::JobHeader& job) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // odd, so that each pid changes all bits above
  const std::uint64_t mixed = job.token ^ (static_cast<std::uint64_t>(job.launcher_pid) * kSpread);
  return (mixed >> 1) | 1;  // neither 0 nor "unlimited"
}

WEFT_IN_GUARD int Guard::watch(void* guard) noexcept {
  const Guard& self = *static_cast<const Guard*>(guard);
  (void)::syscall(SYS_setsid);  // kill -9 of the launcher's whole group, as job control does it, must not reach us
  (void)::syscall(SYS_prctl, PR_SET_NAME, address(kName));
  // Whatever else we hold open, somebody may wait for its end: the reader of the launcher's stdout, for one.
  (void)::syscall(SYS_dup3, self.life_line_[0], 0, 0);
  (void)::syscall(SYS_close_range, 1, UINT_MAX, 0);
  char byte = 0;
  (void)::syscall(SYS_read, 0, address(&byte), 1);
  for (std::size_t pe = 0; pe < self.n_; ++pe) {
    const pid_t group = self.groups_[pe].load(std::memory_order_acquire);
    if (group > 1) (void)::syscall(SYS_kill, -group, SIGKILL);
  }
  for (int pass = 0; pass < kPasses && kill_marked(self.mark_, pass >= kPatientPasses); ++pass) {
    const timespec pause{0, 1'000'000};
    (void)::syscall(SYS_nanosleep, address(&pause), 0);
  }
  if (self.folder_[0] != '\0') {
    (void)::syscall(SYS_unlinkat, AT_FDCWD, self.file_.data(), 0);
    (void)::syscall(SYS_unlinkat, AT_FDCWD, self.folder_.data(), AT_REMOVEDIR);
  }
  (void)::syscall(SYS_exit_group, 0);
  __builtin_unreachable();
}

void Guard::start(int n_pes, std::uint64_t mark) {
  n_ = static_cast<std::size_t>(n_pes);
  mark_ = mark;
  groups_ = std::make_unique<std::atomic<pid_t>[]>(n_);
  if (::pipe2(life_line_, O_CLOEXEC) != 0) return;
  for (int which = 0; which < kGuards; ++which) start_one(which);
}

void Guard::start_one(int which) {
  constexpr std::size_t kStack = std::size_t{16} * 1024;
  alignas(64) static std::byte stacks[kGuards][kStack];
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  (void)::sigprocmask(SIG_SETMASK, &all, &before);
  pids_[static_cast<std::size_t>(which)] = ::clone(watch, stacks[which] + kStack, CLONE_VM | SIGCHLD, this);
  (void)::sigprocmask(SIG_SETMASK, &before, nullptr);
}

void Guard::keep_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.size() >= file_.size()) return;
  path.copy(file_.data(), path.size());
  path.copy(folder_.data(), slash);
}

bool Guard::ended(pid_t pid) {
  const auto found = std::find(pids_.begin(), pids_.end(), pid);
  if (pid <= 0 || found == pids_.end()) return false;
  *found = -1;
  if (restarts_++ < kMostRestarts) start_one(static_cast<int>(found - pids_.begin()));
  return true;
}

void Guard::stop() {
  // First all, then wait: they end at the same time.
  for (const pid_t pid : pids_) {
    if (pid > 0) (void)::kill(pid, SIGKILL);
  }
  for (pid_t& pid : pids_) {
    if (pid <= 0) continue;
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
  }
  for (int& end : life_line_) {
    if (end >= 0) (void)::close(end);
    end = -1;
  }
}

}  // namespace weft::launch::processes
