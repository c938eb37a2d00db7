#include "doctor/examine.hpp"

#include <time.h>

#include <algorithm>

#include "doctor/openmp_text.hpp"
#include "doctor/process.hpp"
#include "doctor/stacks.hpp"
#include "doctor/whole.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"

namespace weft::doctor {
namespace {

// A thread that waits looks every 100 ms or more often; one of a busy machine may have to wait for a processor.
constexpr std::uint64_t kLongestWatch = 2'000'000'000;
constexpr long kBetweenLooksNs = 5'000'000;
// Records of PEs on other hosts come now and then, and nothing tells whether one of them has looked since.
constexpr std::uint64_t kStillElsewhere = 1'000'000'000;

std::vector<Pe> look(const Job& job, const std::vector<bool>& living) {
  std::vector<Pe> pes = look_at(job.header, job.shape, living, os::now_ns());
  for (std::size_t k = 0; k < pes.size(); ++k) {
    const int pid = pes[k].alive ? job.process_of(static_cast<int>(k)) : 0;
    if (pid == 0) continue;
    pes[k].stopped = os::is_stopped(pid);
    pes[k].threads = threads_of(pid) > std::max(static_cast<int>(pes[k].waits.size()), 1);
  }
  return pes;
}

// Looks twice, and longer where it is not yet clear whether a PE stands still.
std::vector<Pe> watch(const Job& job, const std::vector<bool>& living) {
  const std::vector<Pe> before = look(job, living);
  const std::uint64_t end = os::now_ns() + kLongestWatch;
  std::vector<Pe> after;
  do {
    const timespec pause{0, kBetweenLooksNs};
    (void)::nanosleep(&pause, nullptr);
    after = look(job, living);
  } while (!is_settled(before, after) && os::now_ns() < end);
  keep_still(before, after);
  return after;
}

std::vector<Pe> look_elsewhere(const Job& job, const std::vector<bool>& living) {
  std::vector<Pe> pes = look(job, living);
  for (Pe& pe : pes) {
    for (Wait& wait : pe.waits) {
      wait.still = wait.lasted >= kStillElsewhere;
      pe.moved = pe.moved || !wait.still;
      // Any thread takes a lock in shared memory, and how many there are on another host nobody has told.
      pe.threads = pe.threads || (wait.why == boot::Waiting::kLock && wait.in_shared());
    }
    for (Thread& thread : pe.openmp.threads) thread.still = thread.lasted >= kStillElsewhere;
  }
  return pes;
}

bool in_safe_mode(const Job& job, const std::vector<Pe>& pes) {
  for (std::size_t k = 0; k < pes.size(); ++k) {
    const int pid = pes[k].alive ? job.process_of(static_cast<int>(k)) : 0;
    if (pid != 0) return has_loaded(pid, "libweft_check");
  }
  return false;
}

}  // namespace

std::vector<std::string> examine(const Job& job, const std::vector<bool>& living, const std::string& tool) {
  std::vector<Pe> pes = job.elsewhere() ? look_elsewhere(job, living) : watch(job, living);
  const std::uint64_t now = os::now_ns();
  const std::string unseen = job.elsewhere() ? "" : look_up_stacks(job, tool, pes);
  const OpenMpView threads(pes);
  ThreadStacks stacks;
  const std::string threads_unseen = job.elsewhere() ? "" : look_up_stacks(job, tool, threads, stacks);
  const Places places(job, pes, tool);
  std::vector<std::string> lines = doings(threads, pes, places, stacks, now);
  for (std::string& line : doings(pes, places, now)) lines.push_back(std::move(line));
  for (const std::string& each : {unseen, threads_unseen}) {
    if (!each.empty()) lines.push_back(each);
  }
  for (std::string& line : lock_queues(pes, places)) lines.push_back(std::move(line));
  if (std::string counts = collective_counts(pes); !counts.empty()) lines.push_back(std::move(counts));
  for (const ThreadFinding& finding : threads.diagnose()) {
    lines.push_back("=> " + sentence(finding, threads, pes, places));
  }
  std::vector<Finding> findings = diagnose(pes);
  // Of a PE with OpenMP threads only these say whether it goes on.
  if (!threads.empty()) {
    std::erase_if(findings, [](const Finding& finding) {
      return finding.kind == Finding::Kind::kNobodyRuns || finding.kind == Finding::Kind::kHeldUpBy;
    });
  }
  for (const Finding& finding : findings) lines.push_back("=> " + sentence(finding, pes, places));
  if (safe_mode_helps(findings, pes) && !in_safe_mode(job, pes)) {
    lines.emplace_back("=> run again with oshrun --safe: it tells the first call that is wrong");
  }
  return lines;
}

}  // namespace weft::doctor
