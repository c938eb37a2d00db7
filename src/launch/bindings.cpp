#include "launch/bindings.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>

#include "os/process.hpp"

namespace weft::launch {
namespace {

using base::Error;
using base::Result;

// By the folder oshrun lies in: an installation can be moved, and the two are of one version.
std::string helper_path() {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return {};
  const std::string_view path(self, static_cast<std::size_t>(length));
  return std::string(path.substr(0, path.rfind('/') + 1)) + WEFT_HELPERS + "/weft-bindings";
}

struct Answer {
  std::string text;
  int status = -1;
};

Result<Answer> ask(const std::string& path, std::vector<std::string> words) {
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
  const os::Spawned made = os::spawn(plan);
  (void)::close(ends[1]);
  if (made.pid < 0) {
    (void)::close(ends[0]);
    return Error::make(
        "%s, which comes with Weft when it is built with hwloc, cannot be started: %s; install Weft anew", path.c_str(),
        std::strerror(made.error));
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

bool read_number(std::string_view& text, int& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace

std::string cpu_list(const cpu_set_t& cpus) {
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &cpus)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpu) + (last > cpu ? "-" + std::to_string(last) : "");
    cpu = last;
  }
  return text;
}

Result<cpu_set_t> read_cpu_list(std::string_view text) {
  const std::string whole(text);
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (;;) {
    int first = 0;
    bool good = read_number(text, first);
    int last = first;
    if (good && !text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      good = read_number(text, last);
    }
    if (!good || first < 0 || last < first || last >= CPU_SETSIZE || (!text.empty() && text[0] != ',')) {
      return Error::make("'%.100s' is no list of processors below %d", whole.c_str(), CPU_SETSIZE);
    }
    for (int cpu = first; cpu <= last; ++cpu) CPU_SET(cpu, &cpus);
    if (text.empty()) return cpus;
    text.remove_prefix(1);
  }
}

Result<std::vector<cpu_set_t>> find_bindings(int n_pes, const std::string& bind_to, const std::string& map_by) {
  const auto about = [&](const char* why) { return Error::make("--bind-to %s: %s", bind_to.c_str(), why); };
  const Result<Answer> answer = ask(helper_path(), {"weft-bindings", std::to_string(n_pes), bind_to, map_by});
  if (!answer) return about(answer.error().text());
  std::string_view rest = answer->text;
  if (answer->status != 0) return about(std::string(rest.substr(0, rest.find('\n'))).c_str());
  std::vector<cpu_set_t> bindings;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const Result<cpu_set_t> cpus = read_cpu_list(rest.substr(0, end));
    if (!cpus) return about(cpus.error().text());
    bindings.push_back(*cpus);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (bindings.size() != static_cast<std::size_t>(n_pes)) {
    return about("weft-bindings is of another version than this oshrun; install Weft anew");
  }
  return bindings;
}

cpu_set_t own_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  (void)::sched_getaffinity(0, sizeof cpus, &cpus);
  return cpus;
}

int count_cpus(const std::vector<cpu_set_t>& bindings) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const cpu_set_t& cpus : bindings) CPU_OR(&all, &all, &cpus);
  return CPU_COUNT(&all);
}

}  // namespace weft::launch
