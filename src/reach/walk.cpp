#include "reach/walk.hpp"

#include <algorithm>

namespace weft::reach {
namespace {

bool lies_in(const Range& range, const Place& place) noexcept {
  return range.bytes <= place.bytes && range.offset <= place.bytes - range.bytes;
}

bool may_be(const Place& place) noexcept { return place.address <= UINT64_MAX - place.bytes; }

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
  std::size_t count = 0;
  std::uint64_t offset = our_offset_;
  for (std::size_t k = our_index_; bytes > 0 && count < most; ++k, offset = 0) {
    const Piece& piece = ours_.pieces[k];
    const std::uint64_t size = std::min(piece.bytes - offset, bytes);
    if (size > 0) {
      into[count++] = {static_cast<std::byte*>(piece.at) + offset, size};
    }
    bytes -= size;
  }
  return count;
}

std::size_t Walk::list_theirs(iovec* into, std::size_t most, std::uint64_t bytes) const noexcept {
  std::size_t count = 0;
  std::uint64_t offset = their_offset_;
  for (std::size_t k = their_index_; bytes > 0 && count < most; ++k, offset = 0) {
    const Range& range = theirs_.ranges[k];
    const std::uint64_t size = std::min(range.bytes - offset, bytes);
    if (size > 0) {
      into[count++] = {reinterpret_cast<void*>(theirs_.place.address + range.offset + offset), size};
    }
    bytes -= size;
  }
  return count;
}

}  // namespace weft::reach
