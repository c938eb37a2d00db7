#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_linear_put(Party& party, const Broadcast& call) noexcept {
  if (party.me() != call.root) {
    party.await(call.root, 1);
    return;
  }
  for (int distance = 1; distance < party.size(); ++distance) {
    copy::copy(party.at(call.dest, party.after(distance)), call.source, call.bytes);
  }
  party.post(1);
}

}  // namespace weft::coll
