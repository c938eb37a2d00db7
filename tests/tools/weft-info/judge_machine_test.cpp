#include <gtest/gtest.h>

#include "machine.hpp"

namespace weft::info {
namespace {

TEST(Judge, HasNothingToSayAboutAGoodMachine) {
  const std::vector<Finding> findings = judge(good_machine());
  EXPECT_GE(findings.size(), 19U);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.level, Level::kOk) << finding.topic << ": " << finding.found;
    EXPECT_EQ(finding.remedy, "") << finding.topic;
    EXPECT_NE(finding.found, "") << finding.topic;
    EXPECT_NE(finding.why, "") << finding.topic;
  }
}

TEST(JudgeProcessors, NotesMorePesThanProcessors) {
  Facts facts = good_machine();
  facts.n_pes = 8;
  EXPECT_EQ(only(facts, "processors").level, Level::kOk);
  facts.affinity = 2;
  const Finding finding = only(facts, "processors");
  EXPECT_EQ(finding.level, Level::kNote);
  EXPECT_EQ(finding.found, "8 PEs on 2 processors (the machine has 8, this process may use 2)");
  EXPECT_EQ(finding.remedy, "oshrun -n 2");
}

TEST(JudgeQuota, WarnsWhenPesWillBeStopped) {
  Facts facts = good_machine();
  facts.quota = 8;
  EXPECT_EQ(only(facts, "cpu-quota").level, Level::kOk);
  facts.quota = 4;
  EXPECT_EQ(only(facts, "cpu-quota").level, Level::kOk);  // 4 PEs
  facts.quota = 3;
  const Finding finding = only(facts, "cpu-quota");
  EXPECT_EQ(finding.level, Level::kWarn);
  EXPECT_EQ(finding.remedy, "oshrun -n 3");
}

TEST(JudgeNuma, NotesBalancingOnSeveralNodesOnly) {
  Facts facts = good_machine();
  facts.numa_balancing = true;
  EXPECT_EQ(only(facts, "numa").level, Level::kOk);
  facts.numa_nodes = 2;
  EXPECT_EQ(only(facts, "numa").level, Level::kNote);
  EXPECT_EQ(only(facts, "numa").remedy, "sysctl kernel.numa_balancing=0");
  facts.numa_balancing = false;
  EXPECT_EQ(only(facts, "numa").level, Level::kOk);
}

TEST(JudgeNuma, IsBadWhenAPlacementIsAskedForAndCannotBeHad) {
  Facts facts = good_machine();
  facts.placement_problem = "Weft was built without hwloc";
  EXPECT_EQ(only(facts, "numa").level, Level::kOk);
  facts.options.numa.choice = static_cast<std::uint8_t>(base::Numa::kBind);
  EXPECT_EQ(only(facts, "numa").level, Level::kBad);
  EXPECT_EQ(only(facts, "numa").remedy, "unset WEFT_NUMA");
}

TEST(JudgeClock, NotesThoseThatTakeASystemCall) {
  Facts facts = good_machine();
  for (const char* fast : {"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"}) {
    facts.clock = fast;
    EXPECT_EQ(only(facts, "clock").level, Level::kOk) << fast;
  }
  for (const char* slow : {"hpet", "acpi_pm", "xen", "jiffies"}) {
    facts.clock = slow;
    EXPECT_EQ(only(facts, "clock").level, Level::kNote) << slow;
  }
  EXPECT_NE(only(facts, "clock").remedy, "");
  facts.tsc_is_there = false;
  EXPECT_EQ(only(facts, "clock").remedy, "");
}

TEST(JudgeDebuggers, NotesThatTheyMayNotAttach) {
  Facts facts = good_machine();
  facts.ptrace_scope = 1;
  EXPECT_EQ(only(facts, "debuggers").level, Level::kNote);
  EXPECT_EQ(only(facts, "debuggers").remedy, "sysctl kernel.yama.ptrace_scope=0");
  facts.root = false;
  EXPECT_EQ(only(facts, "debuggers").remedy, "sudo sysctl kernel.yama.ptrace_scope=0");
  facts.ptrace_scope = 3;  // cannot be lowered before the next start
  EXPECT_EQ(only(facts, "debuggers").remedy, "");
}

TEST(JudgeContainer, SaysWhichItIs) {
  Facts facts = good_machine();
  facts.container = "podman";
  facts.seccomp = true;
  EXPECT_EQ(only(facts, "container").found, "podman, with a filter of system calls");
  EXPECT_EQ(only(facts, "container").level, Level::kNote);
}

TEST(JudgeSingleCopy, NamesTheWaysAndWhyNotTheOthers) {
  Facts facts = good_machine();
  facts.single_copy = {{"xpmem", "no module"}, {"cma", ""}, {"knem", ""}};
  EXPECT_EQ(only(facts, "single-copy").level, Level::kOk);
  EXPECT_EQ(only(facts, "single-copy").found, "by cma; knem (xpmem: no module)");
  facts.single_copy = {{"xpmem", "no module"}, {"cma", "a filter"}};
  EXPECT_EQ(only(facts, "single-copy").level, Level::kNote);
  EXPECT_EQ(only(facts, "single-copy").found, "none (xpmem: no module; cma: a filter)");
  EXPECT_EQ(only(facts, "single-copy").remedy, "");
  facts.options.single_copy.choice = static_cast<std::uint8_t>(base::SingleCopy::kNone);
  EXPECT_EQ(only(facts, "single-copy").remedy, "unset WEFT_SINGLE_COPY");
}

TEST(JudgeOptions, IsBadWhenOneIsNotUnderstood) {
  Facts facts = good_machine();
  facts.options_problem = "WEFT_SPIN=fast is not a whole number; give a number from 0 up, or auto";
  const Finding finding = only(facts, "options");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.remedy, "unset WEFT_SPIN");
}

TEST(JudgeVariables, WarnsOfSlipsAndNotesOtherNames) {
  Facts facts = good_machine();
  facts.unknown_names = {"SHMEM_BARRIER_ALGORITHM", "SHMEM_SYMETRIC_SIZE", "WEFT_HUGEPAGES", "WEFT_OF_THE_USER"};
  const std::vector<Finding> found = about(facts, "variables");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].level, Level::kNote);
  EXPECT_EQ(found[1].level, Level::kWarn);
  EXPECT_EQ(found[1].remedy, "export SHMEM_SYMMETRIC_SIZE=\"$SHMEM_SYMETRIC_SIZE\"");
  EXPECT_EQ(found[2].remedy, "export WEFT_HUGE_PAGES=\"$WEFT_HUGEPAGES\"");
}

}  // namespace
}  // namespace weft::info
