#include "doctor/report.hpp"

#include "doctor/process.hpp"
#include "os/clock.hpp"

namespace weft::doctor {

std::vector<std::string> report(const Job& job, const std::vector<bool>& living, const std::string& tool) {
  std::vector<Pe> pes = look_at(job.header, living);
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    const int pid = boot::pe_record(job.header, static_cast<int>(pe))->pid.load(std::memory_order_relaxed);
    pes[pe].stopped = !job.elsewhere() && pes[pe].alive && pid != 0 && is_stopped(pid);
  }
  const std::uint64_t now = os::now_ns();
  const Places places(job, pes, tool);
  std::vector<std::string> lines = doings(pes, places, now);
  for (const Finding& finding : diagnose(pes)) lines.push_back("=> " + sentence(finding, pes, places));
  return lines;
}

}  // namespace weft::doctor
