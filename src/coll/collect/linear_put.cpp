#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_linear_put(Group& group, const Collect& call) noexcept {
  const int me = group.me();
  const std::size_t bytes = call.blocks.bytes(me);
  if (bytes > 0) {
    for (int distance = 0; distance < group.size(); ++distance) {
      copy::copy(group.at(call.dest + call.blocks.begin(me), group.after(distance)), call.source, bytes);
    }
  }
  group.barrier();
}

}  // namespace weft::coll
