// A library with libxpmem's functions for machines without its kernel module. Of another process's memory it attaches
// what is a file that this process has open as well: the same pages, as the module would give them. What is not there
// faults when it is touched, as with the module.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Address {
  std::int64_t access;
  off_t offset;
};

std::size_t g_attached_bytes = 0;  // the last attachment's; all have one size

int descriptor_of(ino_t inode) {
  DIR* folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return -1;
  int found = -1;
  while (const dirent* entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    struct stat status {};
    if (entry->d_name[0] != '.' && ::fstat(fd, &status) == 0 && status.st_ino == inode) found = fd;
  }
  (void)::closedir(folder);
  return found;
}

// The part of a line of /proc/PID/maps that lies in [begin, end), over `at`, which stands for `begin`.
void attach_line(const char* line, std::uintptr_t begin, std::uintptr_t end, char* at) {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  std::uint64_t offset = 0;
  ino_t inode = 0;
  char access[8] = {};
  if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNx64 " %*s %lu", &lo, &hi, access, &offset, &inode) != 5)
    return;
  const std::uintptr_t from = std::max(lo, begin);
  const std::uintptr_t to = std::min(hi, end);
  if (from >= to || access[3] != 's') return;
  const int fd = descriptor_of(inode);
  if (fd < 0) return;
  const int rights = (access[0] == 'r' ? PROT_READ : 0) | (access[1] == 'w' ? PROT_WRITE : 0);
  (void)::mmap(at + (from - begin), to - from, rights, MAP_SHARED | MAP_FIXED, fd,
               static_cast<off_t>(offset + (from - lo)));
}

}  // namespace

extern "C" {

std::int64_t xpmem_make(void*, std::size_t, int, void*) { return ::getpid(); }
int xpmem_remove(std::int64_t) { return 0; }
std::int64_t xpmem_get(std::int64_t segment, int, int, void*) {
  if (::kill(static_cast<pid_t>(segment), 0) == 0) return segment;
  errno = ENOENT;
  return -1;
}
int xpmem_release(std::int64_t) { return 0; }

// WEFT_TEST_ATTACHMENTS: how many more are permitted.
void* xpmem_attach(Address address, std::size_t bytes, void*) {
  if (const char* left = std::getenv("WEFT_TEST_ATTACHMENTS")) {
    if (std::atoi(left) == 0) {
      errno = EACCES;
      return reinterpret_cast<void*>(-1);
    }
    char fewer[16];
    (void)std::snprintf(fewer, sizeof fewer, "%d", std::atoi(left) - 1);
    (void)::setenv("WEFT_TEST_ATTACHMENTS", fewer, 1);
  }
  char path[48];
  (void)std::snprintf(path, sizeof path, "/proc/%d/maps", static_cast<int>(address.access));
  std::FILE* maps = std::fopen(path, "re");
  void* at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (maps == nullptr || at == MAP_FAILED) {
    if (maps != nullptr) (void)std::fclose(maps);
    errno = EINVAL;
    return reinterpret_cast<void*>(-1);
  }
  const auto begin = static_cast<std::uintptr_t>(address.offset);
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr)
    attach_line(line, begin, begin + bytes, static_cast<char*>(at));
  (void)std::fclose(maps);
  g_attached_bytes = bytes;
  return at;
}

int xpmem_detach(void* at) { return ::munmap(at, g_attached_bytes); }

}  // extern "C"
