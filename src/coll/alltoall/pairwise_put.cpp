#include "coll/algorithms.hpp"
#include "coll/alltoall/block.hpp"

namespace weft::coll {

void alltoall_pairwise_put(Party& party, const Alltoall& call) noexcept {
  put_blocks(party, call);
  party.barrier();
}

}  // namespace weft::coll
