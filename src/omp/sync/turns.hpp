// A lock of the threads of one process, which get it in the order in which they came. For what is held as long as a
// question to another process takes: a mutex that whoever runs may take first is free for a few instructions between
// two such questions, and a sleeper would hardly ever find it so.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/sync/mutex.hpp"

namespace weft::omp {

class Turns {
 public:
  bool try_take() noexcept;
  /// True: the one before has left what it held beside it too (leave). Of a lock of all processes: the caller holds
  /// that one already, and asks nobody for it.
  bool take(const Awaited& awaited) noexcept;
  /// To who waits longest, if anybody does.
  void give() noexcept;
  /// The same together with what this thread holds beside it. False: nobody waits, and this thread has it still.
  [[nodiscard]] bool leave() noexcept;

 private:
  static constexpr std::uint32_t kWaits = 0;
  static constexpr std::uint32_t kSleeps = 1;
  static constexpr std::uint32_t kGiven = 2;
  static constexpr std::uint32_t kLeft = 3;
  struct Waiter {
    std::atomic<std::uint32_t> state{kWaits};
    Waiter* next = nullptr;
  };
  static std::uint32_t wait(Waiter& waiter, const Awaited& awaited) noexcept;
  Waiter* take_first() noexcept;
  static void wake(Waiter& next, std::uint32_t how) noexcept;

  Mutex guard_;
  bool taken_ = false;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

}  // namespace weft::omp
