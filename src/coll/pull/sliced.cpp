#include "coll/pull/sliced.hpp"

#include <algorithm>
#include <cstring>

#include "coll/pull/looks.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/pull/slices.hpp"
#include "coll/reduce/combine.hpp"
#include "copy/staged.hpp"

namespace weft::coll {
namespace {

// Of a member's share a slice: where it lies in sources, and how long it is. In bytes.
struct Span {
  std::size_t offset;
  std::size_t bytes;
};

// Shares of lines, as even as can be.
class EvenShares {
 public:
  EvenShares(const Party& party, const Reduce& call, const Slices& slices) noexcept
      : party_(party), call_(call), slices_(slices) {
    std::size_t longest = 0;
    for (int seat = 0; seat < party.size(); ++seat) {
      longest = std::max(longest, bytes(share(seat)));
    }
    count_ = slices.count(longest);
  }
  /// Slices of the longest share.
  std::size_t count() const noexcept { return count_; }
  Span slice(int seat, std::size_t k) const noexcept {
    const Share of_seat = share(seat);
    return {of_seat.begin * call_.element + k * slices_.bytes(), slices_.length(k, bytes(of_seat))};
  }

 private:
  Share share(int seat) const noexcept { return share_of(seat, party_.size(), call_.count, call_.element); }
  std::size_t bytes(const Share& share) const noexcept { return (share.end - share.begin) * call_.element; }

