#include "coll/algorithms.hpp"
#include "coll/broadcast/tree.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_binomial_get(Group& group, const Broadcast& call) noexcept {
  const BinomialTree tree(group, call.root);
  if (!tree.is_root()) {
    const int parent = tree.parent();
    group.await(parent, 1);
    const void* theirs = parent == call.root ? group.at(call.source, parent) : group.at(call.dest, parent);
    copy::copy(call.dest, theirs, call.bytes);
  }
  group.post(1);
  // The children read from this member's buffer.
  tree.for_children([&](int child, int) { group.await(child, 1); });
}

}  // namespace weft::coll
