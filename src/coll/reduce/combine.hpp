// Combining what several members hold, piece by piece in a buffer that stays in the nearest cache.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "coll/collectives.hpp"
#include "coll/scratch.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

inline constexpr std::size_t kPieceBytes = 8192;

/// Elements that are worked on at a time: as many as have room in a piece, and at least one.
inline std::size_t elements_at_a_time(std::size_t bytes, std::size_t element) noexcept {
  return element <= bytes ? bytes / element : 1;
}

/// Memory for what for_pieces() works on at a time.
class Piece {
 public:
  Piece(Room& room, std::size_t element) noexcept {
    if (element > kPieceBytes) [[unlikely]] {
      large_.emplace(room, element);
      at_ = large_->get();
    }
  }
  static constexpr std::size_t need(std::size_t element) noexcept {
    return element > kPieceBytes ? Room::need(element) : 0;
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  std::byte* bytes() const noexcept { return at_; }

 private:
  alignas(64) std::byte bytes_[kPieceBytes];
  std::byte* at_ = bytes_;
  std::optional<Scratch> large_;
};

/// Elements [begin, begin + count) of members 0 to `members` - 1, in that order, into `into`, which is none of the
/// members' sources. At least one member.
inline void combine_members(const Party& party, const Reduce& call, int members, std::size_t begin, std::size_t count,
                            void* into) noexcept {
  const auto* source = static_cast<const std::byte*>(call.source) + begin * call.element;
  if (members == 1) {
    copy::copy(into, party.at(source, 0), count * call.element);
    return;
  }
  call.combine(into, party.at(source, 0), party.at(source, 1), count);
  for (int member = 2; member < members; ++member) {
    call.combine(into, into, party.at(source, member), count);
  }
}

/// Calls body(begin, count) for the pieces of elements [begin, end).
template <class Body>
void for_pieces(std::size_t begin, std::size_t end, std::size_t element, Body&& body) {
  const std::size_t most = elements_at_a_time(kPieceBytes, element);
  for (std::size_t at = begin; at < end; at += most) {
    body(at, std::min(most, end - at));
  }
}

/// This member's target becomes the combination of members 0 to `members` - 1, or zeros where that is none. All members
/// call it, each with a number of its own.
inline void combine_first(Party& party, const Reduce& call, int members) noexcept {
  const bool in_place = call.dest == call.source;
  party.barrier();
  Piece piece(party.room(), call.element);
  for_pieces(0, call.count, call.element, [&](std::size_t begin, std::size_t count) {
    if (members == 0) {
      std::memset(piece.bytes(), 0, count * call.element);
    } else {
      combine_members(party, call, members, begin, count, piece.bytes());
    }
    if (in_place) {
      party.barrier();  // all have read the piece that is about to change
    }
    copy::copy(static_cast<std::byte*>(call.dest) + begin * call.element, piece.bytes(), count * call.element);
  });
  if (!in_place) {
    party.barrier();
  }
}

/// The elements that a member combines when they are shared out: whole cache lines, so that no two write to one line
/// more than they have to.
struct Share {
  std::size_t begin;
  std::size_t end;
};
inline Share share_of(int member, int size, std::size_t count, std::size_t element) noexcept {
  const std::size_t line = elements_at_a_time(64, element);
  const std::size_t lines = (count + line - 1) / line;
  const auto at = [&](int k) {
    // Divided first: the product of both could wrap.
    const auto n = static_cast<std::size_t>(size);
    const auto place = static_cast<std::size_t>(k);
    return std::min(count, (lines / n * place + lines % n * place / n) * line);
  };
  return {at(member), at(member + 1)};
}

/// At most so many bytes are in one share.
inline std::size_t largest_share(int size, std::size_t count, std::size_t element) noexcept {
  const std::size_t line = elements_at_a_time(64, element);
  const std::size_t lines = (count + line - 1) / line;
  return (lines / static_cast<std::size_t>(size) + 1) * line * element;
}

/// This member's share, combined over all members and put to all. In place too: a share of the sources is read, and of
/// the targets written, by its member alone. All have to be ready before, and to meet after.
inline void combine_share(const Party& party, const Reduce& call) noexcept {
  const Share mine = share_of(party.me(), party.size(), call.count, call.element);
  const bool in_place = call.dest == call.source;
  Piece piece(party.room(), call.element);
  for_pieces(mine.begin, mine.end, call.element, [&](std::size_t begin, std::size_t count) {
    auto* target = static_cast<std::byte*>(call.dest) + begin * call.element;
    std::byte* combined = in_place ? piece.bytes() : target;
    combine_members(party, call, party.size(), begin, count, combined);
    for (int distance = in_place ? 0 : 1; distance < party.size(); ++distance) {
      copy::copy(party.at(target, party.after(distance)), combined, count * call.element);
    }
  });
}

}  // namespace weft::coll
