#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void reduce_linear_get(Group& group, const Reduce& call) noexcept {
  const bool in_place = call.dest == call.source;
  group.barrier();
  Piece piece;
  for_pieces(0, call.count, call.element, [&](std::size_t begin, std::size_t count) {
    combine_members(group, call, group.size(), begin, count, &piece);
    if (in_place) {
      group.barrier();  // all have read the piece that is about to change
    }
    std::memcpy(static_cast<std::byte*>(call.dest) + begin * call.element, piece.bytes, count * call.element);
  });
  if (!in_place) {
    group.barrier();
  }
}

}  // namespace weft::coll
