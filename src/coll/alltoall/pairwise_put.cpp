#include "coll/algorithms.hpp"
#include "coll/alltoall/block.hpp"

namespace weft::coll {

void alltoall_pairwise_put(Group& group, const Alltoall& call) noexcept {
  put_blocks(group, call);
  group.barrier();
}

}  // namespace weft::coll
