#include "os/recorded.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::os {

using base::Error;

base::Result<void> make_folder(const char* folder) noexcept {
  if (::mkdir(folder, 0777) == 0 || errno == EEXIST) {
    return {};
  }
  return Error::make("cannot make the folder %s: %s", folder, std::strerror(errno));
}

base::Result<void*> map_recorded(const char* path, int flags, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const int file = ::open(path, flags | O_RDWR | O_CLOEXEC, 0666);
  if (file < 0) {
    return Error::make("cannot open %s: %s", path, std::strerror(errno));
  }
  if (const int problem = ::posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
      problem != 0) {
    ::close(file);
    return Error::make("no room for %llu KiB in %s: %s", static_cast<unsigned long long>(bytes >> 10), path,
                       std::strerror(problem));
  }
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  const int problem = errno;
  ::close(file);
  if (at == MAP_FAILED) {
    return Error::make("cannot map %s: %s", path, std::strerror(problem));
  }
  return at;
}

void describe_process(std::span<char> host, std::span<char> program) noexcept {
  (void)::gethostname(host.data(), host.size() - 1);
  host.back() = '\0';
  const ssize_t length = ::readlink("/proc/self/exe", program.data(), program.size() - 1);
  program[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
}

}  // namespace weft::os
