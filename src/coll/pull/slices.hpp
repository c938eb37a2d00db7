// Sources that are parts, one for each member of the domain, which reads its part of every source: through the stages,
// a slice of each part at a time. Of pieces from a source's beginning to its end, one member at a time would read all
// that is there, while the others wait for it.
#pragma once

#include <algorithm>
#include <cstring>

#include "coll/party.hpp"
#include "copy/staged.hpp"

namespace weft::coll {

/// How long slices are, of whole grains, where each member has so much room for one of each part.
class Slicing {
 public:
  Slicing(std::size_t room, std::size_t grain) noexcept
      // Slices of several lines begin on lines, where grains let them: who writes one takes no line of the next. Less
      // than a line of each of hundreds of members is not worth a meeting of them.
      : bytes_(room < kLine                                  ? 0
               : room >= kSeveralLines && kLine % grain == 0 ? room / kLine * kLine
                                                             : room / grain * grain) {}

  /// None: there is no room for a grain, or for a line.
  std::size_t bytes() const noexcept { return bytes_; }
  /// Of so many bytes of a part those that slice `k` has.
  std::size_t length(std::size_t k, std::size_t part) const noexcept {
    return part <= k * bytes_ ? 0 : std::min(bytes_, part - k * bytes_);
  }
  /// None where there is no room for any.
  std::size_t count(std::size_t longest_part) const noexcept {
    return bytes_ == 0 ? 0 : (longest_part + bytes_ - 1) / bytes_;
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kSeveralLines = 16 * kLine;
  std::size_t bytes_;
};

/// The same in the stages of a party.
class Slices : public Slicing {
 public:
  Slices(const Party& party, std::size_t grain) noexcept
      : Slicing(party.staged_bytes() / static_cast<std::size_t>(party.size()), grain), party_(party) {}

  /// Where the slice of a member's part lies in another one's source; that of its own part is nobody's, and free.
  std::byte* at(int source, int part) const noexcept { return in(party_.staged(source), part); }
  /// The same before the last next_stage_half().
  std::byte* before(int source, int part) const noexcept { return in(party_.staged_before(source), part); }

 private:
  std::byte* in(std::byte* stage, int part) const noexcept { return stage + static_cast<std::size_t>(part) * bytes(); }

  const Party& party_;
};

/// All members call it alike, with parts that have one length for all. from(part) is where that of this member's source
/// lies, to(source) where its own part of another one's belongs, and room(source) how much of it, as programs may have
/// less room than they are sent.
template <class From, class To, class Room>
void exchange_slices(Party& party, const Slices& slices, std::size_t part, From&& from, To&& to, Room&& room) noexcept {
  const int me = party.me();
  for (std::size_t k = 0; k < slices.count(part); ++k) {
    const std::size_t offset = k * slices.bytes();
    const std::size_t length = slices.length(k, part);
    party.next_stage_half();
    for (int distance = 1; distance < party.size(); ++distance) {
      const int other = party.after(distance);
      copy::copy_staged(slices.at(me, other), from(other) + offset, length);
    }
    // One meeting a slice, as pull_by_stages() has one a piece.
    party.barrier();
    for (int distance = 1; distance < party.size(); ++distance) {
      const int other = party.after(distance);
      copy::copy(to(other) + offset, slices.at(other, me), std::min(length, slices.length(k, room(other))));
    }
    party.has_looked();
  }
  copy::copy(to(me), from(me), std::min(part, room(me)));
}

}  // namespace weft::coll
