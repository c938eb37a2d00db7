#include "reach/peer.hpp"

#include "base/lines.hpp"

namespace weft::reach {
namespace {

Reason reason_of(const Moved& moved, const Reason& refusal) noexcept {
  switch (moved.outcome) {
    case Outcome::kDone: return {};
    case Outcome::kForbidden: return refusal;
    case Outcome::kGone: return {Why::kGone};
    // The probe is not where the card says.
    case Outcome::kUnmapped: return {Why::kOtherProcess};
    default: return {Why::kFailed, moved.error};
  }
}

}  // namespace

void Peer::meet(const Self& self, const Card& card, int number) noexcept {
  close();
  self_ = &self;
  number_ = number;
  // Acquire: a way that is offered stands for all that was written before it.
  card_.ways.store(card.ways.load(std::memory_order_acquire), std::memory_order_relaxed);
  card_.pid = card.pid;
  card_.started = card.started;
  card_.user_space = card.user_space;
  card_.pid_space = card.pid_space;
  card_.segment = card.segment;
  card_.probe = card.probe;
  card_.probe_cookie = card.probe_cookie;
  card_.token = card.token;
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Reason& reason : reasons_[direction]) {
      reason = {Why::kNotTried};
    }
    way_[direction].store(kUnknown, std::memory_order_relaxed);  // no copy is under way
  }
}

void Peer::close() noexcept {
  if (opened_[static_cast<int>(Way::kXpmem)]) {
    xpmem_.close();
  }
  for (bool& opened : opened_) {
    opened = false;
  }
}

Reason Peer::open(Way way) noexcept {
  switch (way) {
    case Way::kXpmem: return xpmem_.open(self_->xpmem(), card_);
    case Way::kCma: return cma_.open(self_->cma(), card_);
    case Way::kKnem: return knem_.open(self_->knem(), card_);
  }
  return {Why::kNotTried};
}

Reason Peer::refusal(Way way, int error) noexcept {
  switch (way) {
    case Way::kXpmem: return xpmem_.refusal(error);
    case Way::kCma: return cma_.refusal(error);
    case Way::kKnem: return knem_.refusal(error);
  }
  return {Why::kRefused, error};
}

Moved Peer::move_by(Way way, Walk& walk) noexcept {
  switch (way) {
    case Way::kXpmem: return xpmem_.move(walk);
    case Way::kCma: return cma_.move(walk);
    case Way::kKnem: return knem_.move(walk);
  }
  return {Outcome::kForbidden};
}

// Reads the word that the card names, and only when that is right writes the one beside it.
Reason Peer::try_out(Way way, Direction direction) noexcept {
  const int index = static_cast<int>(way);
  if (const Reason own = self_->reason(way)) {
    return own;
  }
  if ((card_.ways.load(std::memory_order_relaxed) & bit(way)) == 0) {
    return {Why::kNotOffered};
  }
  if (card_.pid <= 0 || card_.probe == 0 || card_.probe % alignof(Probe) != 0) {
    return {Why::kBadCard};
  }
  if (!opened_[index]) {
    if (const Reason closed = open(way)) {
      return closed;
    }
    opened_[index] = true;
  }
  const Place place{card_.probe, sizeof(Probe), card_.probe_cookie};
  const auto word = [&](Direction how, std::uint64_t offset, std::uint64_t* value) {
    const Piece piece{value, sizeof *value};
    const Range range{offset, sizeof *value};
    Walk walk(how, {&piece, 1}, {place, &range, 1});
    const Moved moved = walk.fits() ? move_by(way, walk) : Moved{Outcome::kUnmapped};
    return reason_of(moved, moved.outcome == Outcome::kForbidden ? refusal(way, moved.error) : Reason{});
  };
  std::uint64_t token = 0;
  if (const Reason unread = word(Direction::kRead, offsetof(Probe, token), &token)) {
    return unread;
  }
  if (token != card_.token) {
    return {Why::kOtherProcess};
  }
  if (direction == Direction::kRead) {
    return {};
  }
  std::uint64_t answer = ~token;
  if (const Reason unwritten = word(Direction::kWrite, offsetof(Probe, answer), &answer)) {
    return unwritten;
  }
  answer = 0;
  if (const Reason unread = word(Direction::kRead, offsetof(Probe, answer), &answer)) {
    return unread;
  }
  return answer == ~token ? Reason{} : Reason{Why::kFailed, 0};
}

