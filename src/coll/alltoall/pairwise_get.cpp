#include "coll/algorithms.hpp"
#include "coll/alltoall/block.hpp"

namespace weft::coll {

void alltoall_pairwise_get(Party& party, const Alltoall& call) noexcept {
  party.barrier();
  for (int distance = 0; distance < party.size(); ++distance) {
    const int peer = party.after(distance);
    copy_block(call, call.dest, peer, party.at(call.source, peer), party.me());
  }
  party.barrier();
}

}  // namespace weft::coll
