// The short way of operations that come to the library, as those of Fortran, of Python and on contexts do: a symmetric
// address on a PE of this node becomes the address of that PE's copy by what stands in two cache lines, like the inline
// bodies' way (include/weft/inline.h). What is not found here takes the way that says what is wrong, or the network's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/contexts.hpp"

namespace weft::shmem {

/// Where symmetric objects lie: as long as the library is initialised; else nowhere.
struct NearObjects {
  std::uintptr_t heap = 0;
  std::size_t heap_bytes = 0;
  std::uintptr_t statics = 0;
  std::size_t statics_bytes = 0;

  bool hold(const void* address, std::size_t bytes) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    // Unsigned: what lies before wraps to what is too far.
    return (at - heap < heap_bytes && bytes <= heap_bytes - (at - heap)) ||
           (at - statics < statics_bytes && bytes <= statics_bytes - (at - statics));
  }
};

[[gnu::visibility("hidden")]] extern constinit NearObjects g_near_objects;
/// Of the context that programs do not name.
[[gnu::visibility("hidden")]] extern constinit NearPes g_near_pes;

/// When there is a job, and while it may be used.
void open_near(const job::Node& node) noexcept;
void close_near() noexcept;
/// What a context on these members reaches.
NearPes near_pes_of(const job::Node& node, const group::Team& team) noexcept;

inline const NearPes& near_pes(shmem_ctx_t ctx) noexcept {
  return ctx == SHMEM_CTX_DEFAULT ? g_near_pes : static_cast<const Context*>(ctx)->near;
}

/// Null: by the other way. bytes > 0.
inline void* near(shmem_ctx_t ctx, const void* address, std::size_t bytes, int pe) noexcept {
  if (ctx == SHMEM_CTX_INVALID) [[unlikely]] {
    return nullptr;
  }
  const NearPes& pes = near_pes(ctx);
  const std::uint32_t number = static_cast<std::uint32_t>(pe) - pes.first;
  return number < pes.count && g_near_objects.hold(address, bytes)
             ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) + pes.to_first + number * pes.stride)
             : nullptr;
}

/// A word that the processor may change atomically.
template <class T>
T* near_word(shmem_ctx_t ctx, const T* address, int pe) noexcept {
  if (ctx == SHMEM_CTX_INVALID || reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0 ||
      !near_pes(ctx).by_processor) [[unlikely]] {
    return nullptr;
  }
  return static_cast<T*>(near(ctx, address, sizeof(T), pe));
}

}  // namespace weft::shmem
