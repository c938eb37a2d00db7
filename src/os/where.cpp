#include "os/where.hpp"

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "os/clock.hpp"
#include "os/process.hpp"

namespace weft::os {
namespace {

// A job that fails must be gone within two seconds. Large programs have debug information that takes longer to read;
// then a message without a line it is.
constexpr std::uint64_t kPatienceNs = 1'500'000'000;

char g_tool[PATH_MAX];
std::atomic_flag g_busy = ATOMIC_FLAG_INIT;

// What the program is given: our environment, less libraries that are to be loaded into programs of users.
char** tool_environment() noexcept {
  constexpr int kMost = 2047;
  static char* kept[kMost + 1];
  int n = 0;
  for (char** each = environ; *each != nullptr && n < kMost; ++each) {
    if (std::strncmp(*each, "LD_PRELOAD=", 11) != 0 && std::strncmp(*each, "WEFT_JOB=", 9) != 0) {
      kept[n++] = *each;
    }
  }
  kept[n] = nullptr;
  return kept;
}

// Reads from `in` and writes to `out`.
pid_t run_tool(char* const* words, int in, int out) noexcept {
  Spawn plan;
  plan.path = g_tool;
  plan.arguments = words;
  plan.environment = tool_environment();
  plan.in = in;
  plan.out = out;
  plan.keep_blocked = true;  // a signal to end that the job gets just now is not for it
  ::sigemptyset(&plan.reset_signals);
  // Where a library that it needs is missing, there is no place to tell, and no reason to say why.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    plan.err = nowhere;
  }
  const pid_t tool = spawn(plan).pid;
  if (nowhere >= 0) {
    (void)::close(nowhere);
  }
  return tool;
}

// This thread is the one that asks, and has a pipe for it.
bool begin(int* ends) noexcept {
  if (g_tool[0] == '\0' || g_busy.test_and_set(std::memory_order_acquire)) {
    return false;
  }
  if (::pipe2(ends, O_CLOEXEC) == 0) {
    return true;
  }
  g_busy.clear(std::memory_order_release);
  return false;
}

// Until it has ended, or its time has.
void reap(pid_t tool, std::uint64_t end) noexcept {
  for (;;) {
    int status = 0;
    const pid_t got = ::waitpid(tool, &status, WNOHANG);
    // A program that ignores SIGCHLD has no child to wait for: there it is gone when no signal reaches it.
    const bool gone = got < 0 && errno == ECHILD && ::kill(tool, 0) != 0;
    if (got == tool || gone) {
      return;
    }
    if (now_ns() >= end) {
      (void)::kill(tool, SIGKILL);
      (void)::waitpid(tool, &status, 0);
      return;
    }
    (void)::poll(nullptr, 0, 2);
  }
}

// The library's file that this code is in, into `path`. Not by dladdr, which goes through all symbols of the library
// for the nearest one: a hundredth of a millisecond in the start of every PE.
bool find_own_file(char (&path)[PATH_MAX]) noexcept {
  return ::dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void* into) {
               const auto here = reinterpret_cast<std::uintptr_t>(&find_where);
               for (int k = 0; k < object->dlpi_phnum; ++k) {
                 const ElfW(Phdr)& part = object->dlpi_phdr[k];
                 if (part.p_type != PT_LOAD || here - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
                 const std::size_t length = std::strlen(object->dlpi_name);
                 if (length < PATH_MAX) std::memcpy(into, object->dlpi_name, length + 1);
                 return length < PATH_MAX ? 1 : 0;
               }
               return 0;
             },
             path) != 0;
}

}  // namespace

