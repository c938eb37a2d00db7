#include "launch/status.hpp"

#include <charconv>
#include <cstdio>

#include "doctor/examine.hpp"
#include "doctor/look_in.hpp"
#include "helper/helper.hpp"

namespace weft::launch {
namespace {

std::string list(const std::vector<int>& jobs) {
  if (jobs.empty()) return "there is none that you could look into";
  std::string text = jobs.size() == 1 ? "there is " : "there are ";
  for (std::size_t k = 0; k < jobs.size(); ++k) text += (k == 0 ? "" : ", ") + std::to_string(jobs[k]);
  return text;
}

}  // namespace

int print_status(const std::string& job) {
  int process = 0;
  const auto [stop, error] = std::from_chars(job.data(), job.data() + job.size(), process);
  if (error != std::errc{} || stop != job.data() + job.size() || process <= 0) {
    (void)std::fprintf(stderr, "oshrun: --status %.200s: give the process id of a job's oshrun; %s\n", job.c_str(),
                       list(doctor::jobs()).c_str());
    return 2;
  }
  const base::Result<doctor::Job> found = doctor::look_in(process);
  if (!found) {
    (void)std::fprintf(stderr, "oshrun: --status %d: %s; %s\n", process, found.error().text(),
                       list(doctor::jobs()).c_str());
    return 1;
  }
  const int n_pes = found->shape.n_pes;
  (void)std::printf("job %d: %d PE%s\n", process, n_pes, n_pes == 1 ? "" : "s");
  for (const std::string& line : doctor::examine(*found, doctor::living(*found), helper::path_of("weft-where"))) {
    (void)std::printf("  %s\n", line.c_str());
  }
  return 0;
}

}  // namespace weft::launch
