// oshrun, which is mpiexec and mpirun too: starts a program, here or on several hosts. What it does is in src/launch;
// this file is the order of it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "launch/command/arguments.hpp"
#include "launch/command/called.hpp"
#include "launch/command/needs.hpp"
#include "launch/command/program.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/hosts/hosts.hpp"
#include "launch/hosts/mirror.hpp"
#include "launch/hosts/plan_hosts.hpp"
#include "launch/launch.hpp"
#include "launch/processes/capacity.hpp"
#include "launch/processes/mpi.hpp"
#include "launch/processes/openmp.hpp"
#include "launch/processes/profile.hpp"
#include "launch/status.hpp"
#include "launch/streams/outputs.hpp"

#include "api/option_tables.inc"

namespace {

using namespace weft;

// What is said is worded for oshrun, wherever it comes from.
launch::command::Called g_called;

void say(const std::string& text) { (void)std::fprintf(stderr, "%s\n", g_called.line("oshrun: " + text).c_str()); }

int complain(const std::string& text, int exit_code) {
  say(text);
  return exit_code;
}

// A descriptor from 0 to 2 that is closed would be given to the next file we open, and PEs would write into it.
void fill_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR)) {
    if (fd > STDERR_FILENO) {
      (void)::close(fd);
      return;
    }
  }
}

// For this process and all it starts. What else SHMEM_DEBUG asks for stays.
void ask_for_checks() {
  const char* asked = std::getenv("SHMEM_DEBUG");
  (void)::setenv("SHMEM_DEBUG", asked == nullptr ? "check" : (std::string("check,") + asked).c_str(), 1);
}

// The folder that --profile or WEFT_PROFILE names, or a new one, from where oshrun was started.
void settle_profile(const launch::command::Arguments& arguments) {
  const char* variable = std::getenv("WEFT_PROFILE");
  std::string folder = arguments.profile_dir;
  if (folder.empty())
    folder = arguments.profile ? launch::processes::new_profile_folder() : variable != nullptr ? variable : "";
  if (folder.empty()) return;
  char here[PATH_MAX];
  const bool relative = folder[0] != '/' && ::getcwd(here, sizeof here) != nullptr;
  (void)::setenv("WEFT_PROFILE", (relative ? std::string(here) + "/" + folder : folder).c_str(), 1);
}

// Of programs that are one over several processes, and of those that each process is by itself. What a list of
// OMP_NUM_THREADS says of inner regions stays.
void settle_threads(int threads) {
  std::string all = std::to_string(threads);
  (void)::setenv("WEFT_OMP_THREADS", all.c_str(), 1);
  if (const char* list = std::getenv("OMP_NUM_THREADS"); list != nullptr) {
    const char* const inner = std::strchr(list, ',');
    all += inner != nullptr ? inner : "";
  }
  (void)::setenv("OMP_NUM_THREADS", all.c_str(), 1);
}

// A file is where oshrun was started; mappings themselves are no file.
void settle_map(const std::string& map) {
  const std::unique_ptr<char, decltype(&std::free)> file(::realpath(map.c_str(), nullptr), &std::free);
  (void)::setenv("WEFT_OMP_MAP", file != nullptr ? file.get() : map.c_str(), 1);
}

