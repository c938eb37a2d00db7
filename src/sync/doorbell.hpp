// An event count: sleepers announce themselves, ringers wake them only when there are any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "os/futex.hpp"

namespace weft::sync {

struct alignas(64) Doorbell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleepers;
};
static_assert(sizeof(Doorbell) == 64 && std::is_standard_layout_v<Doorbell>);
static_assert(offsetof(Doorbell, sleepers) == 4);

/// A bell whose words are in a line with others, as one sleeper sees it: only rings for one of its bits are for it.
struct BellFor {
  std::atomic<std::uint32_t>& rings;
  std::atomic<std::uint32_t>& sleepers;
  std::uint32_t bits;
};

/// After a plain release store, without the fence: a sleeper that lies down at this very moment is missed. So it must
/// sleep in naps that are short against its wait.
inline void ring_unfenced(Doorbell& bell) noexcept {
  if (bell.sleepers.load(std::memory_order_relaxed) == 0) {
    return;
  }
  bell.rings.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(bell.rings);
}

/// The caller has made its news visible by a seq_cst read-modify-write, or has executed a full fence after it: against
/// the sleeper's own fence, either the sleeper sees the news or this sees the sleeper.
inline void ring(Doorbell& bell) noexcept {
#if !defined(__x86_64__) && !defined(__i386__)
  // Only on x86 is the read-modify-write a full fence by itself; elsewhere the load below might overtake its store.
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  ring_unfenced(bell);
}

}  // namespace weft::sync
