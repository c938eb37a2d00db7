// The short way of operations that come to the library, as those of Fortran, of Python and on contexts do: a symmetric
// address on a PE of this node becomes the address of that PE's copy by what stands in two cache lines, like the inline
// bodies' way (include/weft/inline.h). What is not found here takes the way that says what is wrong, or the network's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "copy/copy.hpp"
#include "shmem/contexts.hpp"

namespace weft::shmem {

/// Where symmetric objects lie: as long as the library is initialised; else nowhere.
struct NearObjects {
  std::uintptr_t heap = 0;
  std::size_t heap_bytes = 0;
  std::size_t heap_starts = 0;  // the first bytes of the heap, from each of which copy::kSmall bytes are in it
  std::uintptr_t statics = 0;
  std::size_t statics_bytes = 0;

  static constexpr std::size_t starts_in(std::size_t bytes) noexcept {
    return bytes < copy::kSmall ? 0 : bytes - copy::kSmall + 1;
  }

  bool hold(const void* address, std::size_t bytes) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    // Unsigned: what lies before wraps to what is too far.
    return (at - heap < heap_bytes && bytes <= heap_bytes - (at - heap)) ||
           (at - statics < statics_bytes && bytes <= statics_bytes - (at - statics));
  }
  /// At most copy::kSmall bytes: one comparison for the heap but for its end, of which hold() knows.
  bool hold_short(const void* address, std::size_t bytes) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at - heap < heap_starts || (at - statics < statics_bytes && bytes <= statics_bytes - (at - statics));
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

/// The PE's number among those of the node; one that is none of theirs where the other way has to look.
// Always inline, here and below: an entry of the library knows whether it is for the default context, and then nothing
// is asked of that.
[[gnu::always_inline]] inline std::uint32_t near_number(shmem_ctx_t ctx, int pe) noexcept {
  if (ctx == SHMEM_CTX_DEFAULT) {
    return static_cast<std::uint32_t>(pe) - g_near_pes.first;
  }
  const auto* const context = static_cast<const Context*>(ctx);
  return context != nullptr && static_cast<std::uint32_t>(pe) < context->count
             ? context->first + static_cast<std::uint32_t>(pe) * context->step
             : UINT32_MAX;
}

inline void* near_at(const void* address, std::uint32_t number) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) + g_near_pes.to_peers +
                                 number * g_near_pes.stride);
}

/// False: by the other way. bytes > 0.
[[gnu::always_inline]] inline bool near(shmem_ctx_t ctx, const void* address, std::size_t bytes, int pe,
                                        void** at) noexcept {
  const std::uint32_t number = near_number(ctx, pe);
  const bool is_near = number < g_near_pes.count && g_near_objects.hold(address, bytes);
  if (is_near) [[likely]] {
    *at = near_at(address, number);
  }
  return is_near;
}

/// The same of at most copy::kSmall bytes, in fewer instructions; false: near() may know.
[[gnu::always_inline]] inline bool near_short(shmem_ctx_t ctx, const void* address, std::size_t bytes, int pe,
                                              void** at) noexcept {
  const std::uint32_t number = near_number(ctx, pe);
  const bool is_near = number < g_near_pes.count && g_near_objects.hold_short(address, bytes);
  if (is_near) [[likely]] {
    *at = near_at(address, number);
  }
  return is_near;
}

/// A word that the processor may change atomically.
template <class T>
[[gnu::always_inline]] inline bool near_word(shmem_ctx_t ctx, const T* address, int pe, T** at) noexcept {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0 ||
      !(ctx == SHMEM_CTX_DEFAULT ? g_near_pes.by_processor
                                 : ctx != SHMEM_CTX_INVALID && static_cast<const Context*>(ctx)->by_processor))
      [[unlikely]] {
    return false;
  }
  void* found = nullptr;
  const bool is_near = near_short(ctx, address, sizeof(T), pe, &found);
  *at = static_cast<T*>(found);
  return is_near;
}

}  // namespace weft::shmem
