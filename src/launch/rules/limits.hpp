// The limits that PEs run under, and what they have to do with the way a PE ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace weft::launch::rules {

struct Limits {
  static constexpr std::uint64_t kNone = UINT64_MAX;
  std::uint64_t core_bytes = kNone;   // ulimit -c
  std::uint64_t cpu_seconds = kNone;  // ulimit -t
  std::uint64_t file_bytes = kNone;   // ulimit -f
  std::string core_pattern = {};      // where the kernel puts a core file, or "|" and the program that gets it
};

/// Those of this process, which its PEs inherit.
Limits read_limits();

/// How many processes this machine's kernel has killed because memory ran out; nothing where it does not tell.
std::optional<std::uint64_t> out_of_memory_kills();

enum class OutOfMemory : std::uint8_t { kUnknown, kNo, kYes };

/// What to tell somebody whose process ended by this signal, "; " first; "" when there is nothing to add.
std::string advice(int wait_status, pid_t pid, const Limits& limits, OutOfMemory memory);

}  // namespace weft::launch::rules
