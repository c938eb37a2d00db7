// What is said of a message beside its data: whom it is for, in what order it was sent, and what its data is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::msg {

/// For receives and probes: of whichever source, of whichever tag. No message has these.
inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kAnyTag = -2;

/// Envelope::ticket of a message that nobody answers.
inline constexpr std::uint32_t kNoTicket = UINT32_MAX;

enum class Kind : std::uint8_t {
  kData = 1,   // the data follows; with a ticket, the sender waits until it is received
  kHead = 2,   // the data is fetched by the receiver
  kSkip = 3,   // in a box: what is left of it up to its end is nothing
  kMoved = 4,  // in a box: what follows is in the next one
};

/// The same in boxes, in the queue and on the wire. Messages of one PE to another are numbered from 1 on, over all
/// contexts and paths, and matched in this order. In a box the number is written last, so who sees it sees the rest.
struct Envelope {
  std::uint32_t sequence = 0;
  std::uint32_t context = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t ticket = kNoTicket;
  std::uint32_t what = 0;  // the kind, kWatched or not, and in the upper 24 bits the signature

  /// Of a head: the sender looks at its ticket's answer itself, so the answer needs no count. And it is never
  /// withdrawn, so its receiver claims nothing (record 0150): who has a send watched whose head has gone without this
  /// breaks that.
  static constexpr std::uint32_t kWatched = 0x80;
  static constexpr Kind kind_in(std::uint32_t what) noexcept { return static_cast<Kind>(what & 0x7fU); }

  Kind kind() const noexcept { return kind_in(what); }
  bool is_watched() const noexcept { return (what & kWatched) != 0; }
  std::uint32_t signature() const noexcept { return what >> 8; }
  static constexpr std::uint32_t what_of(Kind kind, std::uint32_t signature) noexcept {
    return static_cast<std::uint32_t>(kind) | signature << 8;
  }
};
static_assert(sizeof(Envelope) == 32 && std::is_standard_layout_v<Envelope> && std::is_trivially_copyable_v<Envelope>);
static_assert(offsetof(Envelope, sequence) == 0 && offsetof(Envelope, bytes) == 16 && offsetof(Envelope, what) == 28);

}  // namespace weft::msg
