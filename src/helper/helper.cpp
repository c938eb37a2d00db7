#include "helper/helper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string_view>

#include "os/clock.hpp"
#include "os/process.hpp"

namespace weft::helper {
namespace {

using base::Error;
using base::Result;

// True: something can be read, or the other end is closed. False: the time is over.
bool wait_for_text(int fd, std::uint64_t end_ns) {
  for (;;) {
    pollfd room{fd, POLLIN, 0};
    int wait = -1;
    if (end_ns != 0) {
      const std::uint64_t now = os::now_ns();
      if (now >= end_ns) return false;
      wait = static_cast<int>(std::min<std::uint64_t>((end_ns - now) / 1'000'000 + 1, INT_MAX));
    }
    const int came = ::poll(&room, 1, wait);
    if (came > 0 || (came < 0 && errno != EINTR)) return true;
  }
}

}  // namespace

Result<Answer> ask(const std::string& path, std::vector<std::string> words, int limit_ms, Errors errors) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::make("cannot make a pipe: %s", std::strerror(errno));
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  os::Spawn plan;
  plan.path = path.c_str();
  plan.arguments = arguments.data();
  plan.environment = environ;
  plan.out = ends[1];
  sigemptyset(&plan.reset_signals);
  const int nowhere = errors == Errors::kQuiet ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (nowhere >= 0) plan.err = nowhere;
  const os::Spawned made = os::spawn(plan);
  if (nowhere >= 0) (void)::close(nowhere);
  (void)::close(ends[1]);
  if (made.pid < 0) {
    (void)::close(ends[0]);
    return Error::make("%s cannot be started: %s", path.c_str(), std::strerror(made.error));
  }
  const std::uint64_t end = limit_ms == 0 ? 0 : os::now_ns() + static_cast<std::uint64_t>(limit_ms) * 1'000'000;
  Answer answer;
  char buffer[4096];
  for (ssize_t got = 1; got != 0;) {
    if (!wait_for_text(ends[0], end)) {
      (void)::kill(made.pid, SIGKILL);
      break;
    }
    got = ::read(ends[0], buffer, sizeof buffer);
    if (got > 0) answer.text.append(buffer, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  (void)::close(ends[0]);
  while (::waitpid(made.pid, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

std::string beside_us(const std::string& name) {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return {};
  const std::string_view path(self, static_cast<std::size_t>(length));
  const std::size_t folder = path.rfind('/') + 1;
  // The agent of oshrun is a helper itself, and does what oshrun does.
  const bool is_helper = path.substr(folder) == "weft-agent";
  return std::string(path.substr(0, folder)) + (is_helper ? WEFT_PROGRAMS "/" : "") + name;
}

std::string path_of(const char* name) { return beside_us(std::string(WEFT_HELPERS "/") + name); }

}  // namespace weft::helper
