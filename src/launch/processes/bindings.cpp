#include "launch/processes/bindings.hpp"

#include <optional>

#include "helper/helper.hpp"
#include "launch/command/ranges.hpp"

namespace weft::launch::processes {
namespace {

using base::Error;
using base::Result;

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
  const std::optional<std::vector<int>> numbers = command::read_ranges(text, CPU_SETSIZE);
  if (!numbers) {
    return Error::make("'%.100s' is no list of processors below %d", std::string(text).c_str(), CPU_SETSIZE);
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : *numbers) CPU_SET(cpu, &cpus);
  return cpus;
}

Result<std::vector<cpu_set_t>> find_bindings(int n_pes, const std::string& bind_to, const std::string& map_by) {
  const auto about = [&](const char* why) { return Error::make("--bind-to %s: %s", bind_to.c_str(), why); };
  const Result<helper::Answer> answer =
      helper::ask(helper::path_of("weft-bindings"), {"weft-bindings", std::to_string(n_pes), bind_to, map_by}, 0);
  if (!answer) {
    return about((answer.error().text() + std::string("; it comes with Weft when it is built with hwloc")).c_str());
  }
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

}  // namespace weft::launch::processes
