// Questions to process 0 that wait for their answers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "omp/far/message.hpp"

namespace weft::omp::far {

/// Any thread asks, and any takes an answer. A token is a turn and a place.
class Questions {
 public:
  static constexpr std::uint32_t kMost = 1024;

  /// The token of a new one; 0: there are too many for now.
  std::uint64_t begin() noexcept {
    for (std::uint32_t k = 0; k < kMost; ++k) {
      const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed) % kMost;
      std::atomic<std::uint32_t>& turn = places_[number].turn;
      std::uint32_t now = turn.load(std::memory_order_relaxed);
      // Acquire: who had it before has done with it.
      if (now % 2 == 0 && turn.compare_exchange_strong(now, now + 1, std::memory_order_acquire)) {
        places_[number].answered.store(false, std::memory_order_relaxed);
        return static_cast<std::uint64_t>(now + 1) << 32 | number;
      }
    }
    return 0;
  }
  /// False: nobody has asked for it.
  bool answer(const Message& answer) noexcept {
    const auto number = static_cast<std::uint32_t>(answer.token);
    const auto turn = static_cast<std::uint32_t>(answer.token >> 32);
    if (number >= kMost || turn % 2 == 0 || places_[number].turn.load(std::memory_order_relaxed) != turn) {
      return false;
    }
    places_[number].answer = answer;
    // Release: pairs with is_answered().
    places_[number].answered.store(true, std::memory_order_release);
    return true;
  }

  // Of who has asked.
  bool is_answered(std::uint64_t token) const noexcept {
    // Acquire: pairs with answer().
    return places_[static_cast<std::uint32_t>(token)].answered.load(std::memory_order_acquire);
  }
  Message end(std::uint64_t token) noexcept {
    Place& place = places_[static_cast<std::uint32_t>(token)];
    const Message answer = place.answer;
    // Release: the answer has been read.
    place.turn.fetch_add(1, std::memory_order_release);
    return answer;
  }

 private:
  struct Place {
    std::atomic<std::uint32_t> turn = 0;  // even: free
    std::atomic<bool> answered = false;
    Message answer;
  };
  std::array<Place, kMost> places_{};
  std::atomic<std::uint32_t> next_ = 0;
};

}  // namespace weft::omp::far
