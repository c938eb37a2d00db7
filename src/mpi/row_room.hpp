// Memory for elements that have to lie in one row for a while.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace weft::mpi {

class RowRoom {
 public:
  /// Aligned for all types. Who makes one asks what it lacks before anything is told others.
  explicit RowRoom(std::size_t bytes) noexcept
      : bytes_((bytes / kLine + 1) * kLine), memory_(static_cast<std::byte*>(std::aligned_alloc(kLine, bytes_))) {}

  std::byte* get() const noexcept { return memory_.get(); }
  /// Bytes that there is no memory for; 0: it is there.
  std::size_t lacks() const noexcept { return memory_ != nullptr ? 0 : bytes_; }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace weft::mpi
