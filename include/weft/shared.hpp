/// Shared pages for C++: an allocator, so that containers lie in memory that all PEs share.
///
///   std::vector<double, weft::shared_allocator<double>> field(1000);
///
/// A container itself has to lie in shared memory too where others are to use it, and it knows nothing of locks: who
/// changes it has one, and who reads it has met the writer at a lock or barrier since. What it throws for want of
/// memory is std::bad_alloc. The rules are those of <weft/shared.h>.
#pragma once

#include <weft/shared.h>

#include <cstddef>
#include <limits>
#include <new>

namespace weft {

template <class T>
struct shared_allocator {
  using value_type = T;

  shared_allocator() noexcept = default;
  template <class Other>
  shared_allocator(const shared_allocator<Other>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    void* const got = count > std::numeric_limits<std::size_t>::max() / sizeof(T) ? nullptr
                      : alignof(T) > 16 ? ::weft_shared_aligned_alloc(alignof(T), count * sizeof(T))
                                        : ::weft_shared_malloc(count * sizeof(T));
    if (got == nullptr) {
      throw std::bad_alloc();
    }
    return static_cast<T*>(got);
  }
  void deallocate(T* block, std::size_t /*count*/) noexcept { ::weft_shared_free(block); }

  template <class Other>
  bool operator==(const shared_allocator<Other>& /*other*/) const noexcept {
    return true;
  }
  template <class Other>
  bool operator!=(const shared_allocator<Other>& /*other*/) const noexcept {
    return false;
  }
};

}  // namespace weft