void Peer::tell(Direction direction, int chosen) noexcept {
  if (!base::debug_on()) {
    return;
  }
  const char* what = direction == Direction::kRead ? "read" : "written";
  for (int k = 0; k < kWays && k != chosen; ++k) {
    char text[kReasonText];
    base::debug("memory of PE %d is not %s by %s: %s", number_, what, name_of(static_cast<Way>(k)),
                reason_text(static_cast<Way>(k), reasons_[static_cast<int>(direction)][k], text));
  }
  base::debug("memory of PE %d is %s by %s", number_, what,
              chosen == kNoWay ? "two copies" : name_of(static_cast<Way>(chosen)));
}

int Peer::choose(Direction direction) noexcept {
  const std::lock_guard lock(mutex_);
  const int index = static_cast<int>(direction);
  int chosen = way_[index].load(std::memory_order_relaxed);  // by the holder of the mutex only
  if (chosen != kUnknown) {
    return chosen;
  }
  chosen = kNoWay;
  for (int k = 0; k < kWays && chosen == kNoWay; ++k) {
    Reason& reason = reasons_[index][k];
    if (reason.why == Why::kNotTried) {
      reason = try_out(static_cast<Way>(k), direction);
      chosen = reason ? kNoWay : k;
    }
  }
  tell(direction, chosen);
  // Release: who sees the way sees its link opened.
  way_[index].store(chosen, std::memory_order_release);
  return chosen;
}

int Peer::way(Direction direction) noexcept {
  // Acquire: see choose().
  const int known = way_[static_cast<int>(direction)].load(std::memory_order_acquire);
  return known != kUnknown ? known : choose(direction);
}

Reason Peer::reason(Way way, Direction direction) noexcept {
  const std::lock_guard lock(mutex_);
  return reasons_[static_cast<int>(direction)][static_cast<int>(way)];
}

void Peer::refuse(Way way, Direction direction, int error) noexcept {
  const Reason reason = refusal(way, error);
  const std::lock_guard lock(mutex_);
  const int index = static_cast<int>(direction);
  // Another thread may have met the same and chosen anew.
  if (way_[index].load(std::memory_order_relaxed) == static_cast<int>(way)) {
    reasons_[index][static_cast<int>(way)] = reason;
    way_[index].store(kUnknown, std::memory_order_relaxed);
  }
}

Moved Peer::move(Walk& walk) noexcept {
  if (!walk.fits()) {
    return {Outcome::kUnmapped};
  }
  while (walk.left() > 0) {
    const int by = way(walk.direction());
    if (by == kNoWay) {
      return {Outcome::kForbidden, 0, walk.done()};
    }
    const Moved moved = move_by(static_cast<Way>(by), walk);
    if (moved.outcome != Outcome::kForbidden) {
      return moved;
    }
    refuse(static_cast<Way>(by), walk.direction(), moved.error);
  }
  return {Outcome::kDone, 0, walk.done()};
}

Moved Peer::read(void* to, const Place& from, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const Piece piece{to, bytes};
  const Range range{offset, bytes};
  return read({&piece, 1}, {from, &range, 1});
}

Moved Peer::write(const Place& to, std::uint64_t offset, const void* from, std::uint64_t bytes) noexcept {
  const Piece piece{const_cast<void*>(from), bytes};
  const Range range{offset, bytes};
  return write({to, &range, 1}, {&piece, 1});
}

Moved Peer::read(const Ours& to, const Theirs& from) noexcept {
  Walk walk(Direction::kRead, to, from);
  return move(walk);
}

Moved Peer::write(const Theirs& to, const Ours& from) noexcept {
  Walk walk(Direction::kWrite, from, to);
  return move(walk);
}

void Peer::forget(const Place& place) noexcept { xpmem_.forget(place.address, place.bytes); }

}  // namespace weft::reach
