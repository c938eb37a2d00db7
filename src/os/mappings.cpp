#include "os/mappings.hpp"

#include <sys/sysmacros.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstring>

namespace weft::os {
namespace {

// The first line of a mapping. False: it is another one.
bool parse(char* line, Mapped* mapped) noexcept {
  unsigned int major = 0;
  unsigned int minor = 0;
  int name = 0;
  if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &mapped->lo, &mapped->hi,
                  mapped->access, &mapped->offset, &major, &minor, &mapped->inode, &name) != 7) {
    return false;
  }
  line[std::strcspn(line, "\n")] = '\0';
  mapped->device = makedev(major, minor);
  mapped->name = line + name;
  return true;
}

std::uint64_t kib_in(const char* line, const char* key) noexcept {
  const std::size_t length = std::strlen(key);
  std::uint64_t kib = 0;
  return std::strncmp(line, key, length) == 0 && std::sscanf(line + length, "%" SCNu64, &kib) == 1 ? kib << 10 : 0;
}

}  // namespace

bool each_mapped(bool huge, SeeMapped see, void* subject) noexcept {
  std::FILE* file = std::fopen(huge ? "/proc/self/smaps" : "/proc/self/maps", "re");
  if (file == nullptr) return false;
  // Of smaps the lines of a mapping come behind its first one, so it is told when the next one has come.
  char lines[2][PATH_MAX + 256];
  int turn = 0;
  Mapped last{};
  bool has_last = false;
  bool goes_on = true;
  while (goes_on && std::fgets(lines[turn], sizeof lines[turn], file) != nullptr) {
    Mapped next{};
    if (!parse(lines[turn], &next)) {
      last.huge_bytes += kib_in(lines[turn], "AnonHugePages:");
      last.page_bytes += kib_in(lines[turn], "KernelPageSize:");
      continue;
    }
    goes_on = !has_last || see(subject, last);
    last = next;
    has_last = true;
    turn = 1 - turn;
  }
  if (has_last && goes_on) (void)see(subject, last);
  const bool has_all = has_last && std::ferror(file) == 0;
  (void)std::fclose(file);
  return has_all;
}

Status read_status() noexcept {
  Status status;
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return status;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    (void)std::sscanf(line, "Threads: %d", &status.threads);
    status.locked_bytes += kib_in(line, "VmLck:");
    status.pinned_bytes += kib_in(line, "VmPin:");
  }
  (void)std::fclose(file);
  return status;
}

}  // namespace weft::os