// What the job's environment is, so that everything after this sees it as the PEs do.
void settle_environment(const launch::command::Arguments& arguments) {
  for (const std::string& assignment : arguments.environment) {
    const std::size_t equals = assignment.find('=');
    (void)::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
  if (arguments.threads > 0) settle_threads(arguments.threads);
  if (!arguments.map.empty()) settle_map(arguments.map);
  if (arguments.safe) ask_for_checks();
  settle_profile(arguments);
}

// And its place, on this host.
base::Result<launch::streams::OutputFiles> settle(const launch::command::Arguments& arguments) {
  launch::streams::OutputFiles files;
  if (!arguments.output_dir.empty()) {  // before the change of directory: it is relative to where oshrun was started
    const base::Result<launch::streams::OutputFiles> made = launch::streams::make_output_folder(arguments.output_dir);
    if (!made) return made.error();
    files = *made;
  }
  settle_environment(arguments);
  if (!arguments.work_dir.empty() && ::chdir(arguments.work_dir.c_str()) != 0) {
    return base::Error::make("--wdir %.300s: cannot go there: %s; name a folder that exists",
                             arguments.work_dir.c_str(), std::strerror(errno));
  }
  return files;
}

std::string count_of_pes(int n_pes) { return std::to_string(n_pes) + (n_pes == 1 ? " PE" : " PEs"); }

void print_what_was_asked_for(const base::Options& options) {
  if (options.version.on) base::print_version(stdout);
  if (options.info.on) base::print_info(stdout);
  (void)std::fflush(stdout);
}

// What is the same wherever the PEs run.
launch::Order order_of(const launch::command::Arguments& arguments, const launch::processes::Job& job) {
  launch::Order order;
  order.called = arguments.called;
  order.job = job;
  order.input = arguments.input;
  order.tag_output = arguments.tag_output;
  order.verbose = arguments.verbose;
  order.report_bindings = arguments.report_bindings;
  order.timeout = arguments.timeout;
  order.timeout_text = arguments.timeout_text;
  order.hang_after = arguments.hang_after;
  return order;
}

int run(const launch::Order& order, const base::Options& options) {
  if (options.profile.value == nullptr) return launch::run(order);
  const base::Result<std::string> folder = launch::processes::prepare_profile(options.profile.value);
  if (!folder) return complain(std::string("the profile: ") + folder.error().text(), 1);
  (void)::setenv("WEFT_PROFILE", folder->c_str(), 1);
  const int exit_code = launch::run(order);
  if (const base::Result<void> shown = launch::processes::show_profile(*folder); !shown)
    complain(shown.error().text(), 0);
  return exit_code;
}

// Where they are, and whatever else their PEs need to be started.
int find_programs(const launch::command::Arguments& arguments, std::vector<launch::processes::ProgramPart>& programs) {
  for (const launch::command::Part& part : arguments.parts) {
    const base::Result<std::string> folder = launch::command::folder_of(part.work_dir);
    if (!folder) return complain(folder.error().text(), 1);
    const char* search = part.path.empty() ? std::getenv("PATH") : part.path.c_str();
    const launch::command::Program program = launch::command::find_program(part.words[0], search, *folder);
    if (program.exit_code != 0) return complain(program.problem, program.exit_code);
    programs.push_back({part.n_pes, program.path, part.words, *folder, part.environment});
    const std::optional<launch::command::Needs> needs = launch::command::read_needs(program.path);
    const base::Result<std::string> note =
        launch::processes::provide_mpi(programs.back(), needs, arguments.called.for_mpi() ? arguments.n_pes : 0);
    if (!note) return complain(note.error().text(), launch::command::kNotExecutable);
    if (!note->empty()) say(*note);
    // mpiexec starts as many programs as it is asked for.
    if (arguments.called.for_mpi()) continue;
    if (const auto openmp = launch::processes::provide_openmp(programs.back(), needs, arguments.n_pes); !openmp)
      return complain(openmp.error().text(), launch::command::kNotExecutable);
  }
  return 0;
}

int start(const launch::command::Arguments& arguments) {
  const base::Result<launch::streams::OutputFiles> files = settle(arguments);
  if (!files) return complain(files.error().text(), 1);
  const base::Result<base::Options> options = base::read_options_with(api::option_tables());
  if (!options) return complain(options.error().text(), 1);
  std::vector<launch::processes::ProgramPart> programs;
  if (const int exit_code = find_programs(arguments, programs); exit_code != 0) return exit_code;

  base::Result<launch::processes::Capacity> room =
      launch::processes::find_capacity(*options, arguments.n_pes, arguments.bind_to, arguments.map_by);
  if (!room) return complain(room.error().text(), 1);
  const base::Result<launch::command::DebugPlan> debug =
      arguments.debug ? launch::command::plan_debugging(arguments, launch::command::look_around())
                      : launch::command::DebugPlan{};
  if (!debug) return complain(debug.error().text(), 2);
  launch::processes::JobPlan plan;
  plan.n_pes = arguments.n_pes;
  plan.cpus = room->cpus;
  plan.heap_bytes = room->heap_bytes;
  plan.pages = options->pages();
  const base::Result<launch::processes::Job> job = launch::processes::make_job(plan);
  if (!job) return complain(job.error().text(), 1);
  if (!job->pages_note.empty()) say("WEFT_HUGE_PAGES=hugetlb: " + job->pages_note);

  print_what_was_asked_for(*options);
  if (arguments.verbose) {
    char each[base::kByteTextSize];
    for (const launch::processes::ProgramPart& part : programs) {
      say("starting " + count_of_pes(part.n_pes) + " of " + part.path + " on " + std::to_string(plan.cpus) +
          (plan.cpus == 1 ? " processor" : " processors") + ", symmetric heap " +
          base::byte_text(plan.heap_bytes, each) + " each");
    }
  }
  launch::Order order = order_of(arguments, *job);
  order.programs = std::move(programs);
  order.bindings = std::move(room->bindings);
  order.files = *files;
  order.debug = *debug;
  return run(order, *options);
}

int start_on_hosts(const launch::command::Arguments& arguments, std::vector<launch::hosts::Share> shares) {
  settle_environment(arguments);
  const base::Result<base::Options> options = base::read_options_with(api::option_tables());
  if (!options) return complain(options.error().text(), 1);
  const base::Result<launch::hosts::Errand> errand = launch::hosts::errand_of(arguments, *options, std::move(shares));
  if (!errand) return complain(errand.error().text(), 1);
  const base::Result<launch::processes::Job> mirror =
      launch::hosts::make_mirror(errand->n_pes(), errand->n_nodes(), errand->token);
  if (!mirror) return complain(mirror.error().text(), 1);
  print_what_was_asked_for(*options);
  if (arguments.verbose) {
    for (const launch::hosts::Share& share : errand->shares) {
      const bool in_turn = share.pes.back() - share.pes.front() >= share.n_pes();
      say("starting " + count_of_pes(share.n_pes()) + " on " + share.host + ", from PE " +
          std::to_string(share.pes.front()) + " on" + (in_turn ? ", in turn with the other hosts" : ""));
    }
  }
  launch::Order order = order_of(arguments, *mirror);
  order.errand = &*errand;
  return run(order, *options);
}

// On hosts, unless the only one that gets PEs is this one.
int start_on_shares(const launch::command::Arguments& arguments, std::vector<launch::hosts::Share> shares) {
  if (shares.size() == 1 && launch::hosts::is_this_host(shares.front().host)) return start(arguments);
  return start_on_hosts(arguments, std::move(shares));
}

int start_where_asked(launch::command::Arguments& arguments) {
  if (launch::command::parts_have_hosts(arguments)) {
    base::Result<std::vector<launch::hosts::Share>> of_parts = launch::hosts::shares_of_parts(arguments);
    if (!of_parts) return complain(of_parts.error().text(), 2);
    return start_on_shares(arguments, std::move(*of_parts));
  }
  if (arguments.hosts.empty() && arguments.host_file.empty()) return start(arguments);
  const base::Result<std::vector<launch::hosts::Host>> hosts = launch::hosts::hosts_of(arguments);
  if (!hosts) return complain(hosts.error().text(), 2);
  const base::Result<void> counted = launch::command::count_pes(static_cast<int>(hosts->size()), arguments);
  if (!counted) return complain(counted.error().text(), 2);
  base::Result<std::vector<launch::hosts::Share>> shares =
      launch::hosts::deal_out(arguments.n_pes, *hosts, {arguments.per_host, arguments.in_turn});
  if (!shares) return complain(shares.error().text(), 2);
  return start_on_shares(arguments, std::move(*shares));
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  if (argc > 0) g_called = launch::command::Called(argv[0]);
  base::Result<launch::command::Arguments> arguments = launch::command::parse_arguments(argc, argv);
  if (!arguments) return complain(arguments.error().text(), 2);
  switch (arguments->wish) {
    case launch::command::Wish::kHelp: (void)std::fputs(launch::command::help_text(g_called).c_str(), stdout); return 0;
    case launch::command::Wish::kStatus: return launch::print_status(g_called, arguments->status_of);
    case launch::command::Wish::kVersion: base::print_version(stdout); return 0;
    case launch::command::Wish::kRun: break;
  }
  return start_where_asked(*arguments);
}
