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

std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + alignof(Line) - 1) / alignof(Line) * alignof(Line);
}

Moving* moving_in(Line* line, int members) noexcept {
  return reinterpret_cast<Moving*>(reinterpret_cast<std::byte*>(line) + Line::moving_at(members));
}

}  // namespace

bool Window::open_line(int members, LockBy lock_by, std::uint64_t part) noexcept {
  lock_by_ = lock_by;
  const std::size_t bytes = whole_lines(block_bytes(members, lock_by));
  void* const at = members_.make(members) ? take(bytes + part) : nullptr;
  if (at == nullptr) {
    return false;
  }
  if (has_threads_) {
    threads_ = std::make_unique<Threads>(members);
  }
  std::memset(at, 0, bytes);
  line_ = static_cast<Line*>(at);
  return true;
}

void* Window::part_of_block() const noexcept {
  return reinterpret_cast<std::byte*>(line_) + whole_lines(block_bytes(size(), lock_by_));
}

Window::Spanning& Window::spanning() noexcept {
  if (spanning_ == nullptr) {
    spanning_ = std::make_unique<Spanning>();
  }
  return *spanning_;
}

bool Window::lend_own(const void* at, std::uint64_t bytes, transport::RegionKey* key) noexcept {
  const bool is_lent = lend(at, bytes, &spanning().own_key);
  *key = spanning().own_key;
  return is_lent;
}

void Window::show_lock(Card* card, int members) noexcept {
  card->lock_by = LockBy::kHome;
  if (lock_by_ != LockBy::kHome && spanning().moving.lend(moving_in(line_, members))) {
    card->lock_by = lock_by_;
    card->lock_key = spanning().moving.key();
  }
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
    const Member& member = members_[static_cast<int>(k)];
    Beyond& beyond = spanning().beyond[k];
    beyond.lock_key = cards[k].lock_key;
    beyond.moving = member.is_here() ? moving_in(member.line, size()) : nullptr;
  }
  return spanning().moving.open(lock_by_);
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
  Common& common = members_.common();
  common.number = number_of(cards[0]);
  spans_ = std::any_of(cards.begin(), cards.end(), [&](const Card& card) { return node.here(card.pe) < 0; });
  if (spans_) {
    spanning().beyond.resize(cards.size());
    spanning().long_changes = std::vector<Unanswered::Left>(cards.size());
    spanning().under_way.joined.make(size());
    common.beyond = spanning().beyond.data();
  }
  for (std::size_t k = 0; k < cards.size(); ++k) {
    const Card& card = cards[k];
    Member& member = members_[static_cast<int>(k)];
    member.pe = card.pe;
    member.bytes = card.bytes;
    member.unit = card.unit;
    const int number = member.number();
    if (number < 0 && card.line != 0) {
      member.way = Way::kNetwork;
      member.base = reinterpret_cast<std::byte*>(card.address);
      spanning().beyond[k] = {card.line, {card.key, card.address, &spanning().under_way.moves},
                              nullptr,   {},
                              false,     &spanning().long_changes[k]};
      continue;
    }
    if (card.line == 0 || card.line % alignof(Line) != 1 ||
        !node.own.holds(card.line - 1, block_bytes(size(), card.lock_by))) {
      return static_cast<int>(k);
    }
    member.line = reinterpret_cast<Line*>(node.own.at(number, card.line - 1));
    void* const mapped = reach_held(card.held, number, card.bytes);
    member.way = mapped != nullptr || card.bytes == 0 ? Way::kMapped : Way::kCopied;
    // What this process has itself it need not look for; but how others reach it decides who may change it how.
    member.base = static_cast<std::byte*>(
        static_cast<int>(k) != me && mapped != nullptr ? mapped : reinterpret_cast<void*>(card.address));
  }
  if (spans_) {
    show_far(line_place(), this);
  }
  const bool have_locks = meet_locks(cards);
  is_simple_ = !spans_ && lock_by_ == LockBy::kHome && !has_threads_;
  return have_locks ? -1 : me;
}

