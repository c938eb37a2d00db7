// The limits of processes: ulimit, control groups, the kernel's own.
#include <algorithm>
#include <bit>

#include "boot/node_files.hpp"
#include "judge.hpp"
#include "launch/processes/starter.hpp"
#include "memory/placing.hpp"

namespace weft::info {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
// What a program of 64 bits may map on x86-64 and, with the usual kernels, on others too.
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 47;
// oshrun, and the process that ends the job when oshrun is killed.
constexpr std::uint64_t kOursBesidePes = 2;

std::uint64_t pes(const Facts& facts) { return static_cast<std::uint64_t>(facts.n_pes); }

std::string limit_text(std::uint64_t limit) { return limit == kNoLimit ? "unlimited" : std::to_string(limit); }
std::string limit_in_bytes(std::uint64_t limit) { return limit == kNoLimit ? "unlimited" : bytes_text(limit); }

// A limit that only root can raise is set where a new session takes it from.
std::string raise(const Facts& facts, const Limit& limit, const char* letter, const char* item, std::uint64_t to) {
  const std::string value = to == kNoLimit ? "unlimited" : std::to_string(to);
  if (limit.hard == kNoLimit || to <= limit.hard) return std::string("ulimit -") + letter + " " + value;
  if (!facts.container.empty()) {
    return std::string("docker run --ulimit ") + item + "=" + (to == kNoLimit ? "-1" : value);
  }
  return write_as_root(facts, std::string("'* hard ") + item + " " + value + "'", "/etc/security/limits.conf", true);
}

Finding judge_descriptors(const Facts& facts) {
  const std::uint64_t needed = launch::processes::descriptors_needed(facts.n_pes);
  const std::string found =
      "oshrun needs " + std::to_string(needed) + ", the limit is " + limit_text(facts.descriptors.hard);
  const char* why = "it holds pipes for the output of each PE";
  if (needed <= facts.descriptors.hard) return {"open-files", Level::kOk, found, why, ""};
  return {"open-files", Level::kBad, found, why, raise(facts, facts.descriptors, "n", "nofile", needed)};
}

Finding judge_processes(const Facts& facts) {
  const std::uint64_t needed = pes(facts) + kOursBesidePes;
  const std::string what = "a job takes " + std::to_string(needed);
  const char* why = "each PE is a process";
  if (facts.processes_left_in_group >= 0 && static_cast<std::uint64_t>(facts.processes_left_in_group) < needed) {
    return {"processes", Level::kBad,
            what + ", the control group allows " + std::to_string(facts.processes_left_in_group) + " more", why,
            facts.container.empty() ? as_root(facts, "systemctl set-property user-$(id -u).slice TasksMax=infinity")
                                    : "docker run --pids-limit -1"};
  }
  if (facts.unlimited_processes) return {"processes", Level::kOk, what + ", the limit does not hold for root", why, ""};
  const std::string found = what + ", you run " + std::to_string(facts.processes_of_user) + " and the limit is " +
                            limit_text(facts.processes.soft);
  const std::uint64_t all = facts.processes_of_user + needed;
  if (all <= facts.processes.soft) return {"processes", Level::kOk, found, why, ""};
  return {"processes", Level::kBad, found, why, raise(facts, facts.processes, "u", "nproc", all)};
}

// A PE maps the windows of all: heap, hole and static data of each. The hole is as long as the heap's alignment, the
// next power of two, at most.
Finding judge_address_space(const Facts& facts) {
  const std::uint64_t heap = std::max(planned_heap(facts), facts.page);
  const std::uint64_t windows = facts.n_pes == 1 ? 1 : pes(facts) + 1;  // its own lies apart
  const std::uint64_t least = windows * (heap + kHugePage);
  const std::uint64_t most = windows * (heap + std::bit_ceil(heap) + 2 * kHugePage);
  const std::uint64_t limit = std::min(facts.address_space.soft, kAddresses);
  const std::string found =
      "a PE maps " + bytes_text(least) + " to " + bytes_text(most) + ", the limit is " + limit_in_bytes(limit);
  const char* why = "it sees the memory of all PEs side by side";
  if (most <= limit) return {"address-space", Level::kOk, found, why, ""};
  const std::string remedy =
      facts.address_space.soft < kAddresses
          ? raise(facts, facts.address_space, "v", "as", kNoLimit)
          : "export SHMEM_SYMMETRIC_SIZE=" + std::to_string((std::bit_floor(limit / windows / 2) >> 20)) + "M";
  return {"address-space", least > limit ? Level::kBad : Level::kWarn, found, why, remedy};
}

// Four for each PE: heap, hole, static data, guard; of many PEs two for all, where nothing keeps them apart (record
// 0133). And those of the program and its libraries.
Finding judge_mappings(const Facts& facts) {
  const bool together = facts.n_pes > memory::kMostGuarded && facts.address_space.soft == kNoLimit &&
                        facts.options.pages() != base::HugePages::kHugetlb;
  const long needed = (together ? 4L : 4L * facts.n_pes) + 100;
  const std::string found =
      "a PE makes about " + std::to_string(needed) + ", vm.max_map_count is " + std::to_string(facts.max_mappings);
  const char* why = "it maps heap and static data of each other PE";
  if (needed <= facts.max_mappings) return {"mappings", Level::kOk, found, why, ""};
  return {"mappings", Level::kBad, found, why,
          as_root(facts, "sysctl vm.max_map_count=" + std::to_string(std::max(65530L, 2 * needed)))};
}

Finding judge_file_size(const Facts& facts) {
  const std::uint64_t needed = boot::slot_layout(planned_heap(facts), facts.n_pes).slot_bytes * pes(facts);
  if (needed <= facts.file_size.soft) {
    return {"file-size", Level::kOk, "the limit is " + limit_in_bytes(facts.file_size.soft),
            "the memory of a job is a file, though on no disk", ""};
  }
  return {
      "file-size", Level::kBad,
      "the limit is " + limit_in_bytes(facts.file_size.soft) + ", the job's memory is a file of " + bytes_text(needed),
      "the file lies in memory and takes only what is touched, but the limit holds for it",
      raise(facts, facts.file_size, "f", "fsize", kNoLimit)};
}

Finding judge_locked_memory(const Facts& facts) {
  return {"locked-memory", Level::kOk, "the limit is " + limit_in_bytes(facts.locked_memory.soft),
          "Weft locks no memory: any limit will do", ""};
}

Finding judge_core_size(const Facts& facts) {
  const bool piped = !facts.core_pattern.empty() && facts.core_pattern[0] == '|';
  const std::string where = facts.core_pattern.empty() ? "" : ", kernel.core_pattern is " + facts.core_pattern;
  if (facts.core_size.soft == 0 && !piped) {
    return {"core-dumps", Level::kNote, "the limit is 0" + where,
            "a PE that crashes leaves no core file for a debugger",
            raise(facts, facts.core_size, "c", "core", kNoLimit)};
  }
  return {"core-dumps", Level::kOk, "the limit is " + limit_in_bytes(facts.core_size.soft) + where,
          piped ? "the kernel hands the core of a PE that crashes to that program"
                : "a PE that crashes leaves its core, without the memory of the others",
          ""};
}

}  // namespace

std::vector<Finding> judge_limits(const Facts& facts) {
  return {judge_descriptors(facts), judge_processes(facts),     judge_address_space(facts), judge_mappings(facts),
          judge_file_size(facts),   judge_locked_memory(facts), judge_core_size(facts)};
}

}  // namespace weft::info
