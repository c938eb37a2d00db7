// Memory of this PE for what is on its way: received, and not yet combined or put in its place.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "base/lines.hpp"
#include "job/node.hpp"

namespace weft::coll {

class Scratch {
 public:
  /// Aligned for all types. The program ends when there is none: the others wait for this PE.
  explicit Scratch(std::size_t bytes) noexcept
      : memory_(static_cast<std::byte*>(std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine))) {
    if (memory_ == nullptr) [[unlikely]] {
      base::fail(job::current_call(), "no memory for %zu bytes of a collective call", bytes);
    }
  }

  std::byte* get() const noexcept { return memory_.get(); }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(memory_.get());
  }

 private:
  static constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace weft::coll
