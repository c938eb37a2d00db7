#include <gtest/gtest.h>

#include "machine.hpp"

namespace weft::info {
namespace {

TEST(JudgeMemory, IsContentWhenAllHeapsFit) {
  const Finding finding = only(good_machine(), "memory");
  EXPECT_EQ(finding.level, Level::kOk);
  EXPECT_EQ(finding.found, "4 PEs x 512 MiB = 2 GiB of symmetric heap, the machine has 16 GiB");
}

TEST(JudgeMemory, IsBadWhenWhatWasAskedForCannotFit) {
  Facts facts = good_machine();
  facts.options.symmetric_size = {8 * kGiB, true};
  facts.memory.is_container = true;
  const Finding finding = only(facts, "memory");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.found, "4 PEs x 8 GiB = 32 GiB of symmetric heap, the control group allows 16 GiB");
  EXPECT_EQ(finding.remedy, "export SHMEM_SYMMETRIC_SIZE=3072M");

  facts.options.overcommit.on = true;
  EXPECT_EQ(only(facts, "memory").level, Level::kWarn);
}

TEST(JudgeMemory, TheRemedyIsEnough) {
  Facts facts = good_machine();
  facts.options.symmetric_size = {3072 * kMiB, true};
  facts.available = 15 * kGiB;
  EXPECT_EQ(only(facts, "memory").level, Level::kOk);
}

TEST(JudgeMemory, IsBadWhenThereAreTooManyPesForAnyHeap) {
  Facts facts = good_machine();
  facts.n_pes = 4096;
  const Finding finding = only(facts, "memory");
  EXPECT_EQ(finding.level, Level::kBad);
  EXPECT_EQ(finding.remedy, "oshrun -n 768");
  facts.n_pes = 768;
  EXPECT_NE(only(facts, "memory").level, Level::kBad);
}

TEST(JudgeMemory, NotesAHeapThatWasMadeSmaller) {
  Facts facts = good_machine();
  facts.n_pes = 100;
  const Finding finding = only(facts, "memory");
  EXPECT_EQ(finding.level, Level::kNote);
  EXPECT_NE(finding.found.find("less than the usual 512 MiB each"), std::string::npos) << finding.found;
}

TEST(JudgeMemory, WarnsWhenMostOfTheMemoryIsTaken) {
  Facts facts = good_machine();
  facts.available = kGiB;
  const Finding finding = only(facts, "memory");
  EXPECT_EQ(finding.level, Level::kWarn);
  EXPECT_EQ(finding.remedy, "export SHMEM_SYMMETRIC_SIZE=192M");
}

TEST(JudgeMemory, NotesAMachineThatDoesNotTell) {
  Facts facts = good_machine();
  facts.memory.bytes = 0;
  EXPECT_EQ(only(facts, "memory").level, Level::kNote);
}

TEST(JudgeOvercommit, WarnsOnlyOfStrictAccountingWithTooLittleLeft) {
  Facts facts = good_machine();
  facts.overcommit = 2;
  EXPECT_EQ(only(facts, "overcommit").level, Level::kOk);
  facts.commit_left = kGiB;
  const Finding finding = only(facts, "overcommit");
  EXPECT_EQ(finding.level, Level::kWarn);
  EXPECT_EQ(finding.remedy, "sysctl vm.overcommit_memory=0");
  facts.overcommit = 1;
  EXPECT_EQ(only(facts, "overcommit").level, Level::kOk);
}

TEST(JudgeSharedMemory, IsBadWhenNoFileCouldBeMade) {
  Facts facts = good_machine();
  facts.memory_problem = "cannot create shared memory (memfd_create): Operation not permitted";
  EXPECT_EQ(only(facts, "shared-memory").level, Level::kBad);
  EXPECT_EQ(only(facts, "shared-memory").remedy, "");
  facts.seccomp = true;
  EXPECT_EQ(only(facts, "shared-memory").remedy, "docker run --security-opt seccomp=unconfined");
}

TEST(JudgeDevShm, NeverMatters) {
  Facts facts = good_machine();
  for (const std::uint64_t bytes : {std::uint64_t{0}, 64 * kMiB}) {
    facts.dev_shm = bytes;
    EXPECT_EQ(only(facts, "dev-shm").level, Level::kOk);
  }
}

TEST(JudgeHugePages, CountsReservedOnes) {
  Facts facts = good_machine();
  facts.options.huge_pages.choice = static_cast<std::uint8_t>(base::HugePages::kHugetlb);
  facts.huge_pages = 500;
  facts.free_huge_pages = 400;
  const Finding finding = only(facts, "huge-pages");
  EXPECT_EQ(finding.level, Level::kWarn);
  EXPECT_EQ(finding.remedy, "sysctl vm.nr_hugepages=1124");  // 1024 for us, 100 that others have
  facts.free_huge_pages = 1024;
  EXPECT_EQ(only(facts, "huge-pages").level, Level::kOk);
}

TEST(JudgeHugePages, LooksAtTheKernelsSettingForTransparentOnes) {
  Facts facts = good_machine();
  EXPECT_EQ(only(facts, "huge-pages").level, Level::kOk);  // not asked for
  facts.options.huge_pages.choice = static_cast<std::uint8_t>(base::HugePages::kThp);
  EXPECT_EQ(only(facts, "huge-pages").level, Level::kWarn);
  EXPECT_EQ(only(facts, "huge-pages").remedy, "echo advise > /sys/kernel/mm/transparent_hugepage/shmem_enabled");
  facts.thp_of_files = "";
  EXPECT_EQ(only(facts, "huge-pages").remedy, "export WEFT_HUGE_PAGES=off");
  facts.thp_of_files = "advise";
  EXPECT_EQ(only(facts, "huge-pages").level, Level::kOk);
}

}  // namespace
}  // namespace weft::info
