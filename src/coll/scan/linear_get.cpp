#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void scan_linear_get(Group& group, const Scan& call) noexcept {
  combine_first(group, call, group.me() + (call.inclusive ? 1 : 0));
}

}  // namespace weft::coll
