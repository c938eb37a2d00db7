#include "lock/readers.hpp"

#include <algorithm>

#include "os/futex.hpp"

namespace weft::lock {

void wake_in_queue(SharedLock& lock, std::uint32_t bits) noexcept {
  // Release: who finds the bell changed finds what it was rung for.
  lock.rings.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(lock.rings, bits);
}

// Whatever may stand there, also after a stray store: what is told of it is within bounds.
Holding who_holds(const SharedLock& lock, int n_pes, std::uint32_t most) noexcept {
  const std::uint64_t word = lock.queue.load(std::memory_order_relaxed);
  const std::uint32_t done = lock.done.load(std::memory_order_relaxed);
  const std::uint16_t writer = lock.writer.load(std::memory_order_relaxed);
  const auto inside = static_cast<std::int32_t>(queue::admit(word) - done);
  const std::uint32_t queued = queue::tickets(word) - queue::admit(word);
  Holding holding;
  if (inside < 0 && writer != 0 && writer <= n_pes) {
    holding.writer = static_cast<int>(writer) - 1;
  }
  holding.readers = inside > 0 ? std::min(static_cast<std::uint32_t>(inside), most) : 0;
  const std::uint32_t is_in = inside < 0 ? 1 : 0;  // a writer has a ticket and admits nobody yet
  holding.waiting = std::min(queued - std::min(queued, is_in), most);
  return holding;
}

}  // namespace weft::lock
