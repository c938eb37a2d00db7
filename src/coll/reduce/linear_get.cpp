#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void reduce_linear_get(Group& group, const Reduce& call) noexcept { combine_first(group, call, group.size()); }

}  // namespace weft::coll
