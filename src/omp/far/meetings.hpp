// Barriers of few processes, where each tells each other that it is there (What::kArrive).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "omp/far/message.hpp"

namespace weft::omp::far {

/// With each other process: barriers have numbers, from 1 on, which both count alike. Another process may have come to
/// the next one when this one has not, but not to the one behind it: so two places are enough, and it does not matter
/// which of two messages is complete first.
class Meetings {
 public:
  /// Of any thread: that process is at its barrier of that number. False: there is no such one now.
  bool come(int process, std::uint64_t number, std::uint64_t brings) noexcept {
    if (process < 0 || process >= kMostMeet || number == 0) {
      return false;
    }
    Place& place = places_[static_cast<std::size_t>(process)][number % 2];
    const std::uint64_t before = place.came.load(std::memory_order_relaxed);
    if (before != 0 ? number != before + 2 : number > 2) {
      return false;
    }
    place.brought.store(brings, std::memory_order_relaxed);
    // Release: pairs with has_come(), of what is brought, and of what has been heard (dsm::hear).
    place.came.store(number, std::memory_order_release);
    return true;
  }

  // Of the one thread of this process that meets others.
  std::uint64_t next(int process) const noexcept { return met_[static_cast<std::size_t>(process)] + 1; }
  bool has_come(int process) const noexcept {
    // Acquire: pairs with come().
    return place_of(process).came.load(std::memory_order_acquire) >= next(process);
  }
  /// When it has come: what it has brought.
  std::uint64_t meet(int process) noexcept {
    const std::uint64_t brought = place_of(process).brought.load(std::memory_order_relaxed);
    ++met_[static_cast<std::size_t>(process)];
    return brought;
  }

 private:
  struct Place {
    std::atomic<std::uint64_t> came = 0;  // the number; 0: never
    std::atomic<std::uint64_t> brought = 0;
  };
  const Place& place_of(int process) const noexcept {
    return places_[static_cast<std::size_t>(process)][next(process) % 2];
  }

  std::array<std::array<Place, 2>, kMostMeet> places_{};
  std::array<std::uint64_t, kMostMeet> met_{};
};

}  // namespace weft::omp::far
