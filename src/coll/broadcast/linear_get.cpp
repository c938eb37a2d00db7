#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_linear_get(Group& group, const Broadcast& call) noexcept {
  if (group.me() == call.root) {
    group.post(1);
    group.await_all(2);
    return;
  }
  group.await(call.root, 1);
  copy::copy(call.dest, group.at(call.source, call.root), call.bytes);
  group.post(2);
}

}  // namespace weft::coll
