// What PEs of a node share for their messages, in each one's own area: where others put them, and what is said of a
// message whose data is fetched. Whatever is read there is checked: any PE may have written it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "msg/box.hpp"
#include "msg/costs.hpp"
#include "msg/deciding.hpp"
#include "msg/queue.hpp"
#include "reach/card.hpp"
#include "reach/walk.hpp"

namespace weft::msg {

/// Where the box for a sender is: an offset in the receiver's own area, a multiple of a line, and in the bits that this
/// leaves how many lines. 0: there is none.
using BoxSpot = std::uint64_t;
constexpr BoxSpot box_spot(std::uint64_t offset, std::uint32_t lines) noexcept {
  return offset | static_cast<std::uint64_t>(std::countr_zero(lines));
}
constexpr std::uint64_t offset_of_box(BoxSpot spot) noexcept { return spot & ~std::uint64_t{63}; }
constexpr std::uint32_t lines_of_box(BoxSpot spot) noexcept { return std::uint32_t{1} << (spot & 31U); }

inline constexpr unsigned kKeptShift = 12;

/// What the hub has of each PE of the node.
struct HubPlace {
  std::atomic<BoxSpot> box;  // for what that one sends
  std::atomic<std::uint64_t> withdrawn;
};

/// Of a PE. A HubPlace for each PE of the node follows.
struct Hub {
  QueueEnds queue;
  /// Moves when somebody has answered a message of this PE that it does not watch.
  alignas(64) std::atomic<std::uint32_t> answers;
  /// Moves when somebody has withdrawn a message to this PE, which may have its head. In the same line, as both are
  /// looked at together, and it moves seldom; it never goes round, so 0 is before the first one only.
  std::atomic<std::uint64_t> withdrawals;
  /// Not 0: as much has come as may, that nobody has received; data is to stay with its sender. For people it is how
  /// much, in steps of 1 << kKeptShift.
  alignas(64) std::atomic<std::uint32_t> closed;
  reach::Card card;

  HubPlace& place_of(int local) noexcept { return reinterpret_cast<HubPlace*>(this + 1)[local]; }
  std::atomic<BoxSpot>& box_for(int local) noexcept { return place_of(local).box; }
};
static_assert(sizeof(Hub) == 320 && std::is_standard_layout_v<Hub>);
static_assert(offsetof(Hub, answers) == 128 && offsetof(Hub, withdrawals) == 136 && offsetof(Hub, closed) == 192 &&
              offsetof(Hub, card) == 256);
constexpr std::size_t hub_bytes(int n_local) noexcept {
  return sizeof(Hub) + static_cast<std::size_t>(n_local) * sizeof(HubPlace);
}

/// A place that one side tells the other, with a word by which bytes that a program has written over it are known:
/// wrong ones would have the other side read or write any memory of its peer.
class ToldPlace {
 public:
  ToldPlace() noexcept = default;
  explicit ToldPlace(const reach::Place& place) noexcept : place_(place), check_(check_of(place)) {}

  const reach::Place& place() const noexcept { return place_; }
  bool is_sound() const noexcept { return check_ == check_of(place_); }

 private:
  // Not nothing where the place is none, as a ticket of zeros is not one.
  static constexpr std::uint64_t check_of(const reach::Place& place) noexcept {
    return (place.address ^ std::rotl(place.bytes, 23) ^ std::rotl(place.cookie, 46)) * 0x9e3779b97f4a7c15U ^ kSalt;
  }
  static constexpr std::uint64_t kSalt = 0x6c81'95d3'4b2e'70afU;

  reach::Place place_;
  std::uint64_t check_;
};

/// The same for which pieces of the place are meant: they stay within it, but others than the sender's would be
/// received as its data. One word for the pieces' offsets and one for their lengths, so that neither waits for the
/// other.
inline std::uint64_t check_of_pieces(std::uint64_t list, std::uint32_t count, std::uint32_t packs,
                                     const reach::Range* pieces) noexcept {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  std::uint64_t offsets = list ^ 0x2f0b'4c71'98d3'e65aU;
  std::uint64_t lengths = std::uint64_t{count} << 32 | packs;
  for (std::uint32_t k = 0; k < count; ++k) {
    offsets = (std::rotl(offsets, 29) ^ pieces[k].offset) * kFactor;
    lengths = (std::rotl(lengths, 29) ^ pieces[k].bytes) * kFactor;
  }
  return offsets ^ std::rotl(lengths, 32) * kFactor;
}

/// Of a message whose sender waits for its receiver; in the sender's own area.
struct Ticket {
  // The sender's. The data, for who reads it by one copy; 0 bytes: it cannot be read so. Where it is in several pieces:
  // which parts of that place, in a block of the own area.
  ToldPlace place;
  std::uint64_t ranges;
  std::uint32_t n_ranges;
  std::uint32_t packs;         // 1: the data is in parts, which are packed as they go to the stage
  std::uint64_t pieces_check;  // of the three and of the list
  std::uint64_t unused;
  // The receiver's.
  alignas(64) std::atomic<std::uint32_t> answer;
  std::uint32_t piece;               // of two copies: the logarithm of the pieces' bytes
  std::uint64_t from;                // when the message is received: Found::word()
  std::uint64_t wanted;              // bytes from there on
  std::atomic<std::uint64_t> taken;  // pieces that it has copied out of the stage
  ToldPlace target;                  // of one copy by both
  // The sender's, of two copies.
  alignas(64) std::atomic<std::uint64_t> filled;  // pieces that it has copied in
  std::uint64_t stage;                            // the offset; before the first one is filled
  // Of one copy by both: which pieces are whose, and how many the sender has written (together.hpp).
  std::atomic<std::uint64_t> claims;
  std::atomic<std::uint64_t> written;
  std::uint32_t stage_begin;  // where the first piece lies in the stage, which goes round; told as `stage` is
  // Not 0: the sender brings all of the data to the stage without being asked, in pieces of this logarithm. Told with
  // the head, as `stage` is then.
  std::uint32_t begun;
};
static_assert(sizeof(Ticket) == 192 && std::is_standard_layout_v<Ticket>);
static_assert(offsetof(Ticket, answer) == 64 && offsetof(Ticket, taken) == 88 && offsetof(Ticket, filled) == 128);

/// Of two copies. While one side fills a piece, the other empties those before: small ones let both begin sooner, large
/// ones cost fewer looks at each other. Where data also goes the other way, both sides are busy anyway; to pack takes
/// long.
/// Logarithms of their bytes.
inline constexpr std::uint32_t kPieceOneWay = 13;
inline constexpr std::uint32_t kPieceBothWays = 15;
inline constexpr std::uint32_t kPieceOfParts = 12;
inline constexpr std::uint32_t kPieceUnasked = 11;
/// Few pieces enough to stay in a cache of both. Messages go on round it (record 0171).
inline constexpr std::uint32_t kStageBits = 17;
inline constexpr std::uint32_t kStageBytes = 1U << kStageBits;
constexpr bool is_piece(std::uint32_t bits) noexcept {
  return bits == kPieceOneWay || bits == kPieceBothWays || bits == kPieceOfParts || bits == kPieceUnasked;
}

/// Pieces of data that are told for one copy; data in more of them takes two.
inline constexpr std::size_t kMostRanges = 512;

/// Data up to this size goes with its envelope.
inline constexpr std::uint64_t kMostEager = 4096;
static_assert(kMostUnasked <= kStageBytes);
static_assert(lines_of(kMostEager) < kMostLines / 4);

}  // namespace weft::msg
