// Processors, clocks, debuggers, containers.
#include "judge.hpp"

namespace weft::info {
namespace {

std::string processors(int n) { return std::to_string(n) + (n == 1 ? " processor" : " processors"); }

Finding judge_processors(const Facts& facts) {
  const int usable = usable_cpus(facts);
  std::string found = pes_text(facts.n_pes) + " on " + processors(usable);
  if (facts.affinity < facts.processors) {
    found += " (the machine has " + std::to_string(facts.processors) + ", this process may use " +
             std::to_string(facts.affinity) + ")";
  }
  if (facts.n_pes > usable) {
    return {"processors", Level::kNote, found,
            "it works, since a PE that waits gives its processor away, but no faster than fewer PEs would",
            "oshrun -n " + std::to_string(usable)};
  }
  return {"processors", Level::kOk, found, "each PE can have its own", ""};
}

// Only a quota that is less than what is seen: the kernel stops those who have used up theirs.
Finding judge_quota(const Facts& facts) {
  if (facts.quota == 0 || facts.quota >= facts.affinity) {
    return {"cpu-quota", Level::kOk, facts.quota == 0 ? "none" : "enough for all processors", "PEs are not held up",
            ""};
  }
  const std::string found = "the control group allows the time of " + processors(facts.quota) + ", of " +
                            std::to_string(facts.affinity) + " that are seen";
  if (facts.n_pes <= facts.quota) return {"cpu-quota", Level::kOk, found, "enough for one each", ""};
  return {"cpu-quota", Level::kWarn, found,
          "PEs that use it up are stopped until the next tenth of a second begins, and the others wait for them",
          "oshrun -n " + std::to_string(facts.quota)};
}

Finding judge_numa(const Facts& facts) {
  const std::string found = std::to_string(facts.numa_nodes) + (facts.numa_nodes == 1 ? " node" : " nodes") +
                            ", WEFT_NUMA=" + base::option_choices("numa")[facts.options.numa.choice];
  if (facts.options.placement() != base::Numa::kOwner && !facts.placement_problem.empty()) {
    return {"numa", Level::kBad, found + ", and libweft_placement.so cannot be used: " + facts.placement_problem,
            "a job that asks for a placement ends when it cannot have it", "unset WEFT_NUMA"};
  }
  if (facts.numa_nodes == 1) return {"numa", Level::kOk, found, "all memory is equally near", ""};
  if (facts.numa_balancing) {
    return {"numa", Level::kNote, found + ", kernel.numa_balancing is 1",
            "the kernel unmaps pages now and then to see who uses them: puts and gets meet page faults",
            as_root(facts, "sysctl kernel.numa_balancing=0")};
  }
  return {"numa", Level::kOk, found + ", kernel.numa_balancing is 0", "pages stay where they were first touched", ""};
}

Finding judge_clock(const Facts& facts) {
  const bool slow =
      facts.clock == "hpet" || facts.clock == "acpi_pm" || facts.clock == "jiffies" || facts.clock == "xen";
  const std::string found = facts.clock.empty() ? "unknown" : facts.clock;
  if (!slow) return {"clock", Level::kOk, found, "a PE that waits long reads it without a system call", ""};
  return {"clock", Level::kNote, found, "a PE that waits long reads it often, and each reading is a system call",
          facts.tsc_is_there
              ? write_as_root(facts, "tsc", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
              : ""};
}

Finding judge_debuggers(const Facts& facts) {
  const std::string found = "kernel.yama.ptrace_scope is " + std::to_string(facts.ptrace_scope);
  if (facts.ptrace_scope == 0) return {"debuggers", Level::kOk, found, "a debugger may attach to a PE that runs", ""};
  return {"debuggers", Level::kNote, found,
          facts.ptrace_scope == 1 ? "a debugger may attach to its own children only, unless it is root's"
                                  : "a debugger may not attach to a PE, unless it is root's",
          facts.ptrace_scope == 3 ? "" : as_root(facts, "sysctl kernel.yama.ptrace_scope=0")};
}

// Other PEs are other processes of this user, so what keeps this one from it keeps PEs from it too; what keeps PEs from
// each other alone, such as containers of their own, only they find out.
Finding judge_single_copy(const Facts& facts) {
  std::string usable;
  std::string others;
  for (const Facts::Way& way : facts.single_copy) {
    std::string& list = way.problem.empty() ? usable : others;
    list += (list.empty() ? "" : "; ") + way.name + (way.problem.empty() ? "" : ": " + way.problem);
  }
  if (!usable.empty()) {
    return {"single-copy", Level::kOk, "by " + usable + (others.empty() ? "" : " (" + others + ")"),
            "a PE reads another one's own memory with one copy", ""};
  }
  const bool unasked = facts.options.single_copy_by() == base::SingleCopy::kNone;
  return {"single-copy", Level::kNote, unasked ? "WEFT_SINGLE_COPY=none" : "none (" + others + ")",
          "a PE reads another one's own memory with two copies", unasked ? "unset WEFT_SINGLE_COPY" : ""};
}

Finding judge_container(const Facts& facts) {
  if (facts.container.empty()) {
    return {"container", Level::kOk, "none was recognised", "the limits are the machine's and the user's", ""};
  }
  return {"container", Level::kNote,
          facts.container + (facts.seccomp ? ", with a filter of system calls" : ", no filter of system calls"),
          "limits of memory, processors and processes are those of the container", ""};
}

}  // namespace

std::vector<Finding> judge_machine(const Facts& facts) {
  return {judge_processors(facts), judge_quota(facts),       judge_numa(facts),     judge_clock(facts),
          judge_debuggers(facts),  judge_single_copy(facts), judge_container(facts)};
}

}  // namespace weft::info
