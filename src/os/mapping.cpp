#include "os/mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::os {
namespace {

void* pointer(std::uintptr_t at) noexcept { return reinterpret_cast<void*>(at); }

base::Error mapping_error(const char* what, std::size_t bytes) noexcept {
  const char* remedy = errno == ENOMEM ? "; lower SHMEM_SYMMETRIC_SIZE or the number of PEs, or raise `ulimit -v`" : "";
  const bool is_small = bytes < std::size_t{1} << 20;
  return base::Error::make("cannot %s %zu %s of address space: %s%s", what, bytes >> (is_small ? 10 : 20),
                           is_small ? "KiB" : "MiB", std::strerror(errno), remedy);
}

}  // namespace

bool reserve_at(std::uintptr_t at, std::size_t bytes) noexcept {
  void* got =
      ::mmap(pointer(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) {
    return false;
  }
  // Kernels before 4.17 take the flag as a hint.
  if (got != pointer(at)) {
    ::munmap(got, bytes);
    return false;
  }
  return true;
}

base::Result<std::uintptr_t> reserve(std::size_t bytes) noexcept {
  void* got = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    return mapping_error("reserve", bytes);
  }
  return reinterpret_cast<std::uintptr_t>(got);
}

base::Result<void> map_shared_at(std::uintptr_t at, std::size_t bytes, int fd, std::uint64_t offset) noexcept {
  void* got = ::mmap(pointer(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
                     static_cast<off_t>(offset));
  if (got == MAP_FAILED) {
    return mapping_error("map", bytes);
  }
  return {};
}

base::Result<std::uintptr_t> map_shared(std::size_t bytes, int fd) noexcept {
  void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (got == MAP_FAILED) {
    return mapping_error("map", bytes);
  }
  return reinterpret_cast<std::uintptr_t>(got);
}

base::Result<void> map_copied_at(std::uintptr_t at, std::size_t bytes, int fd, std::uint64_t offset) noexcept {
  // The system's call itself: other threads use that memory meanwhile, and for a thread sanitizer the C library's
  // function writes there.
  const long got =
      ::syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, static_cast<off_t>(offset));
  if (got == -1) {
    return mapping_error("map", bytes);
  }
  return {};
}

base::Result<std::uintptr_t> map_private(std::size_t bytes) noexcept {
  void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    return mapping_error("map", bytes);
  }
  return reinterpret_cast<std::uintptr_t>(got);
}

base::Result<void> map_private_at(std::uintptr_t at, std::size_t bytes) noexcept {
  void* got = ::mmap(pointer(at), bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    return mapping_error("map", bytes);
  }
  return {};
}

base::Result<void> forget_at(std::uintptr_t at, std::size_t bytes) noexcept {
  void* got = ::mmap(pointer(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) {
    return mapping_error("release", bytes);
  }
  return {};
}

base::Result<void> move_over(std::uintptr_t at, std::size_t bytes, std::uintptr_t to) noexcept {
  if (::mremap(pointer(at), bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(to)) == MAP_FAILED) {
    return mapping_error("move", bytes);
  }
  return {};
}

void give_back(std::uintptr_t at, std::size_t bytes) noexcept { (void)::munmap(pointer(at), bytes); }

void drop_contents(std::uintptr_t at, std::size_t bytes) noexcept { (void)::madvise(pointer(at), bytes, MADV_REMOVE); }

void leave_out_of_core(std::uintptr_t at, std::size_t bytes) noexcept {
  (void)::madvise(pointer(at), bytes, MADV_DONTDUMP);
}

void punch_hole(int fd, std::uint64_t offset, std::size_t bytes) noexcept {
  (void)::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(bytes));
}

}  // namespace weft::os
