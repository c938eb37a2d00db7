#include "win/attached.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "job/node.hpp"
#include "sync/waiter.hpp"

namespace weft::win {
namespace {

constexpr std::size_t kFirstRoom = 16;
constexpr std::size_t kMostPieces = std::size_t{1} << 20;

// Word by word, as the other side may be at it: what comes of both at a time is thrown away, but it may not be
// undefined. Relaxed: the version orders it.
static_assert(sizeof(Attached::Piece) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<Attached::Piece>);
std::uint64_t* words_of(Attached::Piece* pieces) noexcept { return reinterpret_cast<std::uint64_t*>(pieces); }

void show_pieces(Attached::Piece* shown, Attached::Piece* from, std::size_t count) noexcept {
  for (std::size_t k = 0; k < count * sizeof(Attached::Piece) / sizeof(std::uint64_t); ++k) {
    std::atomic_ref(words_of(shown)[k]).store(words_of(from)[k], std::memory_order_relaxed);
  }
}

void read_pieces(Attached::Piece* into, Attached::Piece* shown, std::size_t count) noexcept {
  for (std::size_t k = 0; k < count * sizeof(Attached::Piece) / sizeof(std::uint64_t); ++k) {
    words_of(into)[k] = std::atomic_ref(words_of(shown)[k]).load(std::memory_order_relaxed);
  }
}

bool is_before(const Attached::Piece& piece, std::uint64_t address) noexcept { return piece.address < address; }

}  // namespace

// Readers look at the version before and behind: odd, or another one, and they look again. A table that is too small is
// left for a larger one; who still reads it finds a version that has changed.
bool Attached::show(Line& line) noexcept {
  const std::uint32_t version = line.version.load(std::memory_order_relaxed);
  Piece* const before = shown_;
  if (pieces_.size() > room_) {
    const std::size_t room = std::max(kFirstRoom, 2 * room_);
    auto* const larger = static_cast<Piece*>(take(room * sizeof(Piece)));
    if (larger == nullptr) {
      return false;
    }
    shown_ = larger;
    room_ = room;
  }
  line.version.store(version + 1, std::memory_order_relaxed);
  // Release: the change of the version is seen before any of the table's.
  std::atomic_thread_fence(std::memory_order_release);
  if (!pieces_.empty()) {
    show_pieces(shown_, pieces_.data(), pieces_.size());
    line.table.store(reinterpret_cast<std::uintptr_t>(shown_) - job::node().own.own().lo + 1,
                     std::memory_order_relaxed);
  }
  line.attached.store(static_cast<std::uint32_t>(pieces_.size()), std::memory_order_relaxed);
  // Release: who sees the version sees the table.
  line.version.store(version + 2, std::memory_order_release);
  if (before != nullptr && before != shown_) {
    (void)give_back(before);
  }
  return true;
}

Attached::Outcome Attached::add(Line& line, const void* at, std::uint64_t bytes, bool lends) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto next = std::lower_bound(pieces_.begin(), pieces_.end(), address, is_before);
  const bool hits_next = next != pieces_.end() && (next->address == address || next->address - address < bytes);
  const bool hits_last = next != pieces_.begin() && address - std::prev(next)->address < std::prev(next)->bytes;
  if (hits_next || hits_last) {
    return Outcome::kOverlaps;
  }
  if (pieces_.size() == kMostPieces) {
    return Outcome::kNoMemory;
  }
  Piece piece{address, bytes, hold(at, bytes), {}};
  if (lends && !lend(at, bytes, &piece.key)) {
    let_go_of(at, bytes);
    return Outcome::kNoMemory;
  }
  const auto added = next - pieces_.begin();
  pieces_.insert(next, piece);
  if (!show(line)) {
    pieces_.erase(pieces_.begin() + added);
    former_.push_back(piece.key);
    let_go_of(at, bytes);
    return Outcome::kNoMemory;
  }
  if (lends) {
    lend_row(static_cast<std::size_t>(added));
  }
  return Outcome::kDone;
}

Attached::Outcome Attached::remove(Line& line, const void* at, Piece* gone) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto found = std::lower_bound(pieces_.begin(), pieces_.end(), address, is_before);
  if (found == pieces_.end() || found->address != address) {
    return Outcome::kUnknown;
  }
  std::erase_if(rows_, [&](const Piece& row) {
    const bool has_it = found->address - row.address < row.bytes;
    if (has_it) {
      former_.push_back(row.key);
    }
    return has_it;
  });
  const bool lends = found->key != transport::RegionKey{};
  *gone = *found;
  const auto next = static_cast<std::size_t>(found - pieces_.begin());
  pieces_.erase(found);
  (void)show(line);  // there is room for fewer
  if (lends && next > 0) {
    lend_row(next - 1);
  }
  if (lends && next < pieces_.size()) {
    lend_row(next);
  }
  return Outcome::kDone;
}

