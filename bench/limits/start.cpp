// What it takes the kernel to start and end as many processes as a job has, against the job: both started from here,
// in turn.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "limits/limits.hpp"

namespace weft::bench {
namespace {

double ns_to_run(int copies, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::vector<pid_t> children(static_cast<std::size_t>(copies));
  const double begin = now_ns();
  for (pid_t& child : children) {
    if (::posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
      (void)std::fprintf(stderr, "limits: cannot start %s\n", arguments[0]);
      std::exit(1);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) {
      (void)std::fprintf(stderr, "limits: %s failed\n", arguments[0]);
      std::exit(1);
    }
  }
  return now_ns() - begin;
}

}  // namespace

void measure_start(const plan& how, int processes, const char* oshrun, const char* program) {
  const std::vector<std::string> nothing{"/bin/true"};
  const std::vector<std::string> job{oshrun, "-n", std::to_string(processes), program};
  double limit[MOST_REPETITIONS];
  double weft[MOST_REPETITIONS];
  (void)ns_to_run(processes, nothing);
  (void)ns_to_run(1, job);
  for (int r = 0; r < how.repetitions; ++r) {
    limit[r] = ns_to_run(processes, nothing);
    weft[r] = ns_to_run(1, job);
  }
  print_times("start", "limit", processes, limit, how.repetitions);
  print_times("start", "job", processes, weft, how.repetitions);
}

}  // namespace weft::bench
