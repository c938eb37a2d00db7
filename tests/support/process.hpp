// Processes of a test. None outlives the test, whatever happens to it: each is killed with its parent, and every wait
// has a limit.
#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

using Milliseconds = std::chrono::milliseconds;

/// How long a test waits for anything before it fails: far more than is ever needed, because a slow machine is no
/// error. WEFT_TEST_LIMIT (seconds) overrides it.
Milliseconds default_limit();

/// How a process ended.
struct Ending {
  int exit_code = -1;    // -1 when a signal ended it
  int signal = 0;        // 0 when it exited
  bool overdue = false;  // it did not end in time; it was killed, and the signal is ours

  bool clean() const { return exit_code == 0; }
  /// What a shell would report: the exit code, or 128 + the signal.
  int shell_code() const { return signal != 0 ? 128 + signal : exit_code; }
  /// "exit code 3", "signal 11", "killed when its time was up": for the message of a failing test.
  std::string text() const;
};

/// Called first thing in a forked child: it dies with the thread that forked it.
inline void die_with_parent(pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent was gone before the line above
}

/// A forked child that runs a function and then exits, with the function's value where it has one.
class Child {
 public:
  template <class Body>
  static Child start(Body&& body) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      die_with_parent(parent);
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
        ::_exit(0);
      } else {
        ::_exit(body());
      }
    }
    return Child(pid);
  }

  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child();  // kills it if nobody has waited for it

  pid_t pid() const { return pid_; }
  /// Waits for its end; past the limit it is killed and the ending says overdue.
  Ending wait(Milliseconds limit = default_limit());
  /// Its ending if it has ended by now.
  std::optional<Ending> poll();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// Waits for all of them within one limit; true when every one exited with 0. What did not is told in `why`.
bool wait_all(std::vector<Child>& children, Milliseconds limit = default_limit(), std::string* why = nullptr);

/// A program to run.
struct Command {
  std::vector<std::string> arguments;    // [0] is the program, searched on PATH
  std::vector<std::string> environment;  // "NAME=value": on top of this process's own; "NAME" alone removes it
  std::string input;                     // file read as stdin; empty: nothing to read
  std::string directory;                 // where it runs; empty: here
  bool may_go_on = false;                // the limit is one on silence: it begins anew with whatever is printed
};

struct Output {
  Ending ending;
  std::string out;
  std::string err;
  /// Something still held the program's output open when the program had ended: it left a child behind.
  bool held_open = false;
};

/// Runs it to its end, or to the limit, and collects what it wrote.
Output run(const Command& command, Milliseconds limit = default_limit());

/// "cd dir && A=B prog args", quoted where needed: what a person types to see the same again.
std::string shell_line(const Command& command);

/// Waits until something is true, looking every millisecond. False: the limit came first.
template <class Condition>
bool eventually(Condition&& holds, Milliseconds limit = default_limit()) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    ::usleep(1000);
  }
  return true;
}

}  // namespace weft::test
