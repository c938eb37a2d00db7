#include "dsm/page_maker.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace weft::dsm {
namespace {

// Which older headers do not have. Without it the kernel gives nothing to who is not privileged; from Linux 5.11 on.
constexpr int kUserModeOnly = 1;

base::Error refused(const char* what) noexcept {
  return base::Error::make("pages are not made of what they hold: %s: %s", what, std::strerror(errno));
}

// Nobody waits for faults at these addresses, so nobody may have one: of who does, as debuggers that look everywhere,
// it is an error.
bool begin(int file, void* at, std::size_t bytes) noexcept {
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_MISSING_SHMEM | UFFD_FEATURE_SIGBUS;
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(at), bytes};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ::ioctl(file, UFFDIO_API, &api) == 0 && ::ioctl(file, UFFDIO_REGISTER, &range) == 0;
}

}  // namespace

// By a mapping of its own: a page that is missing in one that is registered is a fault for who looks there.
base::Result<void> PageMaker::open(void* at, std::size_t bytes) noexcept {
  const auto file = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly));
  if (file < 0) {
    return refused("userfaultfd");
  }
  // Of no bytes: a second mapping of what is shared there, and the first one stays.
  void* const door = ::mremap(at, 0, bytes, MREMAP_MAYMOVE);
  if (door == MAP_FAILED) {
    const base::Error error = refused("mremap");
    ::close(file);
    return error;
  }
  // A child has no use for it.
  if (::madvise(door, bytes, MADV_DONTFORK) != 0 || ::madvise(door, bytes, MADV_DONTDUMP) != 0 ||
      !begin(file, door, bytes)) {
    const base::Error error = refused("UFFDIO_REGISTER");
    ::munmap(door, bytes);
    ::close(file);
    return error;
  }
  door_ = static_cast<std::byte*>(door);
  bytes_ = bytes;
  file_ = file;
  works_.store(true, std::memory_order_relaxed);
  return {};
}

void PageMaker::close() noexcept {
  if (door_ == nullptr) {
    return;
  }
  // It may be a file of the program's by now, as in make(). That knows nothing of this, and stays open.
  uffdio_range range{reinterpret_cast<std::uintptr_t>(door_), bytes_};
  if (::ioctl(file_, UFFDIO_UNREGISTER, &range) == 0) {
    ::close(file_);
  }
  works_.store(false, std::memory_order_relaxed);
  file_ = -1;
  ::munmap(door_, bytes_);
  door_ = nullptr;
}

std::size_t PageMaker::make(std::size_t offset, const void* from, std::size_t bytes) noexcept {
  if (!is_open() || bytes == 0) {
    return 0;  // of no bytes the kernel says what it says of another file
  }
  uffdio_copy copy{};
  copy.dst = reinterpret_cast<std::uintptr_t>(door_ + offset);
  copy.src = reinterpret_cast<std::uintptr_t>(from);
  copy.len = bytes;
  copy.mode = UFFDIO_COPY_MODE_DONTWAKE;
  const int before = errno;  // of the program, in whose midst a fault comes
  if (::ioctl(file_, UFFDIO_COPY, &copy) == 0) {
    return bytes;
  }
  // The program may have closed the file, and have another one by that number now: that makes nothing of this, and is
  // not closed here.
  const bool goes_on = errno == EEXIST || errno == EAGAIN || errno == ENOMEM;
  errno = before;
  if (!goes_on) {
    works_.store(false, std::memory_order_relaxed);
    return 0;
  }
  return copy.copy > 0 ? static_cast<std::size_t>(copy.copy) : 0;
}

}  // namespace weft::dsm
