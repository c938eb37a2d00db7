#include "win/window.hpp"

#include <algorithm>
#include <cstring>

#include "job/node.hpp"
#include "win/ledger.hpp"
#include "win/served.hpp"

namespace weft::win {

namespace {

std::size_t block_bytes(int members, LockBy lock_by) noexcept {
  return lock_by == LockBy::kHome ? Line::bytes_for(members) : Line::moving_at(members) + sizeof(Moving);
}

Moving* moving_in(Line* line, int members) noexcept {
  return reinterpret_cast<Moving*>(reinterpret_cast<std::byte*>(line) + Line::moving_at(members));
}

}  // namespace

bool Window::open_line(int members, LockBy lock_by) noexcept {
  lock_by_ = lock_by;
  const std::size_t bytes = block_bytes(members, lock_by);
  void* const at = take(bytes);
  if (at == nullptr) {
    return false;
  }
  std::memset(at, 0, bytes);
  line_ = static_cast<Line*>(at);
  return true;
}

void Window::show_lock(Card* card, int members) noexcept {
  card->lock_by = lock_by_ != LockBy::kHome && moving_.lend(moving_in(line_, members)) ? lock_by_ : LockBy::kHome;
  card->lock_key = moving_.key();
}

// All alike, or none.
bool Window::meet_locks(const std::vector<Card>& cards) noexcept {
  const bool alike = std::all_of(cards.begin(), cards.end(), [&](const Card& card) {
    return card.lock_by == cards[0].lock_by && card.lock_by <= LockBy::kNetwork;
  });
  lock_by_ = alike ? cards[0].lock_by : LockBy::kHome;
  if (lock_by_ == LockBy::kHome) {
    return true;
  }
  for (std::size_t k = 0; k < cards.size(); ++k) {
    Member& member = members_[k];
    member.lock_key = cards[k].lock_key;
    member.moving = member.number < 0 ? nullptr : moving_in(member.line, size());
  }
  return moving_.open(lock_by_);
}

std::uint64_t Window::line_place() const noexcept {
  return line_ == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(line_) - job::node().own.own().lo + 1;
}

namespace {

// By the first member's block, of which all are told: a place in that PE's own area, a line of it for each number.
std::uint64_t number_of(const Card& first) noexcept {
  constexpr int kPeBits = 26;
  return ((first.line / alignof(Line)) + 1) << kPeBits | static_cast<std::uint32_t>(first.pe);
}

}  // namespace

int Window::meet(const std::vector<Card>& cards, int me) noexcept {
  const job::Node& node = job::node();
  me_ = me;
  number_ = number_of(cards[0]);
  members_ = std::vector<Member>(cards.size());
  spans_ = std::any_of(cards.begin(), cards.end(), [&](const Card& card) { return node.here(card.pe) < 0; });
  for (std::size_t k = 0; k < cards.size(); ++k) {
    const Card& card = cards[k];
    Member& member = members_[k];
    member.pe = card.pe;
    member.window = label_;
    member.window_number = number_;
    member.rank = static_cast<int>(k);
    member.number = node.here(card.pe);
    if (member.number < 0 && card.line != 0) {
      member.way = Way::kNetwork;
      member.line_place = card.line;
      member.bytes = card.bytes;
      member.unit = card.unit;
      member.base = reinterpret_cast<std::byte*>(card.address);
      member.far = {card.key, card.address, &under_way_.moves};
      continue;
    }
    if (card.line == 0 || card.line % alignof(Line) != 1 ||
        !node.own.holds(card.line - 1, block_bytes(size(), card.lock_by))) {
      return static_cast<int>(k);
    }
    member.line = reinterpret_cast<Line*>(node.own.at(member.number, card.line - 1));
    member.bytes = card.bytes;
    member.unit = card.unit;
    void* const mapped = reach_held(card.held, member.number, card.bytes);
    member.way = mapped != nullptr || card.bytes == 0 ? Way::kMapped : Way::kCopied;
    // What this process has itself it need not look for; but how others reach it decides who may change it how.
    member.base = static_cast<std::byte*>(
        static_cast<int>(k) != me && mapped != nullptr ? mapped : reinterpret_cast<void*>(card.address));
  }
  if (spans_) {
    show_far(line_place(), this);
  }
  return meet_locks(cards) ? -1 : me;
}

void Window::keep_ledger() noexcept {
  ledger_ = open_ledger();
  // Relaxed: the members meet behind it.
  line_->ledger.store(ledger_place(ledger_), std::memory_order_relaxed);
}

void Window::set_label(const char* label) noexcept {
  const std::size_t length = ::strnlen(label, sizeof label_ - 1);
  std::memcpy(label_, label, length);
  std::memset(label_ + length, 0, sizeof label_ - length);
}

bool Window::needs_help(bool attaches) const noexcept {
  return std::any_of(members_.begin(), members_.end(), [attaches](const Member& each) noexcept {
    return each.number >= 0 && (attaches || each.way == Way::kCopied) && !reaches_alone(each);
  });
}

void Window::close() noexcept {
  if (spans_) {
    // Behind it nobody asks for this window.
    hide_far(line_place());
    spans_ = false;
  }
  moving_.close();
  take_back(own_key_);
  own_key_ = {};
  attached_.close();
  if (ledger_ != nullptr) {
    (void)give_back(ledger_);
    ledger_ = nullptr;
  }
  if (line_ != nullptr) {
    (void)give_back(line_);
    line_ = nullptr;
  }
}

Attached::Outcome Window::attach(const void* at, std::uint64_t bytes) noexcept {
  const std::scoped_lock lock(attaching_);
  return attached_.add(*line_, at, bytes, spans_);
}

Attached::Outcome Window::detach(const void* at) noexcept {
  transport::RegionKey key;
  Attached::Outcome outcome = Attached::Outcome::kDone;
  {
    const std::scoped_lock lock(attaching_);
    outcome = attached_.remove(*line_, at, &key);
  }
  // The network may wait for a handler, which may wait for the lock above.
  take_back(key);
  return outcome;
}

bool Window::find_attached(int rank, std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept {
  if (Member& there = member(rank); there.number < 0) {
    // A thread makes one access at a time.
    [[gnu::tls_model("initial-exec")]] static thread_local Far t_found;
    *spot = {reinterpret_cast<std::byte*>(address), Way::kNetwork, &t_found};
    return find_far(there, me_, address, bytes, &t_found);
  }
  const std::scoped_lock lock(attaching_);
  if (attached_of_.empty()) {
    attached_of_ = std::vector<Attached>(members_.size());
  }
  return attached_of_[static_cast<std::size_t>(rank)].find(member(rank), address, bytes, spot);
}

bool Window::find_own(std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept {
  const Member& own = member(me_);
  const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(own.base);
  if (own.bytes != 0 && offset <= own.bytes && bytes <= own.bytes - offset) {
    *spot = {own.base + offset, own.way};
    return true;
  }
  const std::scoped_lock lock(attaching_);
  const Attached::Piece* const piece = attached_.find_lent(address, bytes);
  if (piece == nullptr) {
    return false;
  }
  // How members of this node reach it decides who changes it how.
  *spot = {reinterpret_cast<std::byte*>(address),
           reach_held(piece->held, job::node().local, piece->bytes) != nullptr ? Way::kMapped : Way::kCopied};
  return true;
}

bool Window::find_own_key(std::uint64_t address, std::uint64_t bytes, Far* far) noexcept {
  const std::scoped_lock lock(attaching_);
  const Attached::Piece* const piece = attached_.find_lent(address, bytes);
  if (piece != nullptr) {
    *far = {piece->key, piece->address};
  }
  return piece != nullptr;
}

void Window::raise_own_flag(std::uint32_t origin, bool posted) noexcept {
  Flags& flags = line_->flags()[origin];
  tell(*line_, posted ? flags.posted : flags.completed);
}

}  // namespace weft::win
