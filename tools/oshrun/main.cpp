// oshrun: starts an OpenSHMEM program on this machine. What it does is in src/launch; this file is the order of it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "launch/arguments.hpp"
#include "launch/launch.hpp"
#include "launch/outputs.hpp"
#include "launch/profile.hpp"
#include "launch/program.hpp"
#include "launch/status.hpp"
#include "os/cpus.hpp"
#include "os/memory_info.hpp"

namespace {

using namespace weft;

int complain(const char* text, int exit_code) {
  (void)std::fprintf(stderr, "oshrun: %s\n", text);
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
void settle_profile(const launch::Arguments& arguments) {
  const char* variable = std::getenv("WEFT_PROFILE");
  std::string folder = arguments.profile_dir;
  if (folder.empty()) folder = arguments.profile ? launch::new_profile_folder() : variable != nullptr ? variable : "";
  if (folder.empty()) return;
  char here[PATH_MAX];
  const bool relative = folder[0] != '/' && ::getcwd(here, sizeof here) != nullptr;
  (void)::setenv("WEFT_PROFILE", (relative ? std::string(here) + "/" + folder : folder).c_str(), 1);
}

// What the job's environment and place are, so that everything after this sees them as the PEs do.
base::Result<launch::OutputFiles> settle(const launch::Arguments& arguments) {
  launch::OutputFiles files;
  if (!arguments.output_dir.empty()) {  // before the change of directory: it is relative to where oshrun was started
    const base::Result<launch::OutputFiles> made = launch::make_output_folder(arguments.output_dir);
    if (!made) return made.error();
    files = *made;
  }
  for (const std::string& assignment : arguments.environment) {
    const std::size_t equals = assignment.find('=');
    (void)::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
  if (arguments.safe) ask_for_checks();
  settle_profile(arguments);
  if (!arguments.work_dir.empty() && ::chdir(arguments.work_dir.c_str()) != 0) {
    return base::Error::make("--wdir %.300s: cannot go there: %s; name a folder that exists",
                             arguments.work_dir.c_str(), std::strerror(errno));
  }
  return files;
}

int start(const launch::Arguments& arguments) {
  const base::Result<launch::OutputFiles> files = settle(arguments);
  if (!files) return complain(files.error().text(), 1);
  const base::Result<base::Options> options = base::read_options();
  if (!options) return complain(options.error().text(), 1);
  std::vector<launch::ProgramPart> programs;
  for (const launch::Part& part : arguments.parts) {
    const launch::Program program = launch::find_program(part.words[0], std::getenv("PATH"));
    if (program.exit_code != 0) return complain(program.problem.c_str(), program.exit_code);
    programs.push_back({part.n_pes, program.path, part.words});
  }

  const os::MemoryInfo memory = os::memory_info();
  const base::MemoryBound bound{memory.bytes, memory.is_container, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
  const base::Result<std::uint64_t> heap = base::heap_bytes_per_pe(*options, arguments.n_pes, bound);
  if (!heap) return complain(heap.error().text(), 1);
  std::vector<cpu_set_t> bindings;
  int cpus = os::usable_cpus();
  if (arguments.bind_to != "none") {
    const std::string map_by = arguments.map_by.empty() ? "core" : arguments.map_by;
    base::Result<std::vector<cpu_set_t>> found = launch::find_bindings(arguments.n_pes, arguments.bind_to, map_by);
    if (!found) return complain(found.error().text(), 1);
    bindings = std::move(*found);
    cpus = std::min(cpus, launch::count_cpus(bindings));
  }
  const base::Result<launch::DebugPlan> debug =
      arguments.debug ? launch::plan_debugging(arguments, launch::look_around()) : launch::DebugPlan{};
  if (!debug) return complain(debug.error().text(), 2);
  const launch::JobPlan plan{arguments.n_pes, cpus, *heap, options->pages()};
  const base::Result<launch::Job> job = launch::make_job(plan);
  if (!job) return complain(job.error().text(), 1);
  if (!job->pages_note.empty()) {
    (void)std::fprintf(stderr, "oshrun: WEFT_HUGE_PAGES=hugetlb: %s\n", job->pages_note.c_str());
  }

  if (options->version.on) base::print_version(stdout);
  if (options->info.on) base::print_info(stdout);
  (void)std::fflush(stdout);
  if (arguments.verbose) {
    char each[base::kByteTextSize];
    for (const launch::ProgramPart& part : programs) {
      (void)std::fprintf(stderr, "oshrun: starting %d PE%s of %s on %d processor%s, symmetric heap %s each\n",
                         part.n_pes, part.n_pes == 1 ? "" : "s", part.path.c_str(), plan.cpus,
                         plan.cpus == 1 ? "" : "s", base::byte_text(plan.heap_bytes, each));
    }
  }
  const launch::Order order{.job = *job,
                            .programs = std::move(programs),
                            .bindings = std::move(bindings),
                            .files = *files,
                            .input = arguments.input,
                            .tag_output = arguments.tag_output,
                            .verbose = arguments.verbose,
                            .report_bindings = arguments.report_bindings,
                            .debug = *debug,
                            .timeout = arguments.timeout,
                            .timeout_text = arguments.timeout_text,
                            .hang_after = arguments.hang_after};
  if (options->profile.value == nullptr) return launch::run(order);
  const base::Result<std::string> folder = launch::prepare_profile(options->profile.value);
  if (!folder) return complain((std::string("the profile: ") + folder.error().text()).c_str(), 1);
  (void)::setenv("WEFT_PROFILE", folder->c_str(), 1);
  const int exit_code = launch::run(order);
  if (const base::Result<void> shown = launch::show_profile(*folder); !shown) complain(shown.error().text(), 0);
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  const base::Result<launch::Arguments> arguments = launch::parse_arguments(argc, argv);
  if (!arguments) return complain(arguments.error().text(), 2);
  switch (arguments->wish) {
    case launch::Wish::kHelp: (void)std::fputs(launch::help_text().c_str(), stdout); return 0;
    case launch::Wish::kStatus: return launch::print_status(arguments->status_of);
    case launch::Wish::kVersion: base::print_version(stdout); return 0;
    case launch::Wish::kRun: break;
  }
  return start(*arguments);
}
