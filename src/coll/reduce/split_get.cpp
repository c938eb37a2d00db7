#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

// In place too: a share of the sources is read by its member alone, and the others' are overwritten only after that.
void reduce_split_get(Party& party, const Reduce& call) noexcept {
  party.barrier();
  const Share mine = share_of(party.me(), party.size(), call.count, call.element);
  auto* target = static_cast<std::byte*>(call.dest);
  Piece piece(party.room(), call.element);
  for_pieces(mine.begin, mine.end, call.element, [&](std::size_t begin, std::size_t count) {
    combine_members(party, call, party.size(), begin, count, piece.bytes());
    copy::copy(target + begin * call.element, piece.bytes(), count * call.element);
  });
  party.barrier();
  for (int distance = 1; distance < party.size(); ++distance) {
    const int owner = party.after(distance);
    const Share share = share_of(owner, party.size(), call.count, call.element);
    std::byte* at = target + share.begin * call.element;
    copy::copy(at, party.at(at, owner), (share.end - share.begin) * call.element);
  }
  party.barrier();
}

}  // namespace weft::coll
