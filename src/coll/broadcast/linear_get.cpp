#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_linear_get(Party& party, const Broadcast& call) noexcept {
  if (party.me() == call.root) {
    party.post(1);
    party.await_all(2);
    return;
  }
  party.await(call.root, 1);
  copy::copy(call.dest, party.at(call.source, call.root), call.bytes);
  party.post(2);
}

}  // namespace weft::coll