// Pieces that are one behind the other are lent together, too. Not in place of what was lent before, which others may
// be using.
void Attached::lend_row(std::size_t piece) noexcept {
  std::size_t first = piece;
  std::size_t last = piece;
  while (first > 0 && pieces_[first - 1].address + pieces_[first - 1].bytes == pieces_[first].address) {
    --first;
  }
  while (last + 1 < pieces_.size() && pieces_[last].address + pieces_[last].bytes == pieces_[last + 1].address) {
    ++last;
  }
  if (first == last) {
    return;
  }
  const std::uint64_t address = pieces_[first].address;
  const std::uint64_t bytes = pieces_[last].address + pieces_[last].bytes - address;
  // Where processes of this node have it mapped as one they change its elements by the processor, and so does who asks.
  Piece row{address, bytes, find_held(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), bytes), {}};
  if (lend(reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), row.bytes, &row.key)) {
    rows_.push_back(row);
  }
}

const Attached::Piece* Attached::find_lent(std::uint64_t address, std::uint64_t bytes) const noexcept {
  for (const std::vector<Piece>* const list : {&pieces_, &rows_}) {
    for (const Piece& piece : *list) {
      if (address >= piece.address && address - piece.address <= piece.bytes &&
          bytes <= piece.bytes - (address - piece.address)) {
        return &piece;
      }
    }
  }
  return nullptr;
}

void Attached::close() noexcept {
  for (std::vector<Piece>* const list : {&pieces_, &rows_}) {
    for (const Piece& piece : *list) {
      take_back(piece.key);
    }
  }
  for (const Piece& piece : pieces_) {
    let_go_of(reinterpret_cast<void*>(static_cast<std::uintptr_t>(piece.address)), piece.bytes);
  }
  pieces_.clear();
  rows_.clear();
  for (const transport::RegionKey& key : former_) {
    take_back(key);
  }
  former_.clear();
  if (shown_ != nullptr) {
    (void)give_back(shown_);
    shown_ = nullptr;
  }
}

void Attached::look(const Member& member) noexcept {
  const Line& line = *member.line;
  for (;;) {
    // Acquire: the table is as new as the version.
    const std::uint32_t version = line.version.load(std::memory_order_acquire);
    const std::uint64_t table = line.table.load(std::memory_order_relaxed);
    const std::size_t count = line.attached.load(std::memory_order_relaxed);
    if (version % 2 == 0) {
      // What does not lie in an area, after a stray store, is no table.
      const bool good = count == 0 || (count <= kMostPieces && table % alignof(Piece) == 1 &&
                                       job::node().own.holds(table - 1, count * sizeof(Piece)));
      pieces_.resize(good ? count : 0);
      if (!pieces_.empty()) {
        read_pieces(pieces_.data(), reinterpret_cast<Piece*>(job::node().own.at(member.number(), table - 1)),
                    pieces_.size());
      }
      // Acquire: the second look is behind the copy.
      std::atomic_thread_fence(std::memory_order_acquire);
      if (line.version.load(std::memory_order_relaxed) == version) {
        version_ = version;
        return;
      }
    }
    sync::relax();
  }
}

// Pieces that lie one behind the other are one, where they are also reached so.
bool Attached::is_one_place(const Member& member, std::ptrdiff_t at, std::uint64_t offset,
                            std::uint64_t bytes) const noexcept {
  const auto place = [&member](const Piece& piece) noexcept {
    return reinterpret_cast<std::uintptr_t>(reach_held(piece.held, member.number(), piece.bytes));
  };
  const auto* piece = &pieces_[static_cast<std::size_t>(at)];
  const auto* const end = pieces_.data() + pieces_.size();
  for (std::uint64_t left = bytes;;) {
    const std::uint64_t here = piece->bytes - offset;
    if (left <= here) {
      return true;
    }
    left -= here;
    offset = 0;
    const Piece* const next = piece + 1;
    const bool follows = next != end && next->address == piece->address + piece->bytes &&
                         place(*next) == (place(*piece) == 0 ? 0 : place(*piece) + piece->bytes);
    if (!follows) {
      return false;
    }
    piece = next;
  }
}

bool Attached::find_here(const Member& member, std::uint64_t address, std::uint64_t bytes, Spot* spot) const noexcept {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                [](std::uint64_t at, const Piece& each) noexcept { return at < each.address; });
  if (piece == pieces_.begin()) {
    return false;
  }
  --piece;
  const std::uint64_t offset = address - piece->address;
  if (offset > piece->bytes || !is_one_place(member, piece - pieces_.begin(), offset, bytes)) {
    return false;
  }
  const auto* const mapped = static_cast<std::byte*>(reach_held(piece->held, member.number(), piece->bytes));
  const bool is_own = member.number() == job::node().local;
  spot->way = mapped != nullptr ? Way::kMapped : Way::kCopied;
  spot->at =
      reinterpret_cast<std::byte*>(mapped != nullptr && !is_own ? reinterpret_cast<std::uintptr_t>(mapped) + offset
                                                                : static_cast<std::uintptr_t>(address));
  return true;
}

bool Attached::find(const Member& member, std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept {
  // Relaxed: what is attached before this call was told to this process by other means, which order it.
  if (member.line->version.load(std::memory_order_relaxed) != version_) {
    look(member);
  }
  return find_here(member, address, bytes, spot);
}

}  // namespace weft::win
