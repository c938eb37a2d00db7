#include "reach/cma.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/tracing.hpp"
#include "reach/identity.hpp"

namespace weft::reach {
namespace {

// The kernel takes 1024 (IOV_MAX), and keeps 8 of them on its stack; more than these no longer makes a call cheaper.
constexpr std::size_t kPieces = 64;
// The kernel moves somewhat less than 2 GiB in a call.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

ssize_t call(Direction direction, pid_t pid, const iovec* ours, std::size_t n_ours, const iovec* theirs,
             std::size_t n_theirs) noexcept {
  return direction == Direction::kRead ? ::process_vm_readv(pid, ours, n_ours, theirs, n_theirs, 0)
                                       : ::process_vm_writev(pid, ours, n_ours, theirs, n_theirs, 0);
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
    const ssize_t came = call(walk.direction(), card_->pid, ours, n_ours, theirs, n_theirs);
    if (came > 0) {
      walk.advance(static_cast<std::uint64_t>(came));
      continue;
    }
    return stopped(walk, card_->pid, came == 0 ? EFAULT : errno);
  }
  return {Outcome::kDone, 0, walk.done()};
}

}  // namespace weft::reach
