#include "launch/tree/branches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace weft::launch::tree {
namespace {

std::string shown(const std::vector<Branch>& made) {
  std::string text;
  for (const Branch& branch : made) {
    text += (text.empty() ? "" : " ") + std::to_string(branch.first) + "-" + std::to_string(branch.end);
  }
  return text;
}

TEST(Branches, AreOfMuchTheSameSize) {
  EXPECT_EQ(shown(branches(0, 3, 16)), "0-1 1-2 2-3");
  EXPECT_EQ(shown(branches(0, 10, 3)), "0-4 4-7 7-10");
  EXPECT_EQ(shown(branches(4, 4, 16)), "");
  EXPECT_EQ(shown(branches(1, 5, 1)), "1-5");
}

// Every node is started exactly once, and a tree of thousands is a few steps deep.
TEST(Branches, HoldAllNodesOnce) {
  for (const int nodes : {1, 2, 17, 300, 4096}) {
    std::vector<int> started(static_cast<std::size_t>(nodes), 0);
    int deepest = 0;
    const std::function<void(int, int, int)> grow = [&](int first, int end, int depth) {
      deepest = std::max(deepest, depth);
      for (const Branch& branch : branches(first, end, 16)) {
        ++started[static_cast<std::size_t>(branch.first)];
        grow(branch.first + 1, branch.end, depth + 1);
      }
    };
    grow(0, nodes, 0);
    EXPECT_EQ(std::count(started.begin(), started.end(), 1), nodes);
    EXPECT_LE(deepest, 4) << nodes;
  }
}

}  // namespace
}  // namespace weft::launch::tree
