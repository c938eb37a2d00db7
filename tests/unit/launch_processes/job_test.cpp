#include "launch/processes/job.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace weft::launch::processes {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// Undoes make_job.
struct Owned {
  Job job;
  ~Owned() {
    (void)::munmap(job.header, job.header->control_bytes);
    (void)::close(job.control_fd);
    (void)::close(job.data_fd);
  }
};

JobPlan plan(int n_pes, std::uint64_t heap_bytes) {
  JobPlan made;
  made.n_pes = n_pes;
  made.cpus = 2;
  made.heap_bytes = heap_bytes;
  return made;
}

TEST(Job, SlotsHoldHeapAGapAndStatics) {
  for (const std::uint64_t heap : {std::uint64_t{4096}, 16 * kMiB, 512 * kMiB, 512 * kMiB + 4096, 1000 * kMiB * 1000}) {
    const boot::SlotLayout layout = boot::slot_layout(heap, 64);
    EXPECT_GE(layout.static_offset, heap + 2 * kMiB);
    EXPECT_EQ(layout.static_offset % (2 * kMiB), 0U);
    EXPECT_GE(layout.slot_bytes, layout.static_offset + 64 * 1024 * kMiB);
    EXPECT_EQ(layout.slot_bytes % (1024 * kMiB), 0U);
  }
}

TEST(Job, HeaderTellsWhatWasPlanned) {
  const base::Result<Job> made = make_job(plan(3, 8 * kMiB));
  ASSERT_TRUE(made) << made.error().text();
  const Owned owned{*made};
  const boot::JobHeader& header = *owned.job.header;
  EXPECT_EQ(header.magic, boot::kJobMagic);
  EXPECT_EQ(header.layout, boot::kJobLayout);
  EXPECT_EQ(header.n_pes, 3U);
  EXPECT_EQ(header.cpus, 2U);
  EXPECT_EQ(header.heap_bytes, 8 * kMiB);
  EXPECT_EQ(header.launcher_pid, ::getpid());
  EXPECT_EQ(header.exit_request.load(), 0U);
  for (int pe = 0; pe < 3; ++pe) {
    EXPECT_EQ(owned.job.pe(pe).pid.load(), 0);
    EXPECT_EQ(owned.job.pe(pe).phase.load(), static_cast<std::uint32_t>(boot::Phase::kStarted));
  }
}

TEST(Job, FilesAreSparseSealedAndInherited) {
  const base::Result<Job> made = make_job(plan(boot::kMaxPes, 512 * kMiB));
  ASSERT_TRUE(made) << made.error().text();
  const Owned owned{*made};
  struct stat data {};
  ASSERT_EQ(::fstat(owned.job.data_fd, &data), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(data.st_size),
            (owned.job.header->slot_bytes + boot::kMostOwnBytes) * boot::kMaxPes);
  EXPECT_EQ(data.st_blocks, 0);
  EXPECT_NE(::ftruncate(owned.job.data_fd, 0), 0);
  for (const int fd : {owned.job.control_fd, owned.job.data_fd}) {
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

TEST(Job, VariableNamesTheFiles) {
  const base::Result<Job> made = make_job(plan(2, kMiB));
  ASSERT_TRUE(made) << made.error().text();
  const Owned owned{*made};
  unsigned layout = 0;
  int pid = 0;
  int control = -1;
  int data = -1;
  unsigned long control_inode = 0;
  unsigned long data_inode = 0;
  ASSERT_EQ(std::sscanf(job_variable(owned.job).c_str(), "WEFT_JOB=%u:%d:%d:%lu:%d:%lu", &layout, &pid, &control,
                        &control_inode, &data, &data_inode),
            6);
  EXPECT_EQ(layout, boot::kJobLayout);
  EXPECT_EQ(pid, ::getpid());
  struct stat info {};
  ASSERT_EQ(::fstat(control, &info), 0);
  EXPECT_EQ(info.st_ino, control_inode);
  ASSERT_EQ(::fstat(data, &info), 0);
  EXPECT_EQ(info.st_ino, data_inode);
}

TEST(Job, RefusesSizesBeyondAFile) {
  const base::Result<Job> made = make_job(plan(boot::kMaxPes, std::uint64_t{1} << 52));
  ASSERT_FALSE(made);
  EXPECT_NE(std::string(made.error().text()).find("4096 PEs"), std::string::npos) << made.error().text();
}

}  // namespace
}  // namespace weft::launch::processes
