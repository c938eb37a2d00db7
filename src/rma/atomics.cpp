#include "rma/atomics.hpp"

#include <cinttypes>

namespace weft::rma {

void misaligned(const void* address, std::size_t alignment, const char* argument) noexcept {
  base::fail(current_call(), "%s, 0x%" PRIxPTR ", is not aligned to %zu bytes, as its type must be", argument,
             reinterpret_cast<std::uintptr_t>(address), alignment);
}

}  // namespace weft::rma
