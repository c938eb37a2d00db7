#include "launch/hosts/preparation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/options.hpp"
#include "launch/command/needs.hpp"
#include "launch/command/program.hpp"
#include "launch/processes/mpi.hpp"
#include "launch/processes/openmp.hpp"
#include "launch/processes/profile.hpp"

#include "api/option_tables.inc"

namespace weft::launch::hosts {

using processes::NotStarted;

std::optional<NotStarted> Preparation::make(Errand& errand, int node) {
  if (std::optional<NotStarted> problem = go_to_work(errand)) return problem;
  const base::Result<base::Options> options = base::read_options_with(api::option_tables());
  if (!options) return NotStarted{options.error().text()};
  if (options->profile.value != nullptr) {
    const base::Result<std::string> folder = processes::prepare_profile(options->profile.value);
    if (!folder) return NotStarted{std::string("the profile: ") + folder.error().text()};
  }
  pages = options->pages();
  const int n_pes = errand.shares[static_cast<std::size_t>(node)].n_pes();
  const base::Result<processes::Capacity> room =
      processes::find_capacity(*options, n_pes, errand.bind_to, errand.map_by);
  if (!room) return NotStarted{room.error().text()};
  capacity = *room;
  return find_programs(errand, node);
}

std::optional<NotStarted> Preparation::go_to_work(const Errand& errand) {
  if (::chdir(errand.directory.c_str()) != 0 && (errand.work_dir.empty() || errand.work_dir[0] != '/')) {
    return NotStarted{"cannot go to " + errand.directory + ", where oshrun was started: " + std::strerror(errno) +
                      "; make it there, or name another folder with --wdir"};
  }
  for (const std::string& assignment : errand.environment) {
    const std::size_t equals = assignment.find('=');
    (void)::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
  if (!errand.output_dir.empty()) {
    const base::Result<streams::OutputFiles> made = streams::make_output_folder(errand.output_dir);
    if (!made) return NotStarted{made.error().text()};
    files = *made;
  }
  if (!errand.work_dir.empty() && ::chdir(errand.work_dir.c_str()) != 0) {
    return NotStarted{"--wdir " + errand.work_dir + ": cannot go there: " + std::strerror(errno) +
                      "; name a folder that exists"};
  }
  return std::nullopt;
}

std::optional<NotStarted> Preparation::find_programs(Errand& errand, int node) {
  const std::vector<int>& pes = errand.shares[static_cast<std::size_t>(node)].pes;
  int first = 0;
  for (ErrandPart& part : errand.parts) {
    const auto lowest = std::lower_bound(pes.begin(), pes.end(), first);
    first += part.n_pes;
    const bool runs_here = lowest != pes.end() && *lowest < first;
    const char* search = part.path.empty() ? std::getenv("PATH") : part.path.c_str();
    const base::Result<std::string> folder = command::folder_of(part.work_dir);
    if (runs_here && !folder) return NotStarted{folder.error().text()};
    const command::Program program =
        runs_here ? command::find_program(part.words[0].c_str(), search, *folder) : command::Program{};
    if (program.exit_code != 0) return NotStarted{program.problem, program.exit_code};
    words_.emplace_back();
    for (std::string& word : part.words) words_.back().push_back(word.data());
    words_.back().push_back(nullptr);
    programs.push_back({part.n_pes, program.path, nullptr, *folder, part.environment});
    if (!runs_here) continue;
    const std::optional<command::Needs> needs = command::read_needs(program.path);
    const base::Result<std::string> note =
        processes::provide_mpi(programs.back(), needs, errand.by_mpiexec ? errand.n_pes() : 0);
    if (!note) return NotStarted{note.error().text(), command::kNotExecutable};
    // mpiexec starts as many programs as it is asked for.
    if (!errand.by_mpiexec) {
      const base::Result<void> openmp = processes::provide_openmp(programs.back(), needs, errand.n_pes());
      if (!openmp) return NotStarted{openmp.error().text(), command::kNotExecutable};
    }
    const bool tells = *lowest == first - part.n_pes;  // the host of its first PE is enough
    if (tells && !note->empty()) notes.push_back(*note);
  }
  for (std::size_t k = 0; k < programs.size(); ++k) programs[k].words = words_[k].data();
  return std::nullopt;
}

processes::JobPlan Preparation::plan(const Errand& errand, int node, std::uint64_t heap_bytes) const {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  // Hosts that get huge pages and hosts that do not must have heaps of one size.
  const bool huge = pages == base::HugePages::kHugetlb;
  processes::JobPlan plan;
  plan.pages = pages;
  plan.heap_bytes = huge ? (heap_bytes + kHugePage - 1) / kHugePage * kHugePage : heap_bytes;
  plan.n_pes = errand.shares[static_cast<std::size_t>(node)].n_pes();
  plan.cpus = capacity.cpus;
  plan.node = node;
  for (const Share& each : errand.shares) plan.node_pes.push_back(each.pes);
  plan.token = errand.token;
  plan.key = errand.key;
  return plan;
}

}  // namespace weft::launch::hosts
