#include "shmem/transfer.hpp"

#include "base/lines.hpp"
#include "copy/copy.hpp"

namespace weft::shmem::checked {

namespace {

// A zero-length transfer does nothing whatever its pointers are, and no copy may see them.
bool has_nothing_to_do(std::size_t bytes, int pe) noexcept {
  if (bytes == 0) {
    need_ready();
    need_pe(pe);
  }
  return bytes == 0;
}

// True when it has been done: the PE is on this node.
bool put_here(void* dest, const void* source, std::size_t bytes, int pe) noexcept {
  need_buffer(source, bytes, "source");
  void* at = peer(dest, bytes, pe, "dest");
  if (at == nullptr) {
    return false;
  }
  copy::copy(at, source, bytes);
  return true;
}

bool get_here(void* dest, const void* source, std::size_t bytes, int pe) noexcept {
  need_buffer(dest, bytes, "dest");
  const void* at = peer(source, bytes, pe, "source");
  if (at == nullptr) {
    return false;
  }
  copy::copy(dest, at, bytes);
  return true;
}

}  // namespace

void put(void* dest, const void* source, std::size_t bytes, Target target) noexcept {
  if (!has_nothing_to_do(bytes, target.pe) && !put_here(dest, source, bytes, target.pe)) {
    job::node().network->put(rma::remote(dest, target.pe), source, bytes, transport::Source::kReusable,
                             *target.pending);
  }
}

void put_nbi(void* dest, const void* source, std::size_t bytes, Target target) noexcept {
  if (!has_nothing_to_do(bytes, target.pe) && !put_here(dest, source, bytes, target.pe)) {
    job::node().network->put(rma::remote(dest, target.pe), source, bytes, transport::Source::kStays, *target.pending);
  }
}

void get(void* dest, const void* source, std::size_t bytes, Target target) noexcept {
  if (!has_nothing_to_do(bytes, target.pe) && !get_here(dest, source, bytes, target.pe)) {
    rma::get(dest, rma::remote(source, target.pe), bytes);
  }
}

void get_nbi(void* dest, const void* source, std::size_t bytes, Target target) noexcept {
  if (!has_nothing_to_do(bytes, target.pe) && !get_here(dest, source, bytes, target.pe)) {
    job::node().network->get(dest, rma::remote(source, target.pe), bytes, *target.pending);
  }
}

void need_strides(const Strides& strides) noexcept {
  const auto block = static_cast<std::ptrdiff_t>(strides.block);
  if (strides.dest < block || strides.source < block) {
    base::fail(job::current_call(), "strides are dst=%td, sst=%td; each must be at least %td", strides.dest,
               strides.source, block);
  }
}

std::size_t reach(std::ptrdiff_t stride, std::size_t block, std::size_t count, std::size_t element) noexcept {
  std::size_t elements = 0;
  if (__builtin_add_overflow(bytes_of(count - 1, static_cast<std::size_t>(stride)), block, &elements)) [[unlikely]] {
    elements = SIZE_MAX;  // bytes_of says so, unless elements are bytes, and then no object is that large either
  }
  return bytes_of(elements, element);
}

}  // namespace weft::shmem::checked
