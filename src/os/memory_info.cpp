#include "os/memory_info.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::os {
namespace {

constexpr int kMaxPath = 1024;
constexpr int kMaxLine = 2048;

std::FILE* open_below(const char* root, const char* path) noexcept {
  char full[2 * kMaxPath];
  const int length = std::snprintf(full, sizeof full, "%s%s", root, path);
  return length < static_cast<int>(sizeof full) ? std::fopen(full, "re") : nullptr;
}

// The first line. By three system calls: each start of a job reads a dozen such files.
bool read_line(const char* root, const char* path, char* line, int size) noexcept {
  char full[2 * kMaxPath];
  const int length = std::snprintf(full, sizeof full, "%s%s", root, path);
  const int file = length < static_cast<int>(sizeof full) ? ::open(full, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return false;
  const ssize_t got = ::read(file, line, static_cast<std::size_t>(size) - 1);
  (void)::close(file);
  if (got <= 0) return false;
  line[got] = '\0';
  line[std::strcspn(line, "\n")] = '\0';
  return true;
}

std::uint64_t machine_memory(const char* root) noexcept {
  std::FILE* file = open_below(root, "/proc/meminfo");
  if (file == nullptr) return 0;
  char line[256];
  std::uint64_t kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "MemTotal: %" SCNu64, &kib) == 1) break;
  }
  (void)std::fclose(file);
  return kib * 1024;
}

/// The directory of this process's group in one hierarchy: the mount, and the part of the path below it.
struct Group {
  const char* controller = nullptr;  // of a version 1 hierarchy; null: version 2, which has one for all
  bool found = false;
  char mount[kMaxPath] = {};
  char path[kMaxPath] = {};  // "" or "/a/b", to be appended to mount
};

struct Groups {
  Group unified;
  Group memory;
  Group cpu;
  Group pids;
};

bool listed(const char* list, const char* word) noexcept {
  const std::size_t length = std::strlen(word);
  for (const char* at = list; (at = std::strstr(at, word)) != nullptr; at += length) {
    const bool starts = at == list || at[-1] == ',';
    const bool ends = at[length] == '\0' || at[length] == ',' || at[length] == '\n';
    if (starts && ends) return true;
  }
  return false;
}

template <class Visit>
void for_each_line(const char* root, const char* path, Visit&& visit) noexcept {
  std::FILE* file = open_below(root, path);
  if (file == nullptr) return;
  char line[kMaxLine];
  while (std::fgets(line, sizeof line, file) != nullptr) visit(line);
  (void)std::fclose(file);
}

// A line "<id>:<controllers>:<path>" of /proc/self/cgroup; version 2 has no controllers.
void note_path(Group& group, char* line) noexcept {
  char* controllers = std::strchr(line, ':');
  char* path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
  if (path == nullptr) return;
  ++controllers;
  const std::size_t length = static_cast<std::size_t>(path++ - controllers);
  char list[kMaxLine];
  (void)std::snprintf(list, sizeof list, "%.*s", static_cast<int>(length), controllers);
  if (group.controller == nullptr ? length == 0 : listed(list, group.controller)) {
    (void)std::snprintf(group.path, kMaxPath, "%.*s", static_cast<int>(std::strcspn(path, "\n")), path);
  }
}

// A line of /proc/self/mountinfo. A container without a cgroup namespace sees the host's path, and a mount whose root
// is that path: what the two share is taken off.
void note_mount(Group& group, const char* line) noexcept {
  const char* kind = std::strstr(line, " - cgroup");
  char type[32];
  char options[kMaxPath] = {};
  if (kind == nullptr || group.found || group.path[0] == '\0' ||
      std::sscanf(kind, " - %31s %*s %1023s", type, options) < 1) {
    return;
  }
  const bool its = group.controller == nullptr ? std::strcmp(type, "cgroup2") == 0
                                               : std::strcmp(type, "cgroup") == 0 && listed(options, group.controller);
  char top[kMaxPath];
  if (!its || std::sscanf(line, "%*s %*s %*s %1023s %1023s", top, group.mount) != 2) return;
  group.found = true;
  const std::size_t shared = std::strcmp(top, "/") == 0 ? 0 : std::strlen(top);
  if (shared > 0 && std::strncmp(group.path, top, shared) == 0) {
    std::memmove(group.path, group.path + shared, std::strlen(group.path + shared) + 1);
  }
  if (std::strcmp(group.path, "/") == 0) group.path[0] = '\0';
}

Groups find_groups(const char* root) noexcept {
  Groups groups;
  // Not by initialisers: the compiler makes a copy of all 8 KiB to start from, which each PE would load.
  groups.memory.controller = "memory";
  groups.cpu.controller = "cpu";
  groups.pids.controller = "pids";
  Group* const all[] = {&groups.unified, &groups.memory, &groups.cpu, &groups.pids};
  for_each_line(root, "/proc/self/cgroup", [&](char* line) {
    for (Group* group : all) note_path(*group, line);
  });
  for_each_line(root, "/proc/self/mountinfo", [&](const char* line) {
    for (Group* group : all) note_mount(*group, line);
  });
  return groups;
}

