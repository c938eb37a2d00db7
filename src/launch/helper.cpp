#include "launch/helper.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/process.hpp"

namespace weft::launch {

base::Result<Answer> ask(const std::string& path, std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::Error::make("cannot make a pipe: %s", std::strerror(errno));
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
  const os::Spawned made = os::spawn(plan);
  (void)::close(ends[1]);
  if (made.pid < 0) {
    (void)::close(ends[0]);
    return base::Error::make("%s", std::strerror(made.error));
  }
  Answer answer;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR);) {
    if (got > 0) answer.text.append(buffer, static_cast<std::size_t>(got));
  }
  (void)::close(ends[0]);
  while (::waitpid(made.pid, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

}  // namespace weft::launch
