// The command line of oshrun: one word a line. A first one that is none of its options is the name it is called by.
#include <string>
#include <vector>

#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "fuzz.hpp"
#include "launch/command/arguments.hpp"
#include "launch/command/ranges.hpp"
#include "launch/hosts/hosts.hpp"
#include "launch/hosts/plan_hosts.hpp"

namespace {

using weft::fuzz::must;
using weft::fuzz::must_be_a_line;

void look_at(weft::launch::command::Arguments& arguments) {
  if (arguments.wish != weft::launch::command::Wish::kRun) return;
  if (arguments.n_pes == 0) {
    // "-N 4" without -n: as many as there are hosts allow, which are counted later.
    must(arguments.per_host > 0 && (!arguments.hosts.empty() || !arguments.host_file.empty()),
         "PEs that are not counted yet are so many on each host");
    if (!weft::launch::command::count_pes(2, arguments)) return;
  }
  int pes = 0;
  for (const auto& part : arguments.parts) {
    must(part.n_pes > 0 && part.words != nullptr && *part.words != nullptr, "each part has PEs and a program");
    pes += part.n_pes;
    for (const std::string& assignment : part.environment)
      must(assignment.find('=', 1) != assignment.npos, "it has a name");
  }
  const bool here = arguments.hosts.empty() && arguments.host_file.empty();
  must(pes == arguments.n_pes, "the job has as many PEs as its parts");
  must(pes <= (here ? weft::boot::kMaxPes : weft::boot::kMostJobPes), "no more than one host, or a job, may have");
  for (const std::string& assignment : arguments.environment) {
    const std::size_t equals = assignment.find('=');
    must(equals != 0 && equals != std::string::npos, "a variable has a name");
  }
  if (const auto chosen = weft::launch::command::read_ranges(arguments.debug_pes, pes); chosen) {
    for (const int pe : *chosen) must(pe >= 0 && pe < pes, "only PEs of the job are debugged");
  }
  if (weft::launch::command::parts_have_hosts(arguments)) {
    const auto shares = weft::launch::hosts::shares_of_parts(arguments);
    if (!shares) must_be_a_line(shares.error().text());
    int placed = 0;
    for (std::size_t k = 0; shares && k < shares->size(); ++k) placed += (*shares)[k].n_pes();
    must(!shares || placed == pes, "each PE has a host");
  }
  if (arguments.hosts.empty()) return;
  const auto hosts = weft::launch::hosts::read_host_list(arguments.hosts);
  if (!hosts) must_be_a_line(hosts.error().text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::Bytes bytes(data, size);
  std::vector<std::string> words;
  if (bytes.rest().substr(0, 3) != "mpi") words.emplace_back("oshrun");
  while (!bytes.rest().empty()) {
    const std::string_view line = bytes.line();
    words.emplace_back(line.substr(0, line.find('\0')));
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto arguments = weft::launch::command::parse_arguments(static_cast<int>(words.size()), argv.data());
  if (arguments) {
    look_at(*arguments);
  } else {
    must_be_a_line(arguments.error().text());
  }
  return 0;
}
