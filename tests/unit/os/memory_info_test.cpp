#include "os/memory_info.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/leftovers.hpp"

namespace weft::os {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// A made-up machine: the files that are read, below a directory.
class MemoryInfoTest : public testing::Test {
 protected:
  void SetUp() override { file("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100 kB\n"); }
  void file(const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(root() + path).parent_path());
    std::ofstream(root() + path) << content;
  }
  std::string root() const { return files.path(); }
  MemoryInfo info() const { return memory_info(root().c_str()); }
  int quota() const { return cpu_quota(root().c_str()); }

  void version_2(const std::string& path) {
    file("/proc/self/cgroup", "0::" + path + "\n");
    file("/proc/self/mountinfo",
         "22 1 0:20 / /proc rw - proc proc rw\n"
         "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_1(const std::string& top) {
    file("/proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n");
    file("/proc/self/mountinfo", "35 31 0:32 " + top +
                                     " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                     "32 31 0:29 " +
                                     top + " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  }

  test::TemporaryDirectory files;
};

TEST_F(MemoryInfoTest, IsTheMachinesWithoutControlGroups) {
  EXPECT_EQ(info().bytes, 8192 * kMiB);
  EXPECT_FALSE(info().is_container);
  EXPECT_EQ(quota(), 0);
}

TEST_F(MemoryInfoTest, IsUnknownWhereNothingCanBeRead) { EXPECT_EQ(memory_info("/no/such/directory").bytes, 0U); }

TEST_F(MemoryInfoTest, TakesTheSmallestLimitOnTheWayUp) {
  version_2("/a/b");
  file("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  file("/sys/fs/cgroup/a/b/memory.max", "max\n");
  file("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(info().bytes, 1024 * kMiB);
  EXPECT_TRUE(info().is_container);
  EXPECT_EQ(quota(), 2);
  file("/sys/fs/cgroup/a/b/memory.max", "536870912\n");
  file("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(info().bytes, 512 * kMiB);
  EXPECT_EQ(quota(), 1);
}

TEST_F(MemoryInfoTest, ReadsTheMountItselfInsideAContainer) {
  version_2("/");
  file("/sys/fs/cgroup/memory.max", "2147483648\n");
  file("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(info().bytes, 2048 * kMiB);
  EXPECT_EQ(quota(), 3);
}

TEST_F(MemoryInfoTest, IgnoresALimitAboveTheMachines) {
  version_2("/");
  file("/sys/fs/cgroup/memory.max", "99999999999999\n");
  EXPECT_EQ(info().bytes, 8192 * kMiB);
  EXPECT_FALSE(info().is_container);
}

TEST_F(MemoryInfoTest, ReadsVersion1) {
  version_1("/");
  file("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "805306368\n");
  file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  file("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(info().bytes, 768 * kMiB);
  EXPECT_TRUE(info().is_container);
  EXPECT_EQ(quota(), 3);
}

// Without a cgroup namespace the path is the host's, and the mount shows only what is below it.
TEST_F(MemoryInfoTest, ReadsVersion1WithTheHostsPath) {
  version_1("/docker/abc");
  file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "805306368\n");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(info().bytes, 768 * kMiB);
  EXPECT_EQ(quota(), 0);
}

TEST_F(MemoryInfoTest, CountsTheProcessesThatAreLeft) {
  version_2("/a/b");
  EXPECT_EQ(processes_left(root().c_str()), -1);
  file("/sys/fs/cgroup/a/pids.max", "100\n");
  file("/sys/fs/cgroup/a/pids.current", "40\n");
  file("/sys/fs/cgroup/a/b/pids.max", "max\n");
  file("/sys/fs/cgroup/a/b/pids.current", "30\n");
  EXPECT_EQ(processes_left(root().c_str()), 60);
  file("/sys/fs/cgroup/a/b/pids.max", "32\n");
  EXPECT_EQ(processes_left(root().c_str()), 2);
  file("/sys/fs/cgroup/a/b/pids.max", "20\n");  // lowered below what runs already
  EXPECT_EQ(processes_left(root().c_str()), 0);
}

}  // namespace
}  // namespace weft::os
