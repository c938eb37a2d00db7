// The PEs of a job as nodes: sets that share memory. The first PE of each says who they are, and all make the same of
// it without asking every PE: the lowest one that is of no node known so far is the first of the next.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "boot/runs.hpp"

namespace weft::pmi {

/// Where a PE is.
struct Place {
  std::int32_t node = -1;
  std::int32_t local = 0;  // its number on the node
};

class Grouping {
 public:
  /// `places` has room for n.
  Grouping(Place* places, int n) noexcept;

  /// The first PE of the next node; n: all PEs have theirs.
  int next_first() noexcept;
  /// That node begins. Its PEs follow, which begin with the first one and rise.
  void begin_node() noexcept;
  /// An error where they do not, or one is of another node already.
  base::Result<void> add(const boot::Run& run) noexcept;

  int nodes() const noexcept { return nodes_; }
  /// PEs of the node that was begun last.
  int size() const noexcept { return size_; }

 private:
  Place* places_;
  int n_;
  int first_ = 0;
  int last_ = -1;  // of the node at hand
  int size_ = 0;
  int nodes_ = 0;
};

}  // namespace weft::pmi
