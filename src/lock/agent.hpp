// The agent of a home PE: it migrates the PE's locks (lock/migrating.hpp).
//
// It runs whenever the PE lets the network go on, or the thread that does so while the PE does not, and never waits:
// what it has begun it continues the next time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lock/migrating.hpp"
#include "lock/policy.hpp"

namespace weft::lock {

class LockAgent {
 public:
  /// The keys and the words of all locks, side by side, and where the network finds the first words. False without
  /// memory.
  bool open(transport::Transport& network, const transport::Remote& first, LockHead& head,
            const std::atomic<std::uint64_t>* keys, LockWords* words, std::size_t count,
            const LockPolicy& policy = {}) noexcept;
  /// When nobody uses the locks any more: until all is done that was begun. `progress` is called meanwhile.
  template <class Progress>
  void close(Progress&& progress) noexcept {
    while (under_way_.load(std::memory_order_acquire) != 0) {
      progress();
      serve();
    }
    head_ = nullptr;
  }

  /// Cheap when there is nothing to do. Threads may call it at a time.
  void serve() noexcept {
    if (head_ != nullptr && has_work()) {
      serve_slowly();
    }
  }

  /// For tests and reports: how often a lock has left the processors, and come back.
  std::uint64_t openings() const noexcept { return openings_.load(std::memory_order_relaxed); }
  std::uint64_t closings() const noexcept { return closings_.load(std::memory_order_relaxed); }

 private:
  enum class Stage : std::uint8_t { kUnknown, kProcessors, kOpening, kNetwork, kClosing };
  struct Lock {
    Stage stage = Stage::kUnknown;  // until there is a key, and somebody wants something
    bool is_away = false;           // in away_
    LockPolicy policy{};
    std::uint32_t phase = 0;  // of the stage, or of the one that is left
    // Tickets that the network had given out when its counter was closed, and positions given out when the present
    // stage began.
    std::uint32_t far_closed_at = 0;
    std::uint32_t begins_at = 0;
    std::uint32_t last_shifted = 0;  // the position after those whose tickets were shifted
    std::uint32_t near_at_opening = 0;
    std::uint32_t seen_near = 0;
    std::uint32_t seen_far = 0;
    std::uint64_t seen_admitted = 0;
    std::uint64_t seen_done = 0;
    std::uint64_t before = 0;  // what the network's counter was when its phase was changed
    transport::Pending pending{};
  };

  bool has_work() const noexcept;
  void serve_slowly() noexcept;
  void look_at_all() noexcept;
  void take_charge(std::size_t at) noexcept;
  void watch(std::size_t at) noexcept;
  bool is_used_from_elsewhere(std::size_t at) const noexcept;
  void look_at_those_by_network() noexcept;
  void go_on(std::size_t at) noexcept;
  bool is_asked_for(std::size_t at) const noexcept;
  void begin_opening(std::size_t at) noexcept;
  void end_opening(std::size_t at) noexcept;
  void consider_closing(std::size_t at) noexcept;
  void begin_closing(std::size_t at) noexcept;
  void end_closing(std::size_t at) noexcept;
  void change_phase(std::size_t at, std::uint64_t by) noexcept;

  transport::Transport* network_ = nullptr;
  transport::Remote first_{};
  LockHead* head_ = nullptr;
  const std::atomic<std::uint64_t>* keys_ = nullptr;
  LockWords* words_ = nullptr;
  std::size_t count_ = 0;
  std::unique_ptr<Lock[]> locks_;
  // Locks that are not with the processors, or have come back while they are used from elsewhere: who gives one up
  // there wakes nobody here. Room for all.
  std::unique_ptr<std::uint32_t[]> away_;
  std::size_t n_away_ = 0;
  std::atomic_flag busy_;
  std::atomic<std::uint64_t> seen_asks_ = 0;
  std::atomic<std::uint64_t> seen_found_ = 0;
  std::atomic<std::uint64_t> seen_moves_ = 0;
  std::atomic<std::uint32_t> under_way_ = 0;
  std::atomic<std::uint32_t> away_now_ = 0;  // n_away_, for has_work()
  std::atomic<std::uint64_t> openings_ = 0;
  std::atomic<std::uint64_t> closings_ = 0;
};

}  // namespace weft::lock