// Once: to read these files takes longer than to start a process.
const Groups& groups_below(const char* root, Groups* room) noexcept {
  if (root[0] != '\0') {
    *room = find_groups(root);
    return *room;
  }
  static const Groups ours = find_groups(root);
  return ours;
}

// Calls `visit` with the directory of the group and of each one above it, as far as they can be seen.
template <class Visit>
void for_each_directory(const Group& group, Visit&& visit) noexcept {
  if (!group.found) return;
  char path[kMaxPath];
  (void)std::snprintf(path, sizeof path, "%s", group.path);
  for (;;) {
    char directory[2 * kMaxPath];
    (void)std::snprintf(directory, sizeof directory, "%s%s", group.mount, path);
    visit(directory);
    char* slash = std::strrchr(path, '/');
    if (slash == nullptr) return;
    *slash = '\0';
  }
}

bool read_line_in(const char* root, const char* directory, const char* name, char* line, int size) noexcept {
  char file[2 * kMaxPath + 64];
  (void)std::snprintf(file, sizeof file, "%s/%s", directory, name);
  return read_line(root, file, line, size);
}

// Calls `visit` with the first line of `name` in each of these directories.
template <class Visit>
void for_each_level(const char* root, const Group& group, const char* name, Visit&& visit) noexcept {
  for_each_directory(group, [&](const char* directory) {
    char line[256];
    if (read_line_in(root, directory, name, line, sizeof line)) visit(line);
  });
}

// "max" (version 2) and numbers near 2^63 (version 1) mean no limit; strtoull makes 0 of the first.
std::uint64_t smallest_memory_limit(const char* root, const Group& group, const char* name) noexcept {
  std::uint64_t smallest = UINT64_MAX;
  for_each_level(root, group, name, [&](const char* line) {
    const std::uint64_t limit = std::strtoull(line, nullptr, 10);
    if (limit > 0) smallest = std::min(smallest, limit);
  });
  return smallest;
}

int rounded_up(double quota, double period) noexcept {
  const double cpus = quota / period;
  const int whole = cpus >= INT_MAX ? INT_MAX : static_cast<int>(cpus);
  return std::max(1, static_cast<double>(whole) < cpus ? whole + 1 : whole);
}

}  // namespace

MemoryInfo memory_info(const char* root) noexcept {
  const std::uint64_t machine = machine_memory(root);
  Groups room;
  const Groups& groups = groups_below(root, &room);
  const std::uint64_t limit = std::min(smallest_memory_limit(root, groups.unified, "memory.max"),
                                       smallest_memory_limit(root, groups.memory, "memory.limit_in_bytes"));
  if (limit != UINT64_MAX && (machine == 0 || limit < machine)) return {limit, true};
  return {machine, false};
}

int cpu_quota(const char* root) noexcept {
  int smallest = INT_MAX;
  Groups room;
  const Groups& groups = groups_below(root, &room);
  for_each_level(root, groups.unified, "cpu.max", [&](const char* line) {
    double quota = 0;
    double period = 0;
    if (std::sscanf(line, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0) {
      smallest = std::min(smallest, rounded_up(quota, period));
    }
  });
  double period = 0;
  for_each_level(root, groups.cpu, "cpu.cfs_period_us", [&](const char* line) {
    if (period <= 0) period = std::strtod(line, nullptr);
  });
  for_each_level(root, groups.cpu, "cpu.cfs_quota_us", [&](const char* line) {
    const double quota = std::strtod(line, nullptr);  // -1: no limit
    if (quota > 0 && period > 0) smallest = std::min(smallest, rounded_up(quota, period));
  });
  return smallest == INT_MAX ? 0 : smallest;
}

std::int64_t processes_left(const char* root) noexcept {
  std::int64_t least = INT64_MAX;
  Groups room;
  const Groups& groups = groups_below(root, &room);
  for (const Group* group : {&groups.unified, &groups.pids}) {
    for_each_directory(*group, [&](const char* directory) {
      char limit[64];
      char used[64];
      if (!read_line_in(root, directory, "pids.max", limit, sizeof limit) || limit[0] == 'm' ||
          !read_line_in(root, directory, "pids.current", used, sizeof used)) {
        return;
      }
      const long long left = std::strtoll(limit, nullptr, 10) - std::strtoll(used, nullptr, 10);
      least = std::min(least, static_cast<std::int64_t>(std::max(0LL, left)));
    });
  }
  return least == INT64_MAX ? -1 : least;
}

std::uint64_t address_limit() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

}  // namespace weft::os