  const Party& party_;
  const Reduce& call_;
  const Slices& slices_;
  std::size_t count_;
};

// This member's slices of the others' shares, into its stage.
template <class Slice>
void stage_slices(const Party& party, const Slices& slices, const std::byte* source, Slice&& slice) noexcept {
  for (int distance = 1; distance < party.size(); ++distance) {
    const int other = party.after(distance);
    const Span span = slice(other);
    copy::copy_staged(slices.at(party.me(), other), source + span.offset, span.bytes);
  }
}

// Where a member's elements of this one's slice are, from byte `at` of it on; this one's own, staged nowhere, at `own`.
const std::byte* look_at(const Slices& slices, int me, const std::byte* own, int member, std::size_t at) noexcept {
  return (member == me ? own : slices.at(member, me)) + at;
}

// The shares of a call go through the stages, a slice of each at a time: combine(slice) is called where all members'
// elements of this one's slice can be looked at, and puts what it makes of them into stages, at this member's part.
// Behind the next meeting who wants it takes what was made of another one's slice out of the stage of in_stage(other):
// so there is a meeting more than there are slices.
template <class Combine, class InStage>
void share_out(Party& party, const Reduce& call, const Slices& slices, bool wants, Combine&& combine,
               InStage&& in_stage) noexcept {
  const EvenShares shares(party, call, slices);
  const auto* const source = static_cast<const std::byte*>(call.source);
  auto* const target = static_cast<std::byte*>(call.dest);
  for (std::size_t k = 0; k <= shares.count(); ++k) {
    const bool is_last = k == shares.count();  // only results are left to take
    if (!is_last) {
      party.next_stage_half();
      stage_slices(party, slices, source, [&](int other) { return shares.slice(other, k); });
    }
    party.barrier();
    if (!is_last) {
      combine(shares.slice(party.me(), k));
    }
    for (int distance = 1; wants && k > 0 && distance < party.size(); ++distance) {
      const int other = party.after(distance);
      const Span span = shares.slice(other, k - 1);
      const int stage = in_stage(other);
      copy::copy(target + span.offset, is_last ? slices.at(stage, other) : slices.before(stage, other), span.bytes);
    }
    party.has_looked();
  }
}

// Pieces that stay in the nearest cache: body(at, elements), `at` in bytes.
template <class Body>
void for_pieces_of(std::size_t bytes, std::size_t element, Body&& body) noexcept {
  for_pieces(0, bytes / element, element, [&](std::size_t begin, std::size_t count) { body(begin * element, count); });
}

std::size_t bytes_of_table(const Party& party) noexcept {
  return static_cast<std::size_t>(party.size()) * sizeof(std::size_t);
}

// Less is combined by each member, of all that lies before it, in less time than another meeting takes.
constexpr std::size_t kLeastScanInSlices = 16384;

// Two members combine what one of them has sent; more would wait for each other's meetings.
bool is_worth_slices(const Party& party, const Reduce& call) noexcept {
  return party.size() > 2 && Slices(party, call.element).bytes() > 0;
}

}  // namespace

bool goes_in_slices(const Party& party, const Reduce& call, Reached reached) noexcept {
  return goes_by_stages(party, reached, call.count * call.element, Reads::combined) &&
         Slices(party, call.element).bytes() > 0;
}

bool scan_goes_in_slices(const Party& party, const Reduce& call, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  return bytes >= kLeastScanInSlices && is_worth_slices(party, call) &&
         goes_by_stages(party, reached, bytes, Reads::prefixes);
}

bool scatter_goes_in_slices(const Party& party, const Reduce& call, const std::size_t* counts,
                            Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  // While the longest part goes, all others are at their end.
  const std::size_t longest = *std::max_element(counts, counts + party.size());
  const bool even = longest / 2 <= call.count / static_cast<std::size_t>(party.size());
  // Of a vector that is one piece each member combines its part behind one meeting as well.
  return even && bytes > party.staged_bytes() && is_worth_slices(party, call) &&
         goes_by_stages(party, reached, bytes, Reads::combined);
}

std::size_t need_for_slices(const Party& party, const Reduce& call) noexcept {
  return Room::need(bytes_of_table(party)) + 2 * Piece::need(call.element);
}

// What a member reads of its share goes into the free slice of its own stage, out of which those who want it take it
// behind the next meeting: it needs no other memory, and a meeting more than there are slices.
void reduce_in_slices(Party& party, const Reduce& call, int root) noexcept {
  const int me = party.me();
  const bool wants = root == kToAll || root == me;
  const Slices slices(party, call.element);
  const auto* const source = static_cast<const std::byte*>(call.source);
  auto* const target = static_cast<std::byte*>(call.dest);
  const auto combine = [&](const Span& span) {
    for_pieces_of(span.bytes, call.element, [&](std::size_t at, std::size_t elements) {
      const auto look = [&](int member, std::byte*) { return look_at(slices, me, source + span.offset, member, at); };
      combine_looks(call, party.size(), elements, slices.at(me, me) + at, nullptr, look);
    });
    if (wants) {
      copy::copy(target + span.offset, slices.at(me, me), span.bytes);
    }
  };
  share_out(party, call, slices, wants, combine, [](int other) { return other; });
}

// What lies before each member is put where that member's own slice of the share was, which nobody else reads: so each
// takes its results out of its own stage, behind the next meeting, and then puts something else there.
void scan_in_slices(Party& party, const Scan& call) noexcept {
  const int me = party.me();
  const int last = party.size() - 1;
  const Slices slices(party, call.element);
  const auto* const source = static_cast<const std::byte*>(call.source);
  auto* const target = static_cast<std::byte*>(call.dest);
  Piece first(party.room(), call.element);
  Piece second(party.room(), call.element);
  const auto combine = [&](const Span& span) {
    for_pieces_of(span.bytes, call.element, [&](std::size_t at, std::size_t elements) {
      const std::size_t bytes = elements * call.element;
      const auto slice_of = [&](int member) { return look_at(slices, me, source + span.offset, member, at); };
      const auto give = [&](int member, const std::byte* result) {
        copy::copy(member == me ? target + span.offset + at : slices.at(member, me) + at, result, bytes);
      };
      std::byte* before = first.bytes();  // all members up to the one before
      std::byte* with = second.bytes();
      copy::copy(before, slice_of(0), bytes);
      if (call.inclusive) {
        give(0, before);
      }
      for (int member = 1; member <= last; ++member) {
        if (call.inclusive) {
          call.combine(before, before, slice_of(member), elements);
          give(member, before);
        } else {
          if (member < last) {
            call.combine(with, before, slice_of(member), elements);
          }
          give(member, before);
          std::swap(before, with);
        }
      }
    });
  };
  // Of an exclusive scan member 0 has no result.
  share_out(party, call, slices, call.inclusive || me > 0, combine, [me](int) { return me; });
}

// In place a member's result lies before everything of its source that is still to be staged or combined.
void scatter_in_slices(Party& party, const Reduce& call, const std::size_t* counts) noexcept {
  const int me = party.me();
  const Slices slices(party, call.element);
  const Scratch table(party.room(), bytes_of_table(party));
  auto* const begins = table.as<std::size_t>();
  std::size_t longest = 0;
  std::size_t begin = 0;
  for (int seat = 0; seat < party.size(); ++seat) {
    begins[seat] = begin;
    begin += counts[seat] * call.element;
    longest = std::max(longest, counts[seat] * call.element);
  }
  const auto slice_of = [&](int seat, std::size_t k) {
    return Span{begins[seat] + k * slices.bytes(), slices.length(k, counts[seat] * call.element)};
  };
  const auto* const source = static_cast<const std::byte*>(call.source);
  auto* const target = static_cast<std::byte*>(call.dest);
  Piece piece(party.room(), call.element);
  for (std::size_t k = 0; k < slices.count(longest); ++k) {
    party.next_stage_half();
    stage_slices(party, slices, source, [&](int other) { return slice_of(other, k); });
    party.barrier();
    const Span span = slice_of(me, k);
    for_pieces_of(span.bytes, call.element, [&](std::size_t at, std::size_t elements) {
      const auto look = [&](int member, std::byte*) { return look_at(slices, me, source + span.offset, member, at); };
      combine_looks(call, party.size(), elements, piece.bytes(), nullptr, look);
      copy::copy(target + k * slices.bytes() + at, piece.bytes(), elements * call.element);
    });
    party.has_looked();
  }
}

}  // namespace weft::coll
