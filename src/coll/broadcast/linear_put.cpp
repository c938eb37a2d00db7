#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_linear_put(Group& group, const Broadcast& call) noexcept {
  if (group.me() != call.root) {
    group.await(call.root, 1);
    return;
  }
  for (int distance = 1; distance < group.size(); ++distance) {
    copy::copy(group.at(call.dest, group.after(distance)), call.source, call.bytes);
  }
  group.post(1);
}

}  // namespace weft::coll
