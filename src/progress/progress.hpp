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

#include "base/result.hpp"
#include "progress/turn.hpp"
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

  /// The PE has polled.
  void polled() noexcept { turn_.poll(); }
  /// The PE will not poll for a while: it lies down, and its processor is free until it is woken, or goes on with its
  /// program, which needs the processor.
  using While = Turn::While;
  void take_over(While what = While::kLiesDown) noexcept { turn_.take_over(what); }
  /// The PE goes on with its program, and may be back at once: the thread looks within some hundred microseconds
  /// whether it is. While it is, again and again, nobody is woken.
  void look_soon() noexcept { turn_.look_soon(); }
  /// Others may want something of the PE while it computes, without its program's doing: as long as somebody says so,
  /// the thread never looks more seldom than at first. Counted.
  void expect_others(bool does) noexcept { turn_.expected.fetch_add(does ? 1 : -1, std::memory_order_relaxed); }

 private:
  void run() noexcept;
  void serve_network() noexcept;
  void serve_by_bell() noexcept;
  template <class Sleep>
  void sleep_announced(Sleep&& sleep) noexcept;
  bool stays_awake() noexcept;

  transport::Transport* network_ = nullptr;
  sync::Doorbell* bell_ = nullptr;
  Turn turn_;
  pthread_t thread_{};
  bool running_ = false;
};

}  // namespace weft::progress
