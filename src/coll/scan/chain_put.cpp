#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

// What the members before have is put into a member's target, where it may overwrite its source: so each saves a piece
// of its source first and says so (an odd step), and says when it has put the next one's (an even step).
void scan_chain_put(Party& party, const Scan& call) noexcept {
  const int me = party.me();
  const bool last = me + 1 == party.size();
  auto* dest = static_cast<std::byte*>(call.dest);
  Piece mine(party.room(), call.element);
  Piece sum(party.room(), call.element);
  std::uint32_t step = 0;
  for_pieces(0, call.count, call.element, [&](std::size_t begin, std::size_t count) {
    const std::size_t at = begin * call.element;
    const std::size_t bytes = count * call.element;
    copy::copy(mine.bytes(), static_cast<const std::byte*>(call.source) + at, bytes);
    if (me == 0) {
      copy::copy(sum.bytes(), mine.bytes(), bytes);
      if (!call.inclusive) {
        std::memset(dest + at, 0, bytes);
      }
    } else {
      party.post(step + 1);
      party.await(me - 1, step + 2);
      copy::copy(sum.bytes(), dest + at, bytes);
      call.combine(sum.bytes(), sum.bytes(), mine.bytes(), count);
    }
    if (!last) {
      party.await(me + 1, step + 1);
      copy::copy(party.at(dest + at, me + 1), sum.bytes(), bytes);
    }
    party.post(step + 2);
    if (call.inclusive) {
      copy::copy(dest + at, sum.bytes(), bytes);
    }
    step += 2;
  });
}

}  // namespace weft::coll
