// Memory for elements that have to lie in one row for a while.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/lines.hpp"
#include "job/node.hpp"

namespace weft::mpi {

class RowRoom {
 public:
  /// Aligned for all types. The program ends when there is none: some of it is for functions that return nothing.
  explicit RowRoom(std::size_t bytes) noexcept
      : memory_(static_cast<std::byte*>(std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine))) {
    if (memory_ == nullptr) [[unlikely]] {
      base::fail(job::current_call(), "no memory for %zu bytes of elements in a row", bytes);
    }
  }

  std::byte* get() const noexcept { return memory_.get(); }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace weft::mpi
