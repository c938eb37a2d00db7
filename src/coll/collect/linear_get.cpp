#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_linear_get(Group& group, const Collect& call) noexcept {
  group.barrier();
  for (int distance = 0; distance < group.size(); ++distance) {
    const int member = group.after(distance);
    if (const std::size_t bytes = call.blocks.bytes(member); bytes > 0) {
      copy::copy(call.dest + call.blocks.begin(member), group.at(call.source, member), bytes);
    }
  }
  group.barrier();
}

}  // namespace weft::coll
