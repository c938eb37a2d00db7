#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_linear_put(Party& party, const Collect& call) noexcept {
  const int me = party.me();
  const std::size_t bytes = call.blocks.bytes(me);
  if (bytes > 0) {
    for (int distance = 0; distance < party.size(); ++distance) {
      copy::copy(party.at(call.dest + call.blocks.begin(me), party.after(distance)), call.source, bytes);
    }
  }
  party.barrier();
}

}  // namespace weft::coll
