#include "reach/walk.hpp"

#include <algorithm>
#include <span>

namespace weft::reach {
namespace {

bool lies_in(const Range& range, const Place& place) noexcept {
  return range.bytes <= place.bytes && range.offset <= place.bytes - range.bytes;
}

bool may_be(const Place& place) noexcept { return place.address <= UINT64_MAX - place.bytes; }

// The next `bytes` of either side's parts, the first of which is done up to `offset`.
template <class Part, class AddressOf>
std::size_t list(const Part* part, std::uint64_t offset, std::span<iovec> into, std::uint64_t bytes,
                 AddressOf&& address_of) noexcept {
  std::size_t count = 0;
  for (; bytes > 0 && count < into.size(); ++part, offset = 0) {
    const std::uint64_t size = std::min(part->bytes - offset, bytes);
    if (size > 0) {
      into[count++] = {address_of(*part) + offset, size};
    }
    bytes -= size;
  }
  return count;
}

}  // namespace

Walk::Walk(Direction direction, const Ours& ours, const Theirs& theirs) noexcept
    : ours_(ours), theirs_(theirs), direction_(direction) {
  std::uint64_t here = 0;
  std::uint64_t there = 0;
  for (std::size_t k = 0; k < ours.count; ++k) {
    here += ours.pieces[k].bytes;
  }
  fits_ = may_be(theirs.place);
  for (std::size_t k = 0; k < theirs.count; ++k) {
    fits_ = fits_ && lies_in(theirs.ranges[k], theirs.place);
    there += fits_ ? theirs.ranges[k].bytes : 0;
  }
  left_ = std::min(here, there);
  skip_empty();
}

void Walk::skip_empty() noexcept {
  if (left_ == 0) {
    return;
  }
  while (our_offset_ == ours_.pieces[our_index_].bytes) {
    ++our_index_;
    our_offset_ = 0;
  }
  while (their_offset_ == theirs_.ranges[their_index_].bytes) {
    ++their_index_;
    their_offset_ = 0;
  }
}

Stretch Walk::stretch() const noexcept {
  const Piece& piece = ours_.pieces[our_index_];
  const Range& range = theirs_.ranges[their_index_];
  const std::uint64_t offset = range.offset + their_offset_;
  const std::uint64_t bytes = std::min({piece.bytes - our_offset_, range.bytes - their_offset_, left_});
  return {static_cast<std::byte*>(piece.at) + our_offset_, theirs_.place.address + offset, offset, bytes};
}

void Walk::advance(std::uint64_t bytes) noexcept {
  while (bytes > 0) {
    const std::uint64_t step = std::min<std::uint64_t>(bytes, stretch().bytes);
    our_offset_ += step;
    their_offset_ += step;
    left_ -= step;
    done_ += step;
    bytes -= step;
    skip_empty();
  }
}

std::size_t Walk::list_ours(iovec* into, std::size_t most, std::uint64_t bytes) const noexcept {
  return list(ours_.pieces + our_index_, our_offset_, {into, most}, bytes,
              [](const Piece& piece) { return static_cast<std::byte*>(piece.at); });
}

std::size_t Walk::list_theirs(iovec* into, std::size_t most, std::uint64_t bytes) const noexcept {
  return list(theirs_.ranges + their_index_, their_offset_, {into, most}, bytes, [this](const Range& range) {
    return reinterpret_cast<std::byte*>(theirs_.place.address + range.offset);
  });
}

}  // namespace weft::reach
