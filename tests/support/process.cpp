#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace weft::test {

namespace {

using Clock = std::chrono::steady_clock;

Ending from_status(int status) {
  Ending ending;
  if (WIFSIGNALED(status)) {
    ending.signal = WTERMSIG(status);
  } else {
    ending.exit_code = WEXITSTATUS(status);
  }
  return ending;
}

int remaining_ms(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<Milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

/// Reading end of a pipe whose writing end a child gets.
struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      std::perror("tests: pipe2");
      std::abort();
    }
    read = ends[0];
    write = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_write();
    ::close(read);
  }
  void close_write() {
    if (write >= 0) ::close(std::exchange(write, -1));
  }
};

[[noreturn]] void become(const Command& command, int out, int err) {
  const int in = ::open(command.input.empty() ? "/dev/null" : command.input.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(126);
  for (const std::string& entry : command.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      ::unsetenv(entry.c_str());
    } else {
      ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
    }
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  (void)std::fprintf(stderr, "tests: cannot run %s: %s\n", arguments[0], std::strerror(errno));
  ::_exit(127);
}

/// Moves what is there from a pipe to a string; false at its end.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

std::string quoted(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

Milliseconds default_limit() {
  const char* seconds = std::getenv("WEFT_TEST_LIMIT");
  return Milliseconds(1000 * (seconds != nullptr ? std::atol(seconds) : 30));
}

std::string Ending::text() const {
  if (overdue) return "killed when its time was up";
  if (signal != 0) return "signal " + std::to_string(signal);
  return "exit code " + std::to_string(exit_code);
}

Child::~Child() {
  if (pid_ <= 0) return;
  (void)::kill(pid_, SIGKILL);
  (void)::waitpid(pid_, nullptr, 0);
}

std::optional<Ending> Child::poll() {
  int status = 0;
  if (pid_ <= 0) return Ending{};
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return from_status(status);
}

Ending Child::wait(Milliseconds limit) {
  std::optional<Ending> ending;
  if (eventually([&] { return (ending = poll()).has_value(); }, limit)) return *ending;
  int status = 0;
  (void)::kill(pid_, SIGKILL);
  (void)::waitpid(std::exchange(pid_, -1), &status, 0);
  Ending killed = from_status(status);
  killed.overdue = true;
  return killed;
}

bool wait_all(std::vector<Child>& children, Milliseconds limit, std::string* why) {
  const auto end = Clock::now() + limit;
  bool all = true;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Ending ending = children[i].wait(Milliseconds(remaining_ms(end)));
    if (ending.clean()) continue;
    all = false;
    if (why != nullptr) *why += "child " + std::to_string(i) + ": " + ending.text() + "\n";
  }
  return all;
}

Output run(const Command& command, Milliseconds limit) {
  Output output;
  Pipe out;
  Pipe err;
  Child child = Child::start([&] { become(command, out.write, err.write); });
  out.close_write();
  err.close_write();

  auto end = Clock::now() + limit;
  std::array<pollfd, 2> fds = {pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
  std::array<std::string*, 2> texts = {&output.out, &output.err};
  std::optional<Ending> ending;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (!ending) {
      ending = child.poll();
      // Its descendants may still write for a moment; one that never closes the pipe must not hold the test.
      if (ending) end = std::min(end, Clock::now() + Milliseconds(1000));
    }
    if (Clock::now() >= end) break;
    if (::poll(fds.data(), fds.size(), std::min(remaining_ms(end), 5)) <= 0) continue;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      const std::size_t before = texts[i]->size();
      if (fds[i].fd >= 0 && fds[i].revents != 0 && !drain(fds[i].fd, *texts[i])) fds[i].fd = -1;
      if (command.may_go_on && !ending && texts[i]->size() != before) end = Clock::now() + limit;
    }
  }
  output.held_open = ending.has_value() && (fds[0].fd >= 0 || fds[1].fd >= 0);
  output.ending = ending ? *ending : child.wait(Milliseconds(remaining_ms(end)));
  return output;
}

std::string shell_line(const Command& command) {
  std::string line;
  if (!command.directory.empty()) line += "cd " + quoted(command.directory) + " && ";
  for (const std::string& entry : command.environment) {
    if (entry.find('=') != std::string::npos) line += quoted(entry) + " ";
  }
  for (const std::string& argument : command.arguments) line += quoted(argument) + " ";
  if (!line.empty()) line.pop_back();
  return line;
}

}  // namespace weft::test
