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

int print_status(const command::Called& called, const std::string& job) {
  int process = 0;
  const auto [stop, error] = std::from_chars(job.data(), job.data() + job.size(), process);
  const auto refuse = [&](const std::string& why, int exit_code) {
    const std::string line =
        called.line("oshrun: --status " + job.substr(0, 200) + ": " + why + "; " + list(doctor::jobs()));
    (void)std::fprintf(stderr, "%s\n", line.c_str());
    return exit_code;
  };
  if (error != std::errc{} || stop != job.data() + job.size() || process <= 0) {
    return refuse("give the process id of a job's oshrun", 2);
  }
  const base::Result<doctor::Job> found = doctor::look_in(process);
  if (!found) return refuse(found.error().text(), 1);
  const int n_pes = found->shape.n_pes;
  const std::string head = std::to_string(n_pes) + (n_pes == 1 ? " PE" : " PEs");
  (void)std::printf("job %d: %s\n", process, called.line(head).c_str());
  for (const std::string& line : doctor::examine(*found, doctor::living(*found), helper::path_of("weft-where"))) {
    (void)std::printf("  %s\n", called.line(line).c_str());
  }
  return 0;
}

}  // namespace weft::launch
