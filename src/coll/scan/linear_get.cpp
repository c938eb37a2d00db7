#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {

void scan_linear_get(Party& party, const Scan& call) noexcept {
  combine_first(party, call, party.me() + (call.inclusive ? 1 : 0));
}

}  // namespace weft::coll
