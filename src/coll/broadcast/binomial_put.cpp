#include "coll/algorithms.hpp"
#include "coll/broadcast/tree.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void broadcast_binomial_put(Party& party, const Broadcast& call) noexcept {
  const BinomialTree tree(party, call.root);
  if (!tree.is_root()) {
    party.await(tree.parent(), static_cast<std::uint32_t>(tree.round_joined()));
  }
  const void* data = tree.is_root() ? call.source : call.dest;
  tree.for_children([&](int child, int round) {
    copy::copy(party.at(call.dest, child), data, call.bytes);
    party.post(static_cast<std::uint32_t>(round));
  });
}

}  // namespace weft::coll
