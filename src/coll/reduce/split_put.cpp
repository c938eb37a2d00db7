#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

// In place too: a share of the sources is read, and of the targets written, by its member alone.
void reduce_split_put(Group& group, const Reduce& call) noexcept {
  group.barrier();
  const Share mine = share_of(group.me(), group.size(), call.count, call.element);
  Piece piece;
  for_pieces(mine.begin, mine.end, call.element, [&](std::size_t begin, std::size_t count) {
    combine_members(group, call, group.size(), begin, count, &piece);
    auto* target = static_cast<std::byte*>(call.dest) + begin * call.element;
    for (int distance = 0; distance < group.size(); ++distance) {
      std::memcpy(group.at(target, group.after(distance)), piece.bytes, count * call.element);
    }
  });
  group.barrier();
}

}  // namespace weft::coll
