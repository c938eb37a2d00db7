// A mutex of one word, zero when free: what a lock of omp.h and the pointer of a named critical section have room for.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/sync/wait.hpp"

namespace weft::omp {

class Mutex {
 public:
  bool try_lock() noexcept {
    std::uint32_t expected = kFree;
    // Acquire: what the last holder wrote is seen.
    return word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) {
      lock_slowly();
    }
  }
  /// Only as long as there is a reason: whoever holds it may take that away. False: it has gone, and the mutex is not
  /// held.
  template <class Reason>
  bool lock_while(const Reason& reason) noexcept {
    for (std::uint64_t k = 0, most = g_patience.spins.load(std::memory_order_relaxed);; ++k) {
      if (!reason()) {
        return false;
      }
      if (word_.load(std::memory_order_relaxed) == kFree && try_lock()) {
        return true;
      }
      if (k >= most) {
        break;
      }
      relax();
    }
    lock();
    return true;
  }
  void unlock() noexcept {
    // Release: what this thread wrote is seen by the next holder.
    if (word_.exchange(kFree, std::memory_order_release) == kHeldWaited) {
      wake_one();
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kHeldWaited = 2;  // somebody may sleep
  void lock_slowly() noexcept;
  void wake_one() noexcept;
  std::atomic<std::uint32_t> word_{kFree};
};
static_assert(sizeof(Mutex) == 4);

class Guard {
 public:
  explicit Guard(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  ~Guard() { mutex_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace weft::omp
