#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void reduce_split_put(Group& group, const Reduce& call) noexcept {
  group.barrier();
  combine_share(group, call);
  group.barrier();
}

}  // namespace weft::coll
