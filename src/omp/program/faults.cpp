#include "omp/program/faults.hpp"

#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "boot/job.hpp"
#include "job/node.hpp"
#include "omp/program/files.hpp"
#include "omp/program/stacks.hpp"

namespace weft::omp::program {
namespace {

constinit char g_text[512];

// What the process has at an address, by the system's table of its memory; "": nothing.
struct Mapped {
  bool there = false;
  char of[256] = {};
};
Mapped mapped_in(int pid, std::uintptr_t at) noexcept {
  Mapped found;
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/%d/maps", pid);
  std::FILE* const maps = std::fopen(path, "re");
  if (maps == nullptr) {
    return found;
  }
  char line[512];
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  while (!found.there && std::fgets(line, sizeof line, maps) != nullptr) {
    found.of[0] = '\0';
    const int fields = std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %255[^\n]", &lo, &hi, found.of);
    found.there = fields >= 2 && at >= lo && at < hi;
  }
  (void)std::fclose(maps);
  return found;
}

bool is_library(std::string_view file) noexcept { return file.ends_with(".so") || file.find(".so.") != file.npos; }

// Private memory of another process of this machine.
const char* whose(std::uintptr_t at) noexcept {
  const job::Node& node = job::node();
  for (int k = 0; k < node.n_local; ++k) {
    // Relaxed: it does not change any more.
    const int pid = boot::pe_record(node.job, k)->pid.load(std::memory_order_relaxed);
    if (k == node.local || pid <= 0) {
      continue;
    }
    const Mapped is = mapped_in(pid, at);
    if (is.there && is_library(is.of)) {
      (void)std::snprintf(g_text, sizeof g_text,
                          "OpenMP: a thread of process %d has come to 0x%" PRIxPTR
                          " in %s, which process %d alone has loaded (dlopen); link the program with that library, or "
                          "call it outside of regions and with data that threads share",
                          node.me, at, is.of, node.pe_of(k));
      return g_text;
    }
    if (is.there) {
      (void)std::snprintf(g_text, sizeof g_text,
                          "OpenMP: a thread of process %d has used 0x%" PRIxPTR
                          ", which is memory of process %d alone (%s); take what threads share from malloc or new, or "
                          "make it static",
                          node.me, at, node.pe_of(k), is.of[0] != '\0' ? is.of : "as mmap gives it");
      return g_text;
    }
  }
  return nullptr;
}

}  // namespace

bool is_closed(std::uintptr_t at) noexcept { return stack_above(at) != 0; }

const char* why_fault(std::uintptr_t at) noexcept {
  if (const std::size_t bytes = stack_above(at); bytes != 0) {
    (void)std::snprintf(g_text, sizeof g_text,
                        "OpenMP: the stack of a thread of process %d overflowed: it is %zu KiB large; raise "
                        "OMP_STACKSIZE, for the first thread `ulimit -s`, or make large arrays static",
                        job::node().me, bytes >> 10);
    return g_text;
  }
  if (const char* const file = whose_file(at); file != nullptr) {
    return file;
  }
  constexpr std::uintptr_t kNextToNull = 65536;
  return at < kNextToNull ? nullptr : whose(at);
}

}  // namespace weft::omp::program
