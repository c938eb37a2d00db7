// What oshrun waits for before PEs are started: all nodes, and what heap each can give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::launch::tree {

class Muster {
 public:
  explicit Muster(std::size_t n_nodes) : ready_(n_nodes, false), missing_(n_nodes) {}

  /// A node is ready, and has room for heaps of so many bytes. True: all are now.
  bool come(std::size_t node, std::uint64_t heap_bytes) {
    if (node >= ready_.size() || ready_[node]) return false;
    ready_[node] = true;
    heap_bytes_ = std::min(heap_bytes_, heap_bytes);
    return --missing_ == 0;
  }
  /// What all of them can give.
  std::uint64_t heap_bytes() const { return heap_bytes_; }

 private:
  std::vector<bool> ready_;
  std::size_t missing_;
  std::uint64_t heap_bytes_ = UINT64_MAX;
};

}  // namespace weft::launch::tree
