// What is known of many PEs.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "base/result.hpp"

namespace weft::pmi {

// Memory for as long as the process lives; the library has no exceptions to tell that there is none.
template <class T>
T* make_array(int n) noexcept {
  void* at = ::mmap(nullptr, static_cast<std::size_t>(n) * sizeof(T), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<T*>(at);
}
template <class T>
void drop_array(T* array, int n) noexcept {
  (void)::munmap(array, static_cast<std::size_t>(n) * sizeof(T));
}
inline base::Error no_memory(int n) noexcept { return base::Error::make("no memory for what is known of %d PEs", n); }

}  // namespace weft::pmi
