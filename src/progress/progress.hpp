// A thread that serves others while the PE itself does not: while it computes, sleeps, or reads a file. It lets the
// network go on, where there is one, and calls the pollers (work.hpp). Where there is none it sleeps on a bell.
//
// While the PE polls the network the thread keeps away. Two threads that wait for the same events wake each other: it
// was measured to make a round trip three times as long. So each poll of the PE counts, and the thread looks now and
// then whether the count has moved. If not, it sleeps on the network itself until the count moves again. Nobody has to
// tell it to keep away, and only a PE that lies down, or knows that it computes for long, tells it to take over at
// once; or before long, where it may poll again as soon as the thread would be up.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "sync/doorbell.hpp"
#include "transport/transport.hpp"

namespace weft::progress {

/// Something may have come: the pollers are called and the bells rung.
void tell_news() noexcept;

class Progress {
 public:
  /// Null: no network. The bell is what others ring that have something for a poller (sync::ring), and counts this
  /// thread as a sleeper also while it sleeps on the network, which a ring by itself does not end.
  base::Result<void> start(transport::Transport* network, sync::Doorbell& bell) noexcept;
  void stop() noexcept;

  /// The PE has polled. Not an atomic increment: a count that two threads lose one of has moved all the same.
  void polled() noexcept { polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// The PE will not poll for a while: it lies down, and its processor is free until it is woken, or goes on with its
  /// program, which needs the processor.
  enum class While : bool { kLiesDown, kComputes };
  void take_over(While what = While::kLiesDown) noexcept;
  /// The PE goes on with its program, and may be back at once: the thread looks within some hundred microseconds
  /// whether it is. While it is, again and again, nobody is woken.
  void look_soon() noexcept;
  /// Others may want something of the PE while it computes, without its program's doing: as long as somebody says so,
  /// the thread never looks more seldom than at first. Counted.
  void expect_others(bool does) noexcept { expected_.fetch_add(does ? 1 : -1, std::memory_order_relaxed); }

 private:
  void run() noexcept;
  void serve_network() noexcept;
  void serve_by_bell() noexcept;
  template <class Sleep>
  void sleep_announced(Sleep&& sleep) noexcept;
  bool keep_away(std::uint64_t* seen) noexcept;
  bool lies_down() const noexcept;
  bool serves(std::uint64_t seen) const noexcept;
  bool stays_awake() noexcept;

  transport::Transport* network_ = nullptr;
  sync::Doorbell* bell_ = nullptr;
  std::atomic<std::uint64_t> polls_ = 0;
  std::atomic<std::uint64_t> lay_down_at_ = UINT64_MAX;  // the count when the PE lay down, or left
  std::atomic<While> while_ = While::kLiesDown;
  std::atomic<std::uint32_t> wanted_ = 0;  // a futex: moves when the thread is to look at once
  std::atomic<bool> away_ = false;
  std::atomic<bool> soon_ = false;        // the next look is to be a short one
  std::atomic<bool> looks_soon_ = false;  // the one that runs is
  std::atomic<int> expected_ = 0;
  std::atomic<bool> stop_ = false;
  pthread_t thread_{};
  bool running_ = false;
};

}  // namespace weft::progress
