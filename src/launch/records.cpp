#include "launch/records.hpp"

#include <algorithm>
#include <utility>

#include "api/calls.hpp"

namespace weft::launch {
namespace {

using boot::Phase;
using boot::Waiting;

const char* what_for(Waiting waiting) {
  switch (waiting) {
    case Waiting::kInit: return "for all PEs to call shmem_init";
    case Waiting::kBarrier: return "for all PEs at a barrier";
    case Waiting::kFinalize: return "for all PEs to call shmem_finalize";
    case Waiting::kValue: return "for a value that another PE stores";
    case Waiting::kLock: return "for a lock";
    case Waiting::kTeam: return "for the members of its team";
    case Waiting::kNot: break;
  }
  return "for something an oshrun of this build does not know";
}

std::string doing(const boot::PeRecord& record) {
  if (static_cast<boot::Hold>(record.hold.load(std::memory_order_acquire)) == boot::Hold::kHeld) {
    return "waits before main for a debugger";
  }
  const std::string call = call_of(record);
  const Waiting waiting = waiting_of(record);
  if (waiting != Waiting::kNot) return std::string("waits ") + what_for(waiting) + (call.empty() ? "" : ", in " + call);
  switch (phase_of(record)) {
    case Phase::kStarted: return "has not loaded Weft";
    case Phase::kAttached: return "has not called shmem_init";
    case Phase::kFinalised: return "goes on after shmem_finalize";
    case Phase::kInitialised: break;
  }
  return call.empty() ? "waits for nothing" : "waits for nothing; its last Weft call: " + call;
}

}  // namespace

std::string call_of(const boot::PeRecord& record) {
  const std::uint32_t index = record.call.load(std::memory_order_acquire);
  if (index == 0 || index >= api::kCalls) return {};
  return api::call_name(static_cast<api::Call>(index));
}

std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

std::vector<std::string> doings(boot::JobHeader* job, const std::vector<int>& pes, std::uint64_t now) {
  struct Group {
    std::string text;
    std::vector<int> pes;
    std::uint64_t since = UINT64_MAX;  // the first of them waits
  };
  std::vector<Group> groups;
  for (const int pe : pes) {
    const boot::PeRecord& record = *boot::pe_record(job, pe);
    std::string text = doing(record);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.text == text; });
    if (group == groups.end()) group = groups.insert(group, Group{std::move(text), {}});
    group->pes.push_back(pe);
    if (waiting_of(record) == Waiting::kNot) continue;
    group->since = std::min(group->since, record.waiting_since.load(std::memory_order_acquire));
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    std::string line = (group.pes.size() == 1 ? "PE " : "PEs ") + ranges(group.pes) +
                       (group.pes.size() == 1 ? ": " : ": each ") + group.text;
    if (group.since < now) line += ", for " + std::to_string((now - group.since) / 1'000'000) + " ms";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace weft::launch
