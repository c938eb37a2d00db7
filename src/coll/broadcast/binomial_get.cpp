#include "coll/algorithms.hpp"
#include "coll/broadcast/tree.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_binomial_get(Party& party, const Broadcast& call) noexcept {
  const BinomialTree tree(party, call.root);
  if (!tree.is_root()) {
    const int parent = tree.parent();
    party.await(parent, 1);
    const void* theirs = parent == call.root ? party.at(call.source, parent) : party.at(call.dest, parent);
    copy::copy(call.dest, theirs, call.bytes);
  }
  party.post(1);
  // The children read from this member's buffer.
  tree.for_children([&](int child, int) { party.await(child, 1); });
}

}  // namespace weft::coll
