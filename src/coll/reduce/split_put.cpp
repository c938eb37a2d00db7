#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void reduce_split_put(Party& party, const Reduce& call) noexcept {
  party.barrier();
  combine_share(party, call);
  party.barrier();
}

}  // namespace weft::coll
