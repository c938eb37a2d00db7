#include "launch/tree/branches.hpp"

#include <algorithm>

namespace weft::launch::tree {

std::vector<Branch> branches(int first, int end, int fanout) {
  std::vector<Branch> made;
  const int nodes = end - first;
  const int count = std::min(nodes, std::max(fanout, 1));
  for (int k = 0; k < count; ++k) {
    const int size = nodes / count + (k < nodes % count ? 1 : 0);
    made.push_back({first, first + size});
    first += size;
  }
  return made;
}

}  // namespace weft::launch::tree