void Window::keep_ledger() noexcept {
  ledger_ = open_ledger();
  // Relaxed: the members meet behind it.
  line_->ledger.store(ledger_place(ledger_), std::memory_order_relaxed);
}

void Window::set_label(const char* label) noexcept {
  Common& common = members_.common();
  const std::size_t length = ::strnlen(label, sizeof common.label - 1);
  std::memcpy(common.label, label, length);
  std::memset(common.label + length, 0, sizeof common.label - length);
  job::forget_what_is_told();
}

bool Window::needs_help(bool attaches) const noexcept {
  return std::any_of(members_.begin(), members_.end(), [attaches](const Member& each) noexcept {
    return each.is_here() && (attaches || each.way == Way::kCopied) && !reaches_alone(each);
  });
}

void Window::finish_for_good() noexcept {
  complete();
  if (!spans_) {
    return;
  }
  spanning_->under_way.joined.await();
  for (const Member& each : members_) {
    // Relaxed: who ends the window has seen to it that other threads of the process have done with it.
    if (std::atomic_ref(spanning_->beyond[static_cast<std::size_t>(each.rank)].is_told)
            .load(std::memory_order_relaxed)) {
      ask_through(members_, each.rank, me_, spanning_->under_way);
    }
  }
  await_through(members_, spanning_->under_way);
}

void Window::close() noexcept {
  job::forget_what_is_told();
  if (spans_) {
    // Behind it nobody asks for this window.
    hide_far(line_place());
    spans_ = false;
  }
  if (spanning_ != nullptr) {
    spanning_->moving.close();
    take_back(spanning_->own_key);
    spanning_.reset();
  }
  if (attaching_ != nullptr) {
    attaching_->own.close();
    attaching_.reset();
  }
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
  const std::scoped_lock lock(attaching_->mutex);
  return attaching_->own.add(*line_, at, bytes, spans_);
}

Attached::Outcome Window::detach(const void* at) noexcept {
  Attached::Piece gone;
  Attached::Outcome outcome = Attached::Outcome::kDone;
  {
    const std::scoped_lock lock(attaching_->mutex);
    outcome = attaching_->own.remove(*line_, at, &gone);
  }
  // The network may wait for a handler, which may wait for the lock above.
  take_back(gone.key);
  let_go_of(at, gone.bytes);
  return outcome;
}

bool Window::find_attached(int rank, std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept {
  if (Member& there = member(rank); !there.is_here()) {
    // A thread makes one access at a time.
    [[gnu::tls_model("initial-exec")]] static thread_local Far t_found;
    *spot = {reinterpret_cast<std::byte*>(address), Way::kNetwork, &t_found};
    return find_far(there, me_, address, bytes, &t_found);
  }
  const std::scoped_lock lock(attaching_->mutex);
  if (attaching_->of.empty()) {
    attaching_->of = std::vector<Attached>(static_cast<std::size_t>(size()));
  }
  return attaching_->of[static_cast<std::size_t>(rank)].find(member(rank), address, bytes, spot);
}

bool Window::find_own(std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept {
  const Member& own = member(me_);
  const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(own.base);
  if (own.bytes != 0 && offset <= own.bytes && bytes <= own.bytes - offset) {
    *spot = {own.base + offset, own.way};
    return true;
  }
  if (attaching_ == nullptr) {
    return false;
  }
  const std::scoped_lock lock(attaching_->mutex);
  const Attached::Piece* const piece = attaching_->own.find_lent(address, bytes);
  if (piece == nullptr) {
    return false;
  }
  // How members of this node reach it decides who changes it how.
  *spot = {reinterpret_cast<std::byte*>(address),
           reach_held(piece->held, job::node().local, piece->bytes) != nullptr ? Way::kMapped : Way::kCopied};
  return true;
}

bool Window::find_own_key(std::uint64_t address, std::uint64_t bytes, Far* far) noexcept {
  if (attaching_ == nullptr) {
    return false;
  }
  const std::scoped_lock lock(attaching_->mutex);
  const Attached::Piece* const piece = attaching_->own.find_lent(address, bytes);
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
