// Runs a command in which one system call of one process fails.
//
//   inject --call NAME --error ERRNO --in oshrun|weft-agent|PE [--nth K] [--from] [--count FILE] -- command...
//
// The K-th call (counted from 1; --from: and every one after it) of oshrun, or of the PE with that number, returns
// -ERRNO and is not made. Into FILE goes how many calls there were. The kernel asks this process about each (seccomp
// user notification), so the command may be linked statically, as oshrun is, and needs no preparation.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Call {
  const char* name;
  std::vector<int> numbers;  // the same to who calls the C library
};
const Call kCalls[] = {
#ifdef SYS_open
    {"open", {SYS_openat, SYS_open}},
    {"pipe", {SYS_pipe2, SYS_pipe}},
    {"fork", {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork}},
    {"accept", {SYS_accept4, SYS_accept}},
    {"epoll_create", {SYS_epoll_create1, SYS_epoll_create}},
    {"epoll_wait", {SYS_epoll_wait, SYS_epoll_pwait}},
    {"poll", {SYS_poll, SYS_ppoll}},
    {"dup", {SYS_dup, SYS_dup2, SYS_dup3}},
    {"eventfd", {SYS_eventfd2, SYS_eventfd}},
#endif
    {"mmap", {SYS_mmap}},
    {"mprotect", {SYS_mprotect}},
    {"brk", {SYS_brk}},
    {"memfd_create", {SYS_memfd_create}},
    {"ftruncate", {SYS_ftruncate}},
    {"fallocate", {SYS_fallocate}},
    {"futex", {SYS_futex}},
    {"socket", {SYS_socket}},
    {"socketpair", {SYS_socketpair}},
    {"bind", {SYS_bind}},
    {"listen", {SYS_listen}},
    {"connect", {SYS_connect}},
    {"epoll_ctl", {SYS_epoll_ctl}},
    {"timerfd_create", {SYS_timerfd_create}},
    {"signalfd", {SYS_signalfd4}},
    {"pidfd_open", {SYS_pidfd_open}},
    {"execve", {SYS_execve}},
};
struct Error {
  const char* name;
  int number;
};
const Error kErrors[] = {{"ENOMEM", ENOMEM},
                         {"EMFILE", EMFILE},
                         {"ENFILE", ENFILE},
                         {"EAGAIN", EAGAIN},
                         {"ENOSPC", ENOSPC},
                         {"EINTR", EINTR},
                         {"EIO", EIO},
                         {"EACCES", EACCES},
                         {"ECONNREFUSED", ECONNREFUSED},
                         {"ECONNABORTED", ECONNABORTED},
                         {"ENOSYS", ENOSYS}};

struct Options {
  const Call* call = nullptr;
  int error = 0;
  std::string in;
  long nth = 0;  // 0: none fails, they are counted
  bool from = false;
  std::string count;
  char** command = nullptr;
};

[[noreturn]] void fail(const char* what) {
  (void)std::fprintf(stderr, "inject: %s: %s\n", what, std::strerror(errno));
  std::_Exit(99);
}

bool parse(int argc, char** argv, Options& options) {
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string name = argv[i];
    if (name == "--from") {
      options.from = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string value = argv[i];
    if (name == "--call") {
      for (const Call& call : kCalls) options.call = value == call.name ? &call : options.call;
    } else if (name == "--error") {
      for (const Error& error : kErrors) options.error = value == error.name ? error.number : options.error;
    } else if (name == "--in") {
      options.in = value;
    } else if (name == "--nth") {
      options.nth = std::atol(value.c_str());
    } else if (name == "--count") {
      options.count = value;
    } else {
      return false;
    }
  }
  options.command = argv + i + 1;
  return i + 1 < argc && options.call != nullptr && options.error != 0 && !options.in.empty();
}

// The filter: these calls are asked about, all others allowed.
int listen_to(const Call& call) {
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int number : call.numbers) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// "oshrun", "weft-agent", or the number of a PE; empty when it is neither.
std::string who_is(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream environment(folder + "/environ");
  for (std::string entry; std::getline(environment, entry, '\0');) {
    if (entry.rfind("WEFT_PE=", 0) == 0) return entry.substr(8);
  }
  std::ifstream file(folder + "/comm");
  std::string name;
  std::getline(file, name);
  return name == "oshrun" || name == "weft-agent" ? name : "";
}

// The dynamic linker asks for memory of its own, and crashes without (glibc 2.36): that is no fault of who is tested,
// and the program cannot know of it.
bool is_linkers_own(const seccomp_notif& asked) {
  if (asked.data.nr != SYS_mmap || (asked.data.args[3] & MAP_ANONYMOUS) == 0 || (asked.data.args[3] & MAP_FIXED) != 0) {
    return false;
  }
  std::ifstream maps("/proc/" + std::to_string(asked.pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0;
    unsigned long long end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx", &begin, &end) == 2 && asked.data.instruction_pointer >= begin &&
        asked.data.instruction_pointer < end) {
      return line.find("/ld-linux") != std::string::npos;
    }
  }
  return false;
}

// Answers for one call that the kernel asks about.
void answer(int listener, const Options& options, long* calls) {
  seccomp_notif asked{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return;  // who asked has been killed
  seccomp_notif_resp answer{};
  answer.id = asked.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  if (who_is(static_cast<pid_t>(asked.pid)) == options.in && !is_linkers_own(asked)) {
    const long call = ++*calls;
    if (options.nth != 0 && (call == options.nth || (options.from && call > options.nth))) {
      answer.flags = 0;
      answer.error = -options.error;
    }
  }
  (void)::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

// In the child: from here on it is asked about, and so is all that it starts.
[[noreturn]] void become_command(const Options& options, pid_t parent, int told) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(96);
  const int listener = listen_to(*options.call);
  const int what = listener < 0 ? -errno : listener;
  (void)!::write(told, &what, sizeof what);
  char go = 0;
  if (listener < 0 || ::read(told, &go, 1) != 1) ::_exit(97);  // until the parent has it
  (void)::close(listener);
  ::execvp(options.command[0], options.command);
  ::_exit(96);
}

// The child's listener, here.
int take_listener(pid_t child, int told) {
  int what = -1;
  if (::read(told, &what, sizeof what) != sizeof what || what < 0) return -1;
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const int listener = static_cast<int>(::syscall(SYS_pidfd_getfd, process, what, 0));
  (void)::close(process);
  return listener;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    (void)std::fprintf(stderr, "usage: see tests/inject/inject.cpp\n");
    return 98;
  }
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int told[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, told) != 0) fail("socketpair");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become_command(options, parent, told[1]);
  const int listener = take_listener(child, told[0]);
  if (listener < 0) {
    (void)std::fprintf(stderr, "inject: this system has no seccomp notifications\n");
    return 97;
  }
  (void)!::write(told[0], "", 1);
  long calls = 0;
  pollfd watched[2] = {{listener, POLLIN, 0}, {static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), POLLIN, 0}};
  while (watched[1].revents == 0) {
    if (::poll(watched, 2, -1) > 0 && (watched[0].revents & POLLIN) != 0) answer(listener, options, &calls);
  }
  int status = 0;
  (void)::waitpid(child, &status, 0);
  if (!options.count.empty()) {
    std::ofstream(options.count) << calls << "\n";
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
