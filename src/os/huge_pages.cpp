#include "os/huge_pages.hpp"

#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace weft::os {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

std::uint64_t free_huge_pages() noexcept {
  std::FILE* file = std::fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "re");
  if (file == nullptr) {
    return 0;
  }
  std::uint64_t pages = 0;
  const int read = std::fscanf(file, "%" SCNu64, &pages);
  (void)std::fclose(file);
  return read == 1 ? pages : 0;
}

base::Error too_few(std::uint64_t bytes) noexcept {
  const auto wanted = static_cast<unsigned long long>((bytes + kHugePage - 1) / kHugePage);
  return base::Error::make(
      "%llu reserved huge pages of 2 MiB are needed and %llu are free, so the heap has normal pages; as root: "
      "sysctl vm.nr_hugepages=%llu",
      wanted, static_cast<unsigned long long>(free_huge_pages()), wanted);
}

}  // namespace

base::Result<int> make_hugetlb_file(const char* name, std::uint64_t bytes) noexcept {
  const int fd = ::memfd_create(name, MFD_HUGETLB | MFD_HUGE_2MB);
  if (fd < 0) {
    return too_few(bytes);
  }
  if (::ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    // A shared mapping reserves its pages for the file, and they stay reserved when the mapping goes.
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) {
      ::munmap(at, bytes);
      return fd;
    }
  }
  ::close(fd);
  return too_few(bytes);
}

base::Result<void> take_hugetlb_pages(std::uintptr_t at, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  if (::madvise(reinterpret_cast<void*>(at), bytes, MADV_POPULATE_WRITE) == 0) {
    return {};
  }
  if (errno != EINVAL) {
    return base::Error::make(
        "the NUMA nodes of this PE have less than the %zu reserved huge pages of 2 MiB that it needs there (%s); "
        "reserve more in /sys/devices/system/node/node*/hugepages/hugepages-2048kB/nr_hugepages",
        bytes / kHugePage, std::strerror(errno));
  }
#endif
  // Kernels before 5.14 send a bus error instead of saying it.
  for (std::size_t k = 0; k < bytes; k += kHugePage) {
    *reinterpret_cast<volatile char*>(at + k) = 0;
  }
  return {};
}

void advise_huge(std::uintptr_t at, std::size_t bytes) noexcept {
  (void)::madvise(reinterpret_cast<void*>(at), bytes, MADV_HUGEPAGE);
}

base::Result<void> transparent_huge_pages(bool shared) noexcept {
  const char* path =
      shared ? "/sys/kernel/mm/transparent_hugepage/shmem_enabled" : "/sys/kernel/mm/transparent_hugepage/enabled";
  char setting[128] = {};
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr || std::fgets(setting, sizeof setting, file) == nullptr) {
    setting[0] = '\0';
  }
  if (file != nullptr) {
    (void)std::fclose(file);
  }
  if (setting[0] == '\0') {
    return base::Error::make("this kernel has no transparent huge pages, so the heap has normal pages");
  }
  if (std::strstr(setting, "[never]") != nullptr || std::strstr(setting, "[deny]") != nullptr) {
    return base::Error::make("%s is set to never, so the heap has normal pages; as root: echo %s > %s", path,
                             shared ? "advise" : "madvise", path);
  }
  return {};
}

HugeUse huge_use(std::uintptr_t at) noexcept {
  HugeUse use;
  std::FILE* file = std::fopen("/proc/self/smaps", "re");
  if (file == nullptr) {
    return use;
  }
  bool here = false;
  char line[512];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    std::uintptr_t lo = 0;
    std::uintptr_t hi = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &lo, &hi) == 2) {
      if (here) {
        break;
      }
      here = lo == at;
      continue;
    }
    std::size_t kib = 0;
    char key[64] = {};
    if (!here || std::sscanf(line, "%63[^:]: %zu kB", key, &kib) != 2) {
      continue;
    }
    const bool hugetlb = std::strcmp(key, "Shared_Hugetlb") == 0 || std::strcmp(key, "Private_Hugetlb") == 0;
    const bool transparent = std::strcmp(key, "ShmemPmdMapped") == 0 || std::strcmp(key, "AnonHugePages") == 0;
    if (hugetlb || std::strcmp(key, "Rss") == 0) {
      use.resident += kib << 10;
    }
    if (hugetlb || transparent) {
      use.huge += kib << 10;
    }
  }
  (void)std::fclose(file);
  return use;
}

}  // namespace weft::os
