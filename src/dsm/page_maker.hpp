// Pages of shared memory that nobody has stored to yet, made of what they are to hold (userfaultfd's copy). Where they
// are stored to as they are, the kernel takes a fault for each, and clears what is overwritten then.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/result.hpp"

namespace weft::dsm {

class PageMaker {
 public:
  /// For so many bytes from there on, which are shared. An error, and nothing is made: the kernel does not offer that
  /// to this process.
  base::Result<void> open(void* at, std::size_t bytes) noexcept;
  void close() noexcept;
  bool is_open() const noexcept { return works_.load(std::memory_order_relaxed); }
  /// Whole pages, from that offset on, get those contents. How many bytes have them now: fewer, where a page has memory
  /// already. Any thread may do so at any time, between open() and close().
  std::size_t make(std::size_t offset, const void* from, std::size_t bytes) noexcept;

 private:
  // Relaxed: who is late finds out by trying. The rest is there before a thread of the program faults.
  std::atomic<bool> works_ = false;
  int file_ = -1;
  std::byte* door_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weft::dsm
