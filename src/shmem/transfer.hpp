// put and get: contiguous, one element, strided, block-strided (OpenSHMEM 1.6, section 9.6).
//
// A PE of this node is reached through its mapping, so there all of them are complete, source reusable and data
// delivered, when they return; the non-blocking forms are the same operations. The address of the peer's copy is all
// that differs between PEs, and between put and get only the direction: `Way` says which side is remote. On the way to
// another node an operation is counted by its target until it is complete.
#pragma once

#include <cstddef>
#include <cstdint>

#include "copy/copy.hpp"
#include "rma/elsewhere.hpp"
#include "shmem/checks.hpp"

namespace weft::shmem::checked {

using rma::Target;

enum class Way { kPut, kGet };

void put(void* dest, const void* source, std::size_t bytes, Target target) noexcept;
void get(void* dest, const void* source, std::size_t bytes, Target target) noexcept;
/// The source must stay as it is, the dest of a get is not ready, before the target's count says that all is complete.
void put_nbi(void* dest, const void* source, std::size_t bytes, Target target) noexcept;
void get_nbi(void* dest, const void* source, std::size_t bytes, Target target) noexcept;

/// The last element of `count` blocks of `block` elements that begin `stride` elements apart, counted from the first.
struct Strides {
  std::ptrdiff_t dest = 1;
  std::ptrdiff_t source = 1;
  std::size_t block = 1;
};
void need_strides(const Strides& strides) noexcept;
std::size_t reach(std::ptrdiff_t stride, std::size_t block, std::size_t count, std::size_t element) noexcept;

/// All of it is there, and count > 0.
template <class T>
void copy_blocks(T* dest, const T* source, const Strides& strides, std::size_t count) noexcept {
  const auto block = static_cast<std::ptrdiff_t>(strides.block);
  // Copies, which no store to `dest` can change: elements may be of the type of the strides, or of char.
  const std::ptrdiff_t dest_stride = strides.dest;
  const std::ptrdiff_t source_stride = strides.source;
  if (dest_stride == block && source_stride == block) {
    copy::copy(dest, source, count * static_cast<std::size_t>(block) * sizeof(T));
    return;
  }
  if (block == 1) {
    // A loop of one element takes twice as long where it lies across two lines of instructions.
#pragma GCC unroll 4
    for (std::size_t k = 0; k < count; ++k) {
      *dest = *source;
      dest += dest_stride;
      source += source_stride;
    }
    return;
  }
  // A call for each block is worth it from about two cache lines on.
  const std::size_t bytes = static_cast<std::size_t>(block) * sizeof(T);
  const bool is_long = bytes >= 128;
  for (std::size_t k = 0; k < count; ++k) {
    if (is_long) {
      copy::copy(dest, source, bytes);
    } else {
      for (std::ptrdiff_t e = 0; e < block; ++e) {
        dest[e] = source[e];
      }
    }
    dest += dest_stride;
    source += source_stride;
  }
}

template <Way way, class T>
void strided(T* dest, const T* source, const Strides& strides, std::size_t count, Target target) noexcept {
  const int pe = target.pe;
  need_pe(pe);
  if (count == 0 || strides.block == 0) {
    return;
  }
  need_strides(strides);
  const std::size_t dest_bytes = reach(strides.dest, strides.block, count, sizeof(T));
  const std::size_t source_bytes = reach(strides.source, strides.block, count, sizeof(T));
  const auto dest_step = static_cast<std::size_t>(strides.dest) * sizeof(T);
  const auto source_step = static_cast<std::size_t>(strides.source) * sizeof(T);
  if constexpr (way == Way::kPut) {
    need_buffer(source, source_bytes, "source");
    void* at = peer(dest, dest_bytes, pe, "dest");
    if (at == nullptr) {
      rma::put_blocks(rma::remote(dest, pe), source, {strides.block * sizeof(T), count, dest_step, source_step},
                      *target.pending);
      return;
    }
    dest = static_cast<T*>(at);
  } else {
    need_buffer(dest, dest_bytes, "dest");
    const void* at = peer(source, source_bytes, pe, "source");
    if (at == nullptr) {
      rma::get_blocks(dest, rma::remote(source, pe), {strides.block * sizeof(T), count, source_step, dest_step});
      return;
    }
    source = static_cast<const T*>(at);
  }
  copy_blocks(dest, source, strides, count);
}

/// Whole, since a peer may wait for it. Relaxed: a put has no order by itself.
template <class T>
void store_one(T* at, T value) noexcept {
  if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
    __atomic_store(at, &value, __ATOMIC_RELAXED);
  } else {
    *static_cast<volatile T*>(at) = value;
  }
}

template <class T>
void put_one(T* dest, T value, Target target) noexcept {
  void* at = peer(dest, sizeof(T), target.pe, "dest");
  if (at == nullptr) [[unlikely]] {
    job::node().network->put(rma::remote(dest, target.pe), &value, sizeof value, transport::Source::kReusable,
                             *target.pending);
    return;
  }
  store_one(static_cast<T*>(at), value);
}

template <class T>
T get_one(const T* source, Target target) noexcept {
  const void* at = peer(source, sizeof(T), target.pe, "source");
  if (at == nullptr) [[unlikely]] {
    T value;
    rma::get(&value, rma::remote(source, target.pe), sizeof value);
    return value;
  }
  return *static_cast<const volatile T*>(at);
}

}  // namespace weft::shmem::checked
