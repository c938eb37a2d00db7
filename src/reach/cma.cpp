#include "reach/cma.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "copy/copy.hpp"
#include "memory/fault.hpp"
#include "os/guarded_copy.hpp"
#include "os/tracing.hpp"
#include "reach/identity.hpp"

namespace weft::reach {
namespace {

// The kernel takes 1024 (IOV_MAX), and keeps 8 of them on its stack; more than these no longer makes a call cheaper.
constexpr std::size_t kPieces = 64;
// The kernel moves somewhat less than 2 GiB in a call.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

// The kernel copies by strings' instructions, which are slow on some processors where the target lies just ahead of the
// source in a page (copy/copy.hpp): with what else a call costs, a fourth at 1 to 15 bytes, and no less elsewhere. Such
// stretches go by a detour over this thread's stack: in large parts, as each costs a call.
constexpr std::size_t kDetour = 32768;
constexpr std::size_t kWorthADetour = 4096;
constexpr std::uintptr_t kAhead = 16;
constexpr std::uintptr_t kSameInPages = 4096;
constexpr std::size_t kLine = 64;

bool is_slow(Direction direction, const Stretch& at) noexcept {
  const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(at.ours) - at.address;
  const std::uintptr_t distance = direction == Direction::kRead ? ahead : 0 - ahead;
  return at.bytes >= kWorthADetour && distance % kSameInPages - 1 < kAhead - 1;
}

ssize_t call(Direction direction, pid_t pid, const iovec* ours, std::size_t n_ours, const iovec* theirs,
             std::size_t n_theirs) noexcept {
  return direction == Direction::kRead ? ::process_vm_readv(pid, ours, n_ours, theirs, n_theirs, 0)
                                       : ::process_vm_writev(pid, ours, n_ours, theirs, n_theirs, 0);
}

// What begins at the walk's place, at most kDetour bytes of it, by memory that lies in its line as the peer's does.
// Ours may be missing, which the kernel would say.
ssize_t call_by_detour(Direction direction, pid_t pid, const Stretch& at) noexcept {
  memory::catch_faults();
  alignas(kLine) std::byte room[kDetour + kLine];
  std::byte* const between = room + at.address % kLine;
  const std::size_t bytes = std::min(at.bytes, kDetour);
  const auto is_copied = [](void* to, const void* from, std::size_t size) {
    return os::guarded_copy(to, from, size, copy::known(to, from, size)) == os::Fault::kNone;
  };
  const iovec here{between, bytes};
  const iovec there{reinterpret_cast<void*>(at.address), bytes};
  if (direction == Direction::kWrite && !is_copied(between, at.ours, bytes)) {
    errno = EFAULT;
    return -1;
  }
  const ssize_t came = call(direction, pid, &here, 1, &there, 1);
  if (direction == Direction::kRead && came > 0 && !is_copied(at.ours, between, static_cast<std::size_t>(came))) {
    errno = EFAULT;
    return -1;
  }
  return came;
}

// After EFAULT at the first byte: is it ours? What is to be written into is tried by what is to come there, and what is
// to be read by reading it here, so nothing changes that the copy would not.
bool ours_is_missing(Direction direction, pid_t pid, const Stretch& at) noexcept {
  std::byte scratch{};
  const iovec one{&scratch, 1};
  if (direction == Direction::kRead) {
    const iovec there{reinterpret_cast<void*>(at.address), 1};
    return ::process_vm_readv(pid, &one, 1, &there, 1, 0) == 1;
  }
  const iovec here{at.ours, 1};
  return ::process_vm_readv(::getpid(), &one, 1, &here, 1, 0) != 1;
}

Moved stopped(const Walk& walk, pid_t pid, int error) noexcept {
  const auto moved = [&](Outcome outcome) { return Moved{outcome, error, walk.done()}; };
  switch (error) {
    case EFAULT:
      return moved(ours_is_missing(walk.direction(), pid, walk.stretch()) ? Outcome::kOwnMissing : Outcome::kUnmapped);
    case ESRCH: return moved(Outcome::kGone);
    // The last three are what filters of system calls answer.
    case EPERM:
    case EACCES:
    case ENOSYS: return moved(Outcome::kForbidden);
    default: return moved(Outcome::kFailed);
  }
}

}  // namespace

Reason Cma::open(const Systems& systems, int family) noexcept {
  systems_ = systems;
  if (const Reason filtered = try_on_self()) {
    return filtered;
  }
  const int scope = ptrace_scope(systems);
  if (scope == 1) {
    // An ancestor of all processes of the job stands for all of them, and for nobody else.
    if (family > 0) {
      os::allow_tracing_by(family);
    } else {
      os::allow_tracing();
      allowed_ = true;
    }
  }
  // 2 allows it to administrators, whom the first use tells from others; 3 to nobody.
  return scope == 3 ? Reason{Why::kPtraceScope, scope} : Reason{};
}

void Cma::close() noexcept {
  if (allowed_) {
    os::allow_tracing_by(0);
  }
  allowed_ = false;
}

Reason CmaLink::open(const Cma& own, const Card& card) noexcept {
  own_ = &own;
  card_ = &card;
  return still_there(card);
}

Reason CmaLink::refusal(int error) const noexcept { return why_refused(*card_, own_->systems(), error); }

Moved CmaLink::move(Walk& walk) noexcept {
  iovec ours[kPieces];
  iovec theirs[kPieces];
  while (walk.left() > 0) {
    const std::uint64_t bytes = std::min(walk.left(), kMostBytes);
    const std::size_t n_ours = walk.list_ours(ours, kPieces, bytes);
    const std::size_t n_theirs = walk.list_theirs(theirs, kPieces, bytes);
    const Stretch next = walk.stretch();
    const ssize_t came = is_slow(walk.direction(), next)
                             ? call_by_detour(walk.direction(), card_->pid, next)
                             : call(walk.direction(), card_->pid, ours, n_ours, theirs, n_theirs);
    if (came > 0) {
      walk.advance(static_cast<std::uint64_t>(came));
      continue;
    }
    return stopped(walk, card_->pid, came == 0 ? EFAULT : errno);
  }
  return {Outcome::kDone, 0, walk.done()};
}

}  // namespace weft::reach
