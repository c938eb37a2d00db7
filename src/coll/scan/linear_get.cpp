#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void scan_linear_get(Group& group, const Scan& call) noexcept {
  const bool in_place = call.dest == call.source;
  const int members = group.me() + (call.inclusive ? 1 : 0);
  group.barrier();
  Piece piece;
  for_pieces(0, call.count, call.element, [&](std::size_t begin, std::size_t count) {
    if (members == 0) {
      std::memset(piece.bytes, 0, count * call.element);
    } else {
      combine_members(group, call, members, begin, count, &piece);
    }
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
