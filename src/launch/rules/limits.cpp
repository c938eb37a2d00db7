#include "launch/rules/limits.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>

namespace weft::launch::rules {
namespace {

struct Close {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::uint64_t soft(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return Limits::kNone;
  return limit.rlim_cur;
}

std::string about_core(bool dumped, pid_t pid, const Limits& limits) {
  const bool piped = limits.core_pattern.substr(0, 1) == "|";
  if (!dumped) return limits.core_bytes == 0 ? "; core dumps are off here (ulimit -c unlimited turns them on)" : "";
  if (!piped) return {};
  if (limits.core_pattern.find("systemd-coredump") != std::string::npos) {
    return "; coredumpctl gdb " + std::to_string(pid) + " opens the core dump";
  }
  return "; the core dump went to " + limits.core_pattern.substr(1, limits.core_pattern.find(' ') - 1);
}

std::string about_kill(const Limits& limits, OutOfMemory memory) {
  if (memory == OutOfMemory::kYes) {
    return "; memory ran out, and the kernel has killed a process (dmesg names it): lower SHMEM_SYMMETRIC_SIZE or "
           "start "
           "fewer PEs";
  }
  std::string text = memory == OutOfMemory::kUnknown
                         ? "; if nobody sent it, the kernel did because memory ran out"
                         : "; a process sent it: the kernel has not killed any for want of memory";
  if (limits.cpu_seconds != Limits::kNone) {
    text += ", or the processor time was up (ulimit -t is " + std::to_string(limits.cpu_seconds) + " s)";
  }
  return text;
}

}  // namespace

Limits read_limits() {
  Limits limits{soft(RLIMIT_CORE), soft(RLIMIT_CPU), soft(RLIMIT_FSIZE), {}};
  const File file(std::fopen("/proc/sys/kernel/core_pattern", "re"));
  std::array<char, 256> line{};
  if (file && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    limits.core_pattern = line.data();
    limits.core_pattern = limits.core_pattern.substr(0, limits.core_pattern.find('\n'));
  }
  return limits;
}

std::optional<std::uint64_t> out_of_memory_kills() {
  const File file(std::fopen("/proc/vmstat", "re"));
  if (!file) return std::nullopt;
  std::array<char, 128> line{};
  unsigned long long kills = 0;
  while (std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    if (std::sscanf(line.data(), "oom_kill %llu", &kills) == 1) return kills;
  }
  return std::nullopt;
}

std::string advice(int wait_status, pid_t pid, const Limits& limits, OutOfMemory memory) {
  if (!WIFSIGNALED(wait_status)) return {};
  switch (WTERMSIG(wait_status)) {
    case SIGKILL: return about_kill(limits, memory);
    case SIGXCPU:
      if (limits.cpu_seconds == Limits::kNone) return {};
      return "; its processor time was up: ulimit -t is " + std::to_string(limits.cpu_seconds) + " s";
    case SIGXFSZ:
      if (limits.file_bytes == Limits::kNone) return {};
      return "; it made a file too large: ulimit -f is " + std::to_string(limits.file_bytes / 1024) + " KiB";
    case SIGBUS:
      return "; memory for its shared pages may have run out (this machine's or this container's)" +
             about_core(WCOREDUMP(wait_status), pid, limits);
    case SIGQUIT:
    case SIGILL:
    case SIGTRAP:
    case SIGABRT:
    case SIGFPE:
    case SIGSEGV:
    case SIGSYS: return about_core(WCOREDUMP(wait_status), pid, limits);
    default: return {};
  }
}

}  // namespace weft::launch::rules
