#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_linear_get(Party& party, const Collect& call) noexcept {
  party.barrier();
  for (int distance = 0; distance < party.size(); ++distance) {
    const int member = party.after(distance);
    if (const std::size_t bytes = call.blocks.bytes(member); bytes > 0) {
      copy::copy(call.dest + call.blocks.begin(member), party.at(call.source, member), bytes);
    }
  }
  party.barrier();
}

}  // namespace weft::coll
