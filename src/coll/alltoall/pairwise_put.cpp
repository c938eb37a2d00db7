#include "coll/algorithms.hpp"
#include "coll/alltoall/block.hpp"

namespace weft::coll {

void alltoall_pairwise_put(Group& group, const Alltoall& call) noexcept {
  // Each begins with another peer, so that no two write to the same one at a time.
  for (int distance = 0; distance < group.size(); ++distance) {
    const int peer = group.after(distance);
    copy_block(call, group.at(call.dest, peer), group.me(), call.source, peer);
  }
  group.barrier();
}

}  // namespace weft::coll
