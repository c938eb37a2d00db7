#include "reach/knem.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "reach/identity.hpp"

namespace weft::reach {
namespace knem {
const unsigned long kGetInfo = _IOW('K', 0x10, Info);
const unsigned long kCreateRegion = _IOWR('K', 0x21, Create);
const unsigned long kDestroyRegion = _IOR('K', 0x22, std::uint64_t);
const unsigned long kCopy = _IOR('K', 0x35, Copy);
}  // namespace knem

namespace {

constexpr std::size_t kPieces = 64;

// Mapped from end to end: of an address that is not, msync says so, and does nothing else.
bool is_mapped(const Stretch& at) noexcept {
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(at.ours) & ~(kPage - 1);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(at.ours) + at.bytes;
  return ::msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

int system_control(int device, unsigned long command, void* argument) { return ::ioctl(device, command, argument); }

}  // namespace

Reason Knem::open(const Systems& systems) noexcept {
  control_ = systems.knem_control != nullptr ? systems.knem_control : system_control;
  device_ = ::open(systems.knem_device, O_RDWR | O_CLOEXEC);
  if (device_ < 0) {
    const bool none = errno == ENOENT || errno == ENXIO || errno == ENODEV;
    return {none ? Why::kNoDevice : Why::kDeviceRefused, errno};
  }
  knem::Info info{};
  Reason reason;
  if (control_(device_, knem::kGetInfo, &info) != 0) {
    reason = {Why::kDeviceRefused, errno};
  } else if (info.version != knem::kVersion) {
    reason = {Why::kOtherVersion, static_cast<int>(info.version)};
  }
  if (reason) {
    close();
  }
  return reason;
}

void Knem::close() noexcept {
  // Its regions go with it.
  if (device_ >= 0) {
    (void)::close(device_);
  }
  device_ = -1;
}

std::uint64_t Knem::show(std::uint64_t address, std::uint64_t bytes, bool writable) const noexcept {
  knem::Segment segment{address, bytes};
  knem::Create create{};
  create.segments = reinterpret_cast<std::uintptr_t>(&segment);
  create.n_segments = 1;
  create.protection = static_cast<std::uint32_t>(writable ? PROT_READ | PROT_WRITE : PROT_READ);
  return device_ >= 0 && control_(device_, knem::kCreateRegion, &create) == 0 ? create.cookie : 0;
}

void Knem::take_back(std::uint64_t cookie) const noexcept {
  if (device_ >= 0 && cookie != 0) {
    (void)control_(device_, knem::kDestroyRegion, &cookie);
  }
}

int Knem::copy(knem::Copy* what) const noexcept { return control_(device_, knem::kCopy, what) == 0 ? 0 : errno; }

Reason KnemLink::open(const Knem& own, const Card& card) noexcept {
  own_ = &own;
  card_ = &card;
  return {};
}

Reason KnemLink::refusal(int error) const noexcept {
  return error == 0 ? Reason{Why::kNotShown} : Reason{Why::kRefused, error};
}

// An invalid cookie: the region was taken back, or has gone with its process.
Moved KnemLink::stopped(const Walk& walk, int error) const noexcept {
  const auto moved = [&](Outcome outcome) { return Moved{outcome, error, walk.done()}; };
  switch (error) {
    case EPERM: return moved(Outcome::kForbidden);
    case EACCES: return moved(Outcome::kUnmapped);  // made to be read, and is to be written
    case EINVAL: return moved(still_there(*card_) ? Outcome::kGone : Outcome::kUnmapped);
    case EFAULT:
      if (!is_mapped(walk.stretch())) {
        return moved(Outcome::kOwnMissing);
      }
      return moved(still_there(*card_) ? Outcome::kGone : Outcome::kUnmapped);
    default: return moved(Outcome::kFailed);
  }
}

Moved KnemLink::move(Walk& walk) noexcept {
  if (walk.place().cookie == 0) {
    return {Outcome::kForbidden, 0, walk.done()};
  }
  while (walk.left() > 0) {
    iovec pieces[kPieces];
    knem::Segment ours[kPieces];
    iovec range;
    const std::size_t none = walk.list_theirs(&range, 1, walk.left());
    const std::size_t count = walk.list_ours(pieces, kPieces, none == 1 ? range.iov_len : 0);
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < count; ++k) {
      ours[k] = {reinterpret_cast<std::uintptr_t>(pieces[k].iov_base), pieces[k].iov_len};
      bytes += pieces[k].iov_len;
    }
    knem::Copy copy{};
    copy.segments = reinterpret_cast<std::uintptr_t>(ours);
    copy.n_segments = static_cast<std::uint32_t>(count);
    copy.write = walk.direction() == Direction::kWrite ? 1 : 0;
    copy.cookie = walk.place().cookie;
    copy.offset = walk.stretch().offset;
    copy.bytes = bytes;
    if (const int error = own_->copy(&copy); error != 0) {
      return stopped(walk, error);
    }
    // The driver pins what it copies before, so a part that is missing fails the whole.
    if (copy.status != knem::kSuccess) {
      return stopped(walk, EFAULT);
    }
    walk.advance(bytes);
  }
  return {Outcome::kDone, 0, walk.done()};
}

}  // namespace weft::reach
