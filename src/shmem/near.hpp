// The short way of operations that come to the library, as those of Fortran, of Python and on contexts do: a symmetric
// address on a PE of this node becomes the address of that PE's copy by what stands in two cache lines, like the inline
// bodies' way (include/weft/inline.h). What is not found here takes the way that says what is wrong, or the network's.
#pragma once

#include <algorithm>
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

/// The PEs of this node: how a symmetric address becomes that of one's copy.
struct NearPes {
  std::size_t to_peers = 0;
  std::size_t stride = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool by_processor = false;  // atomic operations of the default context
};

[[gnu::visibility("hidden")]] extern constinit NearObjects g_near_objects;
[[gnu::visibility("hidden")]] extern constinit NearPes g_near_pes;

/// When there is a job, and while it may be used.
void open_near(const job::Node& node) noexcept;
void close_near() noexcept;
/// Fills in what a context on its team reaches so.
inline void find_near_pes(Context& context) noexcept {
  const NearPes& near = g_near_pes;
  const group::Members& members = context.team->members;
  // What is between two PEs of the node's run is in it. A progression may go down, and then its steps wrap.
  const std::uint32_t first = static_cast<std::uint32_t>(members.start) - near.first;
  const std::uint32_t step = static_cast<std::uint32_t>(members.stride);
  const std::uint32_t count = static_cast<std::uint32_t>(members.size);
  const std::uint32_t last = first + (count - 1) * step;
  const bool is_near = members.table == nullptr && std::max(first, last) < near.count;
  context.first = first;
  context.step = step;
  context.count = is_near ? count : 0;
  context.by_processor = near.by_processor || context.team->by_processor;
}

/// Null: by the other way. bytes > 0.
inline void* near(shmem_ctx_t ctx, const void* address, std::size_t bytes, int pe) noexcept {
  std::uint32_t number = static_cast<std::uint32_t>(pe) - g_near_pes.first;
  if (ctx != SHMEM_CTX_DEFAULT) {
    const auto* const context = static_cast<const Context*>(ctx);
    if (context == nullptr || static_cast<std::uint32_t>(pe) >= context->count) [[unlikely]] {
      return nullptr;
    }
    number = context->first + static_cast<std::uint32_t>(pe) * context->step;
  }
  return number < g_near_pes.count && g_near_objects.hold(address, bytes)
             ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) + g_near_pes.to_peers +
                                       number * g_near_pes.stride)
             : nullptr;
}

/// A word that the processor may change atomically.
template <class T>
T* near_word(shmem_ctx_t ctx, const T* address, int pe) noexcept {
  const bool is_default = ctx == SHMEM_CTX_DEFAULT;
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0 || (!is_default && ctx == SHMEM_CTX_INVALID) ||
      !(is_default ? g_near_pes.by_processor : static_cast<const Context*>(ctx)->by_processor)) [[unlikely]] {
    return nullptr;
  }
  return static_cast<T*>(near(ctx, address, sizeof(T), pe));
}

}  // namespace weft::shmem
