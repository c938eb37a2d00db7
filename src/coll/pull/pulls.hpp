// What members let each other read in a call: all of it at once where it is symmetric, else piece by piece in the
// members' stages.
#pragma once

#include <algorithm>
#include <cstring>

#include "coll/forms.hpp"
#include "coll/scratch.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

/// Bytes [begin, end) of each member's source can be read.
class Offered {
 public:
  Offered(const Party& party, const void* source, std::size_t begin, std::size_t end, bool staged) noexcept
      : party_(party), source_(static_cast<const std::byte*>(source)), begin_(begin), end_(end), staged_(staged) {}

  std::size_t begin() const noexcept { return begin_; }
  std::size_t end() const noexcept { return end_; }
  /// Byte `offset` of a member's source, which is one of those.
  const std::byte* at(int member, std::size_t offset) const noexcept {
    return staged_ ? party_.staged(member) + (offset - begin_) : party_.at(source_ + offset, member);
  }
  /// Of a member's bytes from `first` on those that can be read now, to where they belong in `to`.
  void take(void* to, int member, std::size_t first, std::size_t bytes) const noexcept {
    const std::size_t lo = std::max(begin_, first);
    const std::size_t hi = std::min(end_, first + bytes);
    if (lo >= hi) {
      return;
    }
    const std::byte* from = at(member, lo);
    std::byte* target = static_cast<std::byte*>(to) + (lo - first);
    if (from != target) {
      copy::copy(target, from, hi - lo);
    }
  }

 private:
  const Party& party_;
  const std::byte* source_;
  std::size_t begin_;
  std::size_t end_;
  bool staged_;
};

/// What each member of the domain offers, `mine` bytes of this one's source and at most `most` of any, is read by body,
/// called with an Offered for each piece, of whole grains. A grain fits a stage. All members call it alike.
template <class Body>
void pull(Party& party, Reached reached, const void* source, std::size_t mine, std::size_t most, std::size_t grain,
          Body&& body) noexcept {
  if (most == 0) {
    return;
  }
  if (reached == Reached::kSymmetric) {
    party.barrier();
    body(Offered(party, source, 0, most, false));
    party.barrier();
    return;
  }
  const std::size_t step = Party::kStagedBytes / grain * grain;
  for (std::size_t at = 0; at < most; at += step) {
    party.next_stage_half();
    if (at < mine) {
      std::memcpy(party.staged(party.me()), static_cast<const std::byte*>(source) + at, std::min(step, mine - at));
    }
    // One meeting a piece: the next one is put into the other half, and the one after that behind another meeting.
    party.barrier();
    body(Offered(party, source, at, std::min(most, at + step), true));
    party.has_looked();
  }
}

/// The number of a member of the domain among all members.
inline int member_of(const Party& party, int seat) noexcept {
  const group::Span* span = party.span();
  return span == nullptr ? seat : span->domains[span->mine].member(seat);
}
/// Its seat in this PE's domain; -1 when it is in another one.
inline int seat_of(const Party& party, int member) noexcept {
  const group::Span* span = party.span();
  return span == nullptr ? member : span->domains[span->mine].seat(member);
}

}  // namespace weft::coll
