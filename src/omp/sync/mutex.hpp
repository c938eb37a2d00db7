// A mutex of one word, zero when free: what a lock of omp.h and the pointer of a named critical section have room for.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/sync/noted.hpp"
#include "omp/sync/wait.hpp"

namespace weft::omp {

class Mutex {
 public:
  bool try_lock() noexcept {
    std::uint32_t expected = kFree;
    // Acquire: what the last holder wrote is seen.
    return word_.compare_exchange_strong(expected, t_noted.mark, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// kNot: the program knows nothing of it, and people are not told. They know it by the name, null: its own address.
  void lock(ThreadWaits why = ThreadWaits::kNot, const void* site = nullptr, const void* name = nullptr) noexcept {
    if (!try_lock()) {
      lock_slowly(why, site, name != nullptr ? name : this);
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
    if ((word_.exchange(kFree, std::memory_order_release) & kWaited) != 0) {
      wake_one();
    }
  }

 private:
  static constexpr std::uint32_t kFree = 0;    // else who holds it, by its mark (noted.hpp)
  static constexpr std::uint32_t kWaited = 1;  // and somebody may sleep
  void lock_slowly(ThreadWaits why, const void* site, const void* name) noexcept;
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
