#include "coll/algorithms.hpp"
#include "coll/alltoall/block.hpp"

namespace weft::coll {

void alltoall_pairwise_get(Group& group, const Alltoall& call) noexcept {
  group.barrier();
  for (int distance = 0; distance < group.size(); ++distance) {
    const int peer = group.after(distance);
    copy_block(call, call.dest, peer, group.at(call.source, peer), group.me());
  }
  group.barrier();
}

}  // namespace weft::coll
