#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void reduce_linear_get(Party& party, const Reduce& call) noexcept { combine_first(party, call, party.size()); }

}  // namespace weft::coll
