#include <gtest/gtest.h>

#include "machine.hpp"

namespace weft::info {
namespace {

TEST(JudgeOpenFiles, OnlyTheHardLimitCountsAsOshrunRaisesTheOther) {
  Facts facts = good_machine();
  facts.n_pes = 1000;
  EXPECT_EQ(only(facts, "open-files").level, Level::kOk);
  facts.descriptors.hard = 2031;
  const Finding finding = only(facts, "open-files");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.found, "oshrun needs 2032, the limit is 2031");
  EXPECT_EQ(finding.remedy, "echo '* hard nofile 2032' >> /etc/security/limits.conf");
  facts.root = false;
  EXPECT_EQ(only(facts, "open-files").remedy, "echo '* hard nofile 2032' | sudo tee -a /etc/security/limits.conf");
  facts.container = "docker";
  EXPECT_EQ(only(facts, "open-files").remedy, "docker run --ulimit nofile=2032");
  facts.descriptors.hard = 2032;
  EXPECT_EQ(only(facts, "open-files").level, Level::kOk);
}

TEST(JudgeProcesses, CountsThoseThatTheUserHas) {
  Facts facts = good_machine();
  facts.processes = {106, 200};
  EXPECT_EQ(only(facts, "processes").level, Level::kOk);
  facts.processes.soft = 105;
  const Finding finding = only(facts, "processes");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.found, "a job takes 6, you run 100 and the limit is 105");
  EXPECT_EQ(finding.remedy, "ulimit -u 106");
  facts.unlimited_processes = true;
  EXPECT_EQ(only(facts, "processes").level, Level::kOk);
}

TEST(JudgeProcesses, LooksAtTheControlGroupEvenForRoot) {
  Facts facts = good_machine();
  facts.unlimited_processes = true;
  facts.processes_left_in_group = 6;
  EXPECT_EQ(only(facts, "processes").level, Level::kOk);
  facts.processes_left_in_group = 5;
  EXPECT_EQ(only(facts, "processes").level, Level::kBad);
  EXPECT_EQ(only(facts, "processes").remedy, "systemctl set-property user-$(id -u).slice TasksMax=infinity");
  facts.container = "docker";
  EXPECT_EQ(only(facts, "processes").remedy, "docker run --pids-limit -1");
}

TEST(JudgeAddressSpace, IsBadWhenWindowsCannotFitAndWarnsWhenTheyMayNot) {
  Facts facts = good_machine();  // five windows: 4 of all and its own
  facts.address_space.soft = 5 * kGiB + 20 * kMiB;
  EXPECT_EQ(only(facts, "address-space").level, Level::kOk);
  facts.address_space.soft = 4 * kGiB;
  EXPECT_EQ(only(facts, "address-space").level, Level::kWarn);
  facts.address_space.soft = 2 * kGiB;
  EXPECT_EQ(only(facts, "address-space").level, Level::kBad);
  EXPECT_EQ(only(facts, "address-space").remedy, "ulimit -v unlimited");
}

TEST(JudgeAddressSpace, KnowsTheProcessors) {
  Facts facts = good_machine();
  facts.n_pes = 4000;
  facts.options.symmetric_size = {64 * kGiB, true};
  facts.options.overcommit.on = true;
  const Finding finding = only(facts, "address-space");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.remedy, "export SHMEM_SYMMETRIC_SIZE=16384M");
  facts.options.symmetric_size.value = 16384 * kMiB;
  EXPECT_EQ(only(facts, "address-space").level, Level::kOk);
}

TEST(JudgeMappings, ComparesWithMaxMapCount) {
  Facts facts = good_machine();
  facts.n_pes = 1000;
  EXPECT_EQ(only(facts, "mappings").level, Level::kOk);
  facts.max_mappings = 4000;
  EXPECT_EQ(only(facts, "mappings").level, Level::kOk) << "two for all";
  facts.address_space = {64'000 * kGiB, kNoLimit};
  EXPECT_EQ(only(facts, "mappings").level, Level::kBad) << "with a limit of addresses each has its own";
  EXPECT_EQ(only(facts, "mappings").remedy, "sysctl vm.max_map_count=65530");
}

TEST(JudgeFileSize, IsBadBelowTheJobsMemory) {
  Facts facts = good_machine();
  EXPECT_EQ(only(facts, "file-size").level, Level::kOk);
  facts.file_size = {kGiB, kNoLimit};
  const Finding finding = only(facts, "file-size");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.remedy, "ulimit -f unlimited");
  facts.file_size.hard = kGiB;
  facts.container = "docker";
  EXPECT_EQ(only(facts, "file-size").remedy, "docker run --ulimit fsize=-1");
}

TEST(JudgeLockedMemory, NeverMatters) {
  Facts facts = good_machine();
  facts.locked_memory.soft = 0;
  EXPECT_EQ(only(facts, "locked-memory").level, Level::kOk);
}

TEST(JudgeCoreDumps, NotesThatThereWillBeNone) {
  Facts facts = good_machine();
  EXPECT_EQ(only(facts, "core-dumps").level, Level::kOk);
  facts.core_size = {0, kNoLimit};
  EXPECT_EQ(only(facts, "core-dumps").level, Level::kNote);
  EXPECT_EQ(only(facts, "core-dumps").remedy, "ulimit -c unlimited");
  facts.core_pattern = "|/usr/lib/systemd/systemd-coredump %P";  // which is run whatever the limit
  EXPECT_EQ(only(facts, "core-dumps").level, Level::kOk);
}

}  // namespace
}  // namespace weft::info
