#include "pmi/grouping.hpp"

namespace weft::pmi {

base::Result<int> group(const std::int32_t* leaders, int n, Place* places) noexcept {
  int nodes = 0;
  for (int pe = 0; pe < n; ++pe) {
    const int leader = leaders[pe];
    if (leader < 0 || leader > pe || leaders[leader] != leader) {
      return base::Error::make(
          "the PEs do not agree on who shares a machine: PE %d is with PE %d, which is with PE %d; may some of them "
          "not "
          "look at others' files in /proc?",
          pe, leader, leader < 0 || leader >= n ? -1 : leaders[leader]);
    }
    if (leader == pe) {
      places[pe] = {nodes++, 0};
    } else {
      // places[leader].local counts the members so far while this runs.
      places[pe] = {places[leader].node, ++places[leader].local};
    }
  }
  for (int pe = 0; pe < n; ++pe) {
    if (leaders[pe] == pe) {
      places[pe].local = 0;
    }
  }
  return nodes;
}

}  // namespace weft::pmi