bool find_where() noexcept {
  if (::getauxval(AT_SECURE) != 0) {
    return false;  // it would run with rights that are not the user's, in an environment that is
  }
  char library[PATH_MAX];
  if (!find_own_file(library)) {
    return false;
  }
  const char* slash = std::strrchr(library, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - library) + 1;
  // Not by snprintf, which is four pages of the C library that nothing else in the start of a PE touches.
  constexpr char kTool[] = WEFT_HELPERS_FROM_LIBRARY "/weft-where";
  if (folder + sizeof kTool > sizeof g_tool) {
    return false;
  }
  std::memcpy(g_tool, library, folder);
  std::memcpy(g_tool + folder, kTool, sizeof kTool);
  if (::access(g_tool, X_OK) != 0) {
    g_tool[0] = '\0';
  }
  return g_tool[0] != '\0';
}

bool tell_place(std::uintptr_t address, char* text, std::size_t size) noexcept {
  int ends[2];
  if (!begin(ends)) {
    return false;
  }
  char name[] = "weft-where";
  char pid[16];
  char place[24];
  (void)std::snprintf(pid, sizeof pid, "%d", static_cast<int>(::getpid()));
  (void)std::snprintf(place, sizeof place, "%zx", static_cast<std::size_t>(address));
  char* words[] = {name, pid, place, nullptr};
  const pid_t tool = run_tool(words, STDIN_FILENO, ends[1]);
  (void)::close(ends[1]);
  std::size_t got = 0;
  if (tool > 0) {
    const std::uint64_t end = now_ns() + kPatienceNs;
    while (got + 1 < size && now_ns() < end) {
      pollfd room{ends[0], POLLIN, 0};
      if (::poll(&room, 1, 100) <= 0) {
        continue;
      }
      const ssize_t read = ::read(ends[0], text + got, size - 1 - got);
      if (read <= 0) {
        break;
      }
      got += static_cast<std::size_t>(read);
    }
    reap(tool, end);
  }
  (void)::close(ends[0]);
  g_busy.clear(std::memory_order_release);
  text[got] = '\0';
  if (char* line_end = std::strchr(text, '\n'); line_end != nullptr) {
    *line_end = '\0';
  }
  return text[0] != '\0' && text[0] != '?';
}

void show_stack(const char* prefix, std::uintptr_t pc) noexcept {
  int ends[2];
  if (!begin(ends)) {
    return;
  }
  char name[] = "weft-where";
  char option[] = "-s";
  char pid[16];
  char thread[16];
  char lead[64];
  char place[24];
  (void)std::snprintf(pid, sizeof pid, "%d", static_cast<int>(::getpid()));
  (void)std::snprintf(thread, sizeof thread, "%ld", ::syscall(SYS_gettid));
  (void)std::snprintf(lead, sizeof lead, "%s", prefix);
  (void)std::snprintf(place, sizeof place, "%zx", static_cast<std::size_t>(pc));
  char* words[] = {name, option, pid, thread, lead, place, nullptr};
  // Where only ancestors may look into a process (Yama), it must allow its child to.
  (void)::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t tool = run_tool(words, ends[0], STDERR_FILENO);
  // It looks when its input ends: until then this thread may still be in the system call that started it, from where no
  // stack can be read.
  (void)::close(ends[0]);
  (void)::close(ends[1]);
  if (tool > 0) {
    reap(tool, now_ns() + kPatienceNs);
  }
  (void)::prctl(PR_SET_PTRACER, 0);
  g_busy.clear(std::memory_order_release);
}

bool ask_where(char* const* words, TakeText* take, void* into) noexcept {
  int ends[2];
  if (!begin(ends)) {
    return false;
  }
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::uint64_t end = now_ns() + kMinute;
  const pid_t tool = run_tool(words, STDIN_FILENO, ends[1]);
  (void)::close(ends[1]);
  char text[4096];
  for (ssize_t got = 1; tool > 0 && got > 0 && now_ns() < end;) {
    pollfd room{ends[0], POLLIN, 0};
    if (::poll(&room, 1, 100) > 0) {
      got = ::read(ends[0], text, sizeof text);
      take(text, got > 0 ? static_cast<std::size_t>(got) : 0, into);
    }
  }
  (void)::close(ends[0]);
  if (tool > 0) {
    reap(tool, end);
  }
  g_busy.clear(std::memory_order_release);
  return tool > 0;
}

}  // namespace weft::os
