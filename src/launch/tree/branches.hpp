// Which agent is below which.
#pragma once

#include <vector>

namespace weft::launch::tree {

/// Nodes that follow one another: the first one's agent is ours to start, the others are below it.
struct Branch {
  int first = 0;
  int end = 0;

  bool holds(int node) const { return node >= first && node < end; }
};

/// The nodes from `first` to `end` as at most `fanout` branches of much the same size.
std::vector<Branch> branches(int first, int end, int fanout);

}  // namespace weft::launch::tree
