// What locks are explored with: who holds one adds to a word that the lock has to protect.
#pragma once

#include <atomic>

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace weft::explore {

/// Uses the counts 0 and 1.
struct Protected {
  std::atomic<std::uint32_t> data;

  void share_it() { share(data, "data"); }
  void work() noexcept {
    check(count(0, 1) == 1, "two holders");
    // Relaxed: the lock is what makes the last holder's store visible.
    const std::uint32_t before = data.load(std::memory_order_relaxed);
    data.store(before + 1, std::memory_order_relaxed);
    check(static_cast<int>(before) + 1 == count(1, 1), "the last holder's work is not seen");
    count(0, -1);
  }
};

}  // namespace weft::explore
