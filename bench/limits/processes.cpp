// Processes that share memory, made by fork, and their regions.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "limits/limits.hpp"

namespace weft::bench {
namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

constexpr std::size_t kControlBytes = 65536;

}  // namespace

Regions make_regions(int processes) {
  Regions regions;
  regions.file = ::memfd_create("weft-limits", MFD_CLOEXEC);
  const auto bytes = kControlBytes + static_cast<std::size_t>(processes) * kRegionBytes;
  if (regions.file < 0 || ::ftruncate(regions.file, static_cast<off_t>(bytes)) != 0) give_up("memory file");
  void* at = ::mmap(nullptr, kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, regions.file, 0);
  if (at == MAP_FAILED) give_up("mmap");
  regions.control = new (at) Control{};
  return regions;
}

char* map_region(const Regions& regions, int owner, std::size_t bytes) {
  const auto offset = static_cast<off_t>(kControlBytes + static_cast<std::size_t>(owner) * kRegionBytes);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, regions.file, offset);
  if (at == MAP_FAILED) give_up("mmap");
  std::memset(at, 0, bytes);
  return static_cast<char*>(at);
}

void release_regions(const Regions& regions) {
  (void)::munmap(regions.control, kControlBytes);
  (void)::close(regions.file);
}

const Times& faster(const Times& one, const Times& other) {
  const auto median = [](Times times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  return median(one) <= median(other) ? one : other;
}

void run_processes(int n, void (*body)(int rank, void* argument), void* argument) {
  const pid_t parent = ::getpid();
  cpu_set_t allowed;
  (void)::sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<pid_t> children;
  for (int rank = 1; rank < n; ++rank) {
    const pid_t child = ::fork();
    if (child < 0) give_up("fork");
    if (child == 0) {
      (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      pin(rank);
      body(rank, argument);
      ::_exit(0);
    }
    children.push_back(child);
  }
  pin(0);
  body(0, argument);
  for (const pid_t child : children) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child || status != 0) give_up("a process of the measurement failed");
  }
  (void)::sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace weft::bench
