// What a process cannot do that is a part of a program: it is neither copied nor becomes another program. What
// system(), popen() and posix_spawn() start leaves it alone, and so does a child of vfork().
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "base/lines.hpp"
#include "job/node.hpp"
#include "omp/program/program.hpp"
#include "omp/program/real.hpp"

namespace weft::omp::program {
namespace {

// A child of vfork() is another process, and runs in this one's memory.
bool is_part_of_program() noexcept {
  const job::Node& node = job::node();
  return has_begun() && ::getpid() == node.record().pid.load(std::memory_order_relaxed);
}

// False: the call is to be made.
bool refuse_exec(const char* call, const char* path) noexcept {
  if (!is_part_of_program()) {
    return false;
  }
  base::say(call,
            "%s cannot take the place of process %d, which is a part of a program of several; use posix_spawn or "
            "system, and exit behind it, or start the program as one process",
            path, job::node().me);
  errno = ENOSYS;
  return true;
}

// The arguments that follow the first one, to the null at their end; the environment stands behind it.
struct Words {
  static constexpr std::size_t kMost = 4096;
  std::array<char*, kMost> of;
  char** environment;
};
bool collect(Words& words, const char* first, va_list more, bool has_environment) noexcept {
  words.of[0] = const_cast<char*>(first);
  for (std::size_t k = 0; words.of[k] != nullptr; words.of[k] = va_arg(more, char*)) {
    if (++k == words.of.size()) {
      errno = E2BIG;
      return false;
    }
  }
  words.environment = has_environment ? va_arg(more, char**) : environ;
  return true;
}

}  // namespace
}  // namespace weft::omp::program

using weft::omp::program::collect;
using weft::omp::program::real;
using weft::omp::program::refuse_exec;
using weft::omp::program::Words;

#pragma GCC visibility push(default)
extern "C" {

// A child would run on its parent's stack, as that is shared memory, and both would write to it.
pid_t fork() noexcept {
  if (!weft::omp::program::has_begun()) {
    return real<pid_t()>("fork")();
  }
  weft::base::say(
      "fork",
      "a program of several processes cannot be copied, as its memory is shared; use posix_spawn, system or "
      "popen, or start it as one process");
  errno = ENOSYS;
  return -1;
}

int execve(const char* path, char* const* words, char* const* environment) noexcept {
  return refuse_exec("execve", path) ? -1 : real<decltype(::execve)>("execve")(path, words, environment);
}
int execv(const char* path, char* const* words) noexcept {
  return refuse_exec("execv", path) ? -1 : real<decltype(::execv)>("execv")(path, words);
}
int execvp(const char* file, char* const* words) noexcept {
  return refuse_exec("execvp", file) ? -1 : real<decltype(::execvp)>("execvp")(file, words);
}
int execvpe(const char* file, char* const* words, char* const* environment) noexcept {
  return refuse_exec("execvpe", file) ? -1 : real<decltype(::execvpe)>("execvpe")(file, words, environment);
}
int fexecve(int fd, char* const* words, char* const* environment) noexcept {
  return refuse_exec("fexecve", "a file") ? -1 : real<decltype(::fexecve)>("fexecve")(fd, words, environment);
}

// The C library's header has them with an ellipsis.
// NOLINTBEGIN(cert-dcl50-cpp)
int execl(const char* path, const char* first, ...) noexcept {
  Words words;
  va_list more;
  va_start(more, first);
  const bool fits = collect(words, first, more, false);
  va_end(more);
  return !fits || refuse_exec("execl", path) ? -1 : execv(path, words.of.data());
}
int execle(const char* path, const char* first, ...) noexcept {
  Words words;
  va_list more;
  va_start(more, first);
  const bool fits = collect(words, first, more, true);
  va_end(more);
  return !fits || refuse_exec("execle", path) ? -1 : execve(path, words.of.data(), words.environment);
}
int execlp(const char* file, const char* first, ...) noexcept {
  Words words;
  va_list more;
  va_start(more, first);
  const bool fits = collect(words, first, more, false);
  va_end(more);
  return !fits || refuse_exec("execlp", file) ? -1 : execvp(file, words.of.data());
}
// NOLINTEND(cert-dcl50-cpp)

}  // extern "C"
#pragma GCC visibility pop
