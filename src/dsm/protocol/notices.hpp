// What a PE announces: runs of pages, in the order in which it has released them. Others read it at their own pace, and
// who is too far behind is told that something is lost: then all its copies may be old.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace weft::dsm::protocol {

struct Run {
  std::uint32_t first;
  std::uint32_t pages;
};

/// In memory that is shared, zero at first. One writes at a time; any number read.
class Notices {
 public:
  static constexpr std::uint64_t kRoom = 32768;

  /// Others see it with the next publish().
  void add(Run run) noexcept {
    // Relaxed: only the writer changes it. The fence pairs with read(): who has read what is stored below sees that it
    // is being replaced.
    const std::uint64_t place = begun_.load(std::memory_order_relaxed);
    begun_.store(place + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    runs_[place % kRoom].store(static_cast<std::uint64_t>(run.pages) << 32 | run.first, std::memory_order_relaxed);
  }
  /// Whose stores come before are seen by who sees what was added. True: there was something new.
  bool publish() noexcept {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    if (end_.load(std::memory_order_relaxed) == begun) {
      return false;
    }
    // Release: pairs with end().
    end_.store(begun, std::memory_order_release);
    return true;
  }

  /// How many there were in all. What those are about is at home for who has asked.
  std::uint64_t end() const noexcept { return end_.load(std::memory_order_acquire); }

  /// Calls note(run) for those from number `from` on, before `to`, which end() has said. False: some are lost; then
  /// what was told may be anything.
  template <class Note>
  bool read(std::uint64_t from, std::uint64_t to, Note&& note) const noexcept {
    if (to - from > kRoom) {
      return false;
    }
    for (std::uint64_t k = from; k < to; ++k) {
      const std::uint64_t word = runs_[k % kRoom].load(std::memory_order_relaxed);
      note(Run{static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)});
    }
    // Acquire: see add().
    std::atomic_thread_fence(std::memory_order_acquire);
    return begun_.load(std::memory_order_relaxed) - from <= kRoom;
  }

 private:
  alignas(64) std::atomic<std::uint64_t> end_;
  alignas(64) std::atomic<std::uint64_t> begun_;
  alignas(64) std::atomic<std::uint64_t> runs_[kRoom];
};
static_assert(std::is_standard_layout_v<Notices> && sizeof(Notices) == 128 + 8 * Notices::kRoom);

}  // namespace weft::dsm::protocol
