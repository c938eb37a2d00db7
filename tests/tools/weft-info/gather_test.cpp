// That facts are gathered from the process that asks: by limits that the test lowers for itself.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "facts.hpp"
#include "read.hpp"
#include "support/leftovers.hpp"

namespace weft::info {
namespace {

// Lowers a soft limit and puts it back.
class Lowered {
 public:
  Lowered(__rlimit_resource_t which, rlim_t to) : which_(which) {
    EXPECT_EQ(::getrlimit(which_, &before_), 0);
    rlimit low = before_;
    low.rlim_cur = to;
    EXPECT_EQ(::setrlimit(which_, &low), 0);
  }
  ~Lowered() { (void)::setrlimit(which_, &before_); }
  Lowered(const Lowered&) = delete;
  Lowered& operator=(const Lowered&) = delete;

 private:
  __rlimit_resource_t which_;
  rlimit before_{};
};

TEST(Gather, ReadsTheLimitsOfThisProcess) {
  const Lowered files(RLIMIT_NOFILE, 63);
  const Lowered sizes(RLIMIT_FSIZE, 123456789);
  const Lowered cores(RLIMIT_CORE, 0);
  const Facts facts = gather(4);
  EXPECT_EQ(facts.n_pes, 4);
  EXPECT_EQ(facts.descriptors.soft, 63U);
  EXPECT_EQ(facts.file_size.soft, 123456789U);
  EXPECT_EQ(facts.core_size.soft, 0U);
}

TEST(Gather, KnowsTheMachine) {
  const Facts facts = gather(1);
  EXPECT_EQ(facts.page, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  EXPECT_GT(facts.memory.bytes, 0U);
  EXPECT_GT(facts.available, 0U);
  EXPECT_GE(facts.processors, facts.affinity);
  EXPECT_GE(facts.numa_nodes, 1);
  EXPECT_GT(facts.max_mappings, 0);
  EXPECT_NE(facts.clock, "");
  EXPECT_EQ(facts.memory_problem, "");
}

TEST(Gather, FollowsTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (CPU_ISSET(first, &before) == 0) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const Facts facts = gather(1);
  (void)::sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(facts.affinity, 1);
  EXPECT_EQ(usable_cpus(facts), 1);
}

TEST(Gather, FindsVariablesThatWeftDoesNotKnow) {
  for (const char* name : {"SHMEM_NO_SUCH", "WEFT_NO_SUCH", "WEFT_PE", "WEFT_JOBS", "SMA_INFO"}) {
    ASSERT_EQ(::setenv(name, "1", 1), 0);
  }
  const Facts facts = gather(1);
  const auto has = [&](const char* name) {
    return std::count(facts.unknown_names.begin(), facts.unknown_names.end(), name) > 0;
  };
  EXPECT_TRUE(has("SHMEM_NO_SUCH") && has("WEFT_NO_SUCH"));
  EXPECT_FALSE(has("WEFT_PE") || has("WEFT_JOBS") || has("SMA_INFO"));
  EXPECT_TRUE(facts.options.info.on);
  for (const char* name : {"SHMEM_NO_SUCH", "WEFT_NO_SUCH", "WEFT_PE", "WEFT_JOBS", "SMA_INFO"}) ::unsetenv(name);
}

TEST(Gather, KeepsTheProblemOfAnOptionAndGoesOnWithTheDefaults) {
  ASSERT_EQ(::setenv("WEFT_SPIN", "fast", 1), 0);
  const Facts facts = gather(1);
  ::unsetenv("WEFT_SPIN");
  EXPECT_NE(facts.options_problem.find("WEFT_SPIN=fast"), std::string::npos) << facts.options_problem;
  EXPECT_EQ(facts.options.symmetric_size.value, std::uint64_t{512} << 20);
}

TEST(TryMemory, SaysWhyThereIsNone) {
  EXPECT_EQ(try_memory(1 << 20), "");
  const Lowered sizes(RLIMIT_FSIZE, 4096);
  EXPECT_NE(try_memory(1 << 20).find("ulimit -f"), std::string::npos);
}

TEST(Read, TakesWhatFilesHold) {
  const test::TemporaryDirectory files;
  const std::string path = files.path() + "/file";
  std::ofstream(path) << "always [madvise] never\nMemFree:    12 kB\nMem: 3 kB\n";
  EXPECT_EQ(chosen_word(path.c_str()), "madvise");
  EXPECT_EQ(kib_line(path.c_str(), "MemFree"), 12U * 1024);
  EXPECT_EQ(kib_line(path.c_str(), "Mem"), 3U * 1024);
  EXPECT_EQ(kib_line(path.c_str(), "Missing"), 0U);
  EXPECT_EQ(number(path.c_str(), 7), 7);
  EXPECT_EQ(number("/no/such/file", -1), -1);
  EXPECT_EQ(first_line("/no/such/file"), "");
  std::ofstream(path) << "-2 and more\n";
  EXPECT_EQ(number(path.c_str(), 7), -2);
}

}  // namespace
}  // namespace weft::info
