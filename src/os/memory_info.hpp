// How much memory and processor time, and how many processes, this process may use: the machine's, or less inside a
// container.
#pragma once

#include <cstdint>

namespace weft::os {

struct MemoryInfo {
  std::uint64_t bytes = 0;    // what may be used in all; 0 when it could not be found out
  bool is_container = false;  // a control group allows less than the machine has
};

/// MemTotal of the machine, or the smallest limit of this process's control group and those above it (version 1
/// and 2). `root` is where proc/ and the cgroup mounts are looked up: "" in earnest, a directory in tests.
MemoryInfo memory_info(const char* root = "") noexcept;

/// Bytes of addresses that this process may have (RLIMIT_AS); UINT64_MAX without a limit.
std::uint64_t address_limit() noexcept;

/// Processors' worth of time the control groups allow, rounded up; 0 when they set no limit.
int cpu_quota(const char* root = "") noexcept;

/// How many more processes and threads the control groups allow; -1 when they set no limit.
std::int64_t processes_left(const char* root = "") noexcept;

}  // namespace weft::os
