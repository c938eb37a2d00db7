#include "rma/transfer.hpp"

#include "copy/copy.hpp"

namespace weft::rma {

// A zero-length transfer does nothing whatever its pointers are, and no copy may see them.
void put(void* dest, const void* source, std::size_t bytes, int pe) noexcept {
  if (bytes == 0) {
    need_ready();
    need_pe(pe);
    return;
  }
  need_buffer(source, bytes, "source");
  copy::copy(peer(dest, bytes, pe, "dest"), source, bytes);
}

void get(void* dest, const void* source, std::size_t bytes, int pe) noexcept {
  if (bytes == 0) {
    need_ready();
    need_pe(pe);
    return;
  }
  need_buffer(dest, bytes, "dest");
  copy::copy(dest, peer(source, bytes, pe, "source"), bytes);
}

void need_strides(const Strides& strides) noexcept {
  const auto block = static_cast<std::ptrdiff_t>(strides.block);
  if (strides.dest < block || strides.source < block) {
    base::fail(current_call(), "strides are dst=%td, sst=%td; each must be at least %td", strides.dest, strides.source,
               block);
  }
}

std::size_t reach(std::ptrdiff_t stride, std::size_t block, std::size_t count, std::size_t element) noexcept {
  std::size_t elements = 0;
  if (__builtin_add_overflow(bytes_of(count - 1, static_cast<std::size_t>(stride)), block, &elements)) [[unlikely]] {
    elements = SIZE_MAX;  // bytes_of says so, unless elements are bytes, and then no object is that large either
  }
  return bytes_of(elements, element);
}

}  // namespace weft::rma
