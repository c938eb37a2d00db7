// A file's bytes.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

namespace weft::omp::sites {

/// As long as this is there.
class Mapped {
 public:
  explicit Mapped(const char* path) noexcept {
    // Without waiting: it may name a pipe that nobody writes to.
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about {};
    if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    error_ = errno;
    if (fd >= 0) {
      (void)::close(fd);
    }
  }
  ~Mapped() {
    if (at_ != MAP_FAILED) {
      (void)::munmap(at_, size_);
    }
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  explicit operator bool() const noexcept { return at_ != MAP_FAILED; }
  int error() const noexcept { return error_; }
  std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(at_), size_}; }

 private:
  void* at_ = MAP_FAILED;
  std::size_t size_ = 0;
  int error_ = 0;
};

}  // namespace weft::omp::sites
