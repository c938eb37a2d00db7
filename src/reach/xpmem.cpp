#include "reach/xpmem.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "copy/copy.hpp"
#include "memory/fault.hpp"
#include "os/guarded_copy.hpp"
#include "reach/identity.hpp"

namespace weft::reach {
namespace {

// Of the published interface.
constexpr int kReadAndWrite = 2;
constexpr int kPermitMode = 1;
constexpr std::uintptr_t kOfOwnUser = 0600;

Reason try_device(const char* path) noexcept {
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    (void)::close(fd);
    return {};
  }
  const bool none = errno == ENOENT || errno == ENXIO || errno == ENODEV;
  return {none ? Why::kNoDevice : Why::kDeviceRefused, errno};
}

template <class Function>
bool find(void* library, const char* name, Function** function) noexcept {
  *function = reinterpret_cast<Function*>(::dlsym(library, name));
  return *function != nullptr;
}

// The library stays: what it has mapped is in use until the process ends.
bool load(const char* name, XpmemCalls* calls) noexcept {
  void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && find(library, "xpmem_make", &calls->make) &&
         find(library, "xpmem_remove", &calls->remove) && find(library, "xpmem_get", &calls->get) &&
         find(library, "xpmem_release", &calls->release) && find(library, "xpmem_attach", &calls->attach) &&
         find(library, "xpmem_detach", &calls->detach);
}

bool refuses(int error) noexcept { return error == EPERM || error == EACCES; }

}  // namespace

Reason Xpmem::open(const Systems& systems) noexcept {
  if (const Reason missing = try_device(systems.xpmem_device)) {
    return missing;
  }
  if (!load(systems.xpmem_library, &calls_)) {
    return {Why::kNoLibrary};
  }
  errno = 0;
  // All of this process's memory, whatever will be there: from address 0 on.
  segment_ = calls_.make(nullptr, SIZE_MAX, kPermitMode, reinterpret_cast<void*>(kOfOwnUser));
  if (segment_ == -1 || segment_ == 0) {
    segment_ = 0;
    return {Why::kFailed, errno};
  }
  // What a peer takes away while it is copied is a fault in this process.
  memory::catch_faults();
  return {};
}

void Xpmem::close() noexcept {
  if (segment_ != 0) {
    (void)calls_.remove(segment_);
  }
  segment_ = 0;
}

Reason XpmemLink::open(const Xpmem& own, const Card& card) noexcept {
  own_ = &own;
  card_ = &card;
  if (card.segment == 0) {
    return {Why::kNotOffered};
  }
  errno = 0;
  access_ = own.calls().get(static_cast<std::int64_t>(card.segment), kReadAndWrite, kPermitMode, nullptr);
  if (access_ != -1 && access_ != 0) {
    return {};
  }
  const int error = errno;
  access_ = 0;
  return refuses(error) ? refusal(error) : Reason{Why::kFailed, error};
}

Reason XpmemLink::refusal(int error) const noexcept { return {Why::kRefused, error}; }

void XpmemLink::detach(Attached& entry) noexcept {
  (void)own_->calls().detach(entry.at);
  entry = {};
}

// An entry that nobody uses: a free one, else the one that was not used for longest, which is detached.
XpmemLink::Attached* XpmemLink::free_entry() noexcept {
  Attached* oldest = nullptr;
  for (Attached& entry : attached_) {
    if (entry.at == nullptr) {
      return &entry;
    }
    if (entry.users == 0 && (oldest == nullptr || entry.used < oldest->used)) {
      oldest = &entry;
    }
  }
  if (oldest != nullptr) {
    detach(*oldest);
  }
  return oldest;
}

XpmemLink::Attached* XpmemLink::use(std::uint64_t piece, int* error) noexcept {
  const std::lock_guard lock(mutex_);
  ++copies_;
  for (Attached& entry : attached_) {
    if (entry.at != nullptr && entry.piece == piece && !entry.stale) {
      entry.used = copies_;
      ++entry.users;
      return &entry;
    }
  }
  Attached* entry = free_entry();
  *error = ENOMEM;  // as many copies under way as there are entries
  if (entry == nullptr) {
    return nullptr;
  }
  errno = 0;
  void* at = own_->calls().attach({access_, static_cast<off_t>(piece * kPieceBytes)}, kPieceBytes, nullptr);
  *error = errno;
  // The library says -1, and MAP_FAILED is the same.
  if (at == nullptr || at == reinterpret_cast<void*>(-1)) {
    return nullptr;
  }
  *entry = {piece, static_cast<std::byte*>(at), copies_, 1, false};
  return entry;
}

void XpmemLink::leave(Attached& entry, bool stale) noexcept {
  const std::lock_guard lock(mutex_);
  entry.stale = entry.stale || stale;
  if (--entry.users == 0 && entry.stale) {
    detach(entry);
  }
}

Outcome XpmemLink::copy(Direction direction, const Stretch& at, std::byte* there) const noexcept {
  const bool reads = direction == Direction::kRead;
  std::byte* const to = reads ? at.ours : there;
  const std::byte* const from = reads ? there : at.ours;
  const os::Fault fault = os::guarded_copy(to, from, at.bytes, copy::known(to, from, at.bytes));
  if (fault == os::Fault::kNone) {
    return Outcome::kDone;
  }
  if ((fault == os::Fault::kTo) == reads) {
    return Outcome::kOwnMissing;
  }
  return still_there(*card_) ? Outcome::kGone : Outcome::kUnmapped;
}

Moved XpmemLink::move(Walk& walk) noexcept {
  while (walk.left() > 0) {
    Stretch at = walk.stretch();
    const std::uint64_t piece = at.address / kPieceBytes;
    const std::uint64_t begin = at.address % kPieceBytes;
    at.bytes = std::min<std::uint64_t>(at.bytes, kPieceBytes - begin);
    int error = 0;
    Attached* entry = use(piece, &error);
    if (entry == nullptr) {
      const Outcome outcome = refuses(error)        ? Outcome::kForbidden
                              : still_there(*card_) ? Outcome::kGone
                              : error == ENOMEM     ? Outcome::kFailed
                                                    : Outcome::kUnmapped;
      return {outcome, error, walk.done()};
    }
    const Outcome outcome = copy(walk.direction(), at, entry->at + begin);
    leave(*entry, outcome == Outcome::kUnmapped || outcome == Outcome::kGone);
    if (outcome != Outcome::kDone) {
      return {outcome, EFAULT, walk.done()};
    }
    walk.advance(at.bytes);
  }
  return {Outcome::kDone, 0, walk.done()};
}

void XpmemLink::forget(std::uint64_t address, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  for (Attached& entry : attached_) {
    const std::uint64_t begin = entry.piece * kPieceBytes;
    const bool touches = begin < address ? address - begin < kPieceBytes : begin - address < bytes;
    if (entry.at == nullptr || !touches) {
      continue;
    }
    entry.stale = true;
    if (entry.users == 0) {
      detach(entry);
    }
  }
}

int XpmemLink::attached() noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(std::begin(attached_), std::end(attached_),
                                        [](const Attached& entry) { return entry.at != nullptr; }));
}

void XpmemLink::close() noexcept {
  forget(0, UINT64_MAX);
  if (access_ != 0) {
    (void)own_->calls().release(access_);
  }
  access_ = 0;
}

}  // namespace weft::reach
