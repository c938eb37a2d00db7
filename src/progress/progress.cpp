#include "progress/progress.hpp"

#include <sched.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "progress/work.hpp"

namespace weft::progress {
namespace {

// How long after the PE's last poll the thread takes over, at most: it looks more and more seldom while the PE polls,
// unless others are expected.
constexpr std::uint64_t kShortestLookNs = 500'000;
constexpr std::uint64_t kLongestLookNs = 4'000'000;
// The same where the PE may be back at once. To be woken takes as long on virtual processors.
constexpr std::uint64_t kSoonNs = 100'000;
// How long it goes on looking after something has come.
constexpr std::uint64_t kAwakeNs = 50'000;
constexpr int kLooksPerYield = 16;
// How long it sleeps on the network before it looks whether it is to stop. Only a PE that has nothing to do with the
// network pays for that.
constexpr int kSleepMs = 100;
// On a bell, which is always rung: so long is never.
constexpr std::uint64_t kNeverNs = 3'600'000'000'000;

}  // namespace

void tell_news() noexcept {
  (void)poll_all();
  ring_all();
}

base::Result<void> Progress::start(transport::Transport* network, sync::Doorbell& bell) noexcept {
  network_ = network;
  bell_ = &bell;
  stop_.store(false, std::memory_order_relaxed);
  // Signals are the program's threads' business.
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  // But those of its own accesses: a copy that it makes may be one that ends with a fault (os/guarded_copy.hpp).
  (void)sigdelset(&all, SIGSEGV);
  (void)sigdelset(&all, SIGBUS);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(
      &thread_, nullptr,
      [](void* self) -> void* {
        static_cast<Progress*>(self)->run();
        return nullptr;
      },
      this);
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return base::Error::make("cannot start the thread that serves other PEs: %s", std::strerror(error));
  }
  running_ = true;
  return {};
}

void Progress::stop() noexcept {
  if (!running_) {
    return;
  }
  // seq_cst, for the bell: either the thread sees this before it sleeps, or is counted as a sleeper.
  (void)stop_.exchange(true, std::memory_order_seq_cst);
  sync::ring(*bell_);
  take_over();
  (void)::pthread_join(thread_, nullptr);
  running_ = false;
}

// seq_cst on both sides: either the thread sees the new value before it sleeps, or this sees that it is away.
void Progress::take_over(While what) noexcept {
  // Relaxed: it only saves time.
  while_.store(what, std::memory_order_relaxed);
  lay_down_at_.store(polls_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  wanted_.fetch_add(1, std::memory_order_seq_cst);
  if (away_.load(std::memory_order_seq_cst)) {
    os::futex_wake_all(wanted_);
  }
}

// seq_cst on both sides: either the thread sees what is stored here before it sleeps, or this sees that it is away.
void Progress::look_soon() noexcept {
  soon_.store(true, std::memory_order_seq_cst);
  // Relaxed: behind a short look the next one is short too, and who is woken for nothing looks again.
  if (away_.load(std::memory_order_seq_cst) && !looks_soon_.load(std::memory_order_relaxed)) {
    wanted_.fetch_add(1, std::memory_order_seq_cst);
    os::futex_wake_all(wanted_);
  }
}

// It has not polled since.
bool Progress::lies_down() const noexcept {
  return polls_.load(std::memory_order_relaxed) == lay_down_at_.load(std::memory_order_relaxed);
}

// It has not polled since `seen`, or lies down: the network is the thread's.
bool Progress::serves(std::uint64_t seen) const noexcept {
  return (polls_.load(std::memory_order_relaxed) == seen || lies_down()) && !stop_.load(std::memory_order_acquire);
}

// In place of a PE that lies down, whose processor is free: what came may be followed by more, and waking up takes
// longer than serving it. True when something has come.
bool Progress::stays_awake() noexcept {
  if (while_.load(std::memory_order_relaxed) == While::kComputes) {
    return false;
  }
  const std::uint64_t until = os::now_ns() + kAwakeNs;
  for (int looks = 1; lies_down() && os::now_ns() < until; ++looks) {
    if (network_->sleep(0)) {
      return true;
    }
    if (looks % kLooksPerYield == 0) {
      ::sched_yield();  // the peer may need this processor
    }
  }
  return false;
}

// Sleeps while the PE polls. False when the thread is to stop.
bool Progress::keep_away(std::uint64_t* seen) noexcept {
  bool was_told = false;
  for (std::uint64_t look = kShortestLookNs; !stop_.load(std::memory_order_acquire);) {
    const std::uint32_t wanted = wanted_.load(std::memory_order_seq_cst);
    away_.store(true, std::memory_order_seq_cst);
    // The first look finds that the PE has polled, as it has told; the one behind that whether it has since.
    const bool told = soon_.exchange(false, std::memory_order_seq_cst);
    const bool soon = std::exchange(was_told, told) || told;
    looks_soon_.store(soon, std::memory_order_relaxed);
    if (!lies_down()) {
      os::futex_wait(wanted_, wanted, soon ? kSoonNs : look);
    }
    away_.store(false, std::memory_order_relaxed);
    const std::uint64_t polls = polls_.load(std::memory_order_relaxed);
    if (polls == *seen || lies_down()) {
      *seen = polls;
      return true;
    }
    *seen = polls;
    const bool expects = soon || expected_.load(std::memory_order_relaxed) > 0;
    look = expects ? kShortestLookNs : look * 2 < kLongestLookNs ? look * 2 : kLongestLookNs;
  }
  return false;
}

// Who rings sees a sleeper, or this sees what it was to be rung for: announced before the pollers are called once more.
template <class Sleep>
void Progress::sleep_announced(Sleep&& sleep) noexcept {
  bell_->sleepers.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t rings = bell_->rings.load(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Only then: a PE that is woken for nothing polls for a while.
  if (poll_all()) {
    ring_all();
  }
  if (!stop_.load(std::memory_order_acquire)) {
    sleep(rings);
  }
  bell_->sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void Progress::serve_by_bell() noexcept {
  while (!stop_.load(std::memory_order_acquire)) {
    sleep_announced([this](std::uint32_t rings) { os::futex_wait(bell_->rings, rings, kNeverNs); });
  }
}

void Progress::serve_network() noexcept {
  std::uint64_t seen = polls_.load(std::memory_order_relaxed);
  while (keep_away(&seen)) {
    while (serves(seen)) {
      bool came = stays_awake();
      // Not asleep beside a PE that is up again: what comes for it would wake both.
      if (!came && serves(seen)) {
        sleep_announced([&](std::uint32_t /*rings*/) { came = network_->sleep(kSleepMs); });
      }
      network_->progress();
      // Else a PE would be woken for nothing, and poll for a while.
      if (came) {
        tell_news();
      }
    }
  }
}

void Progress::run() noexcept {
  (void)::pthread_setname_np(::pthread_self(), network_ != nullptr ? "weft-network" : "weft-progress");
  if (network_ != nullptr) {
    serve_network();
  } else {
    serve_by_bell();
  }
}

}  // namespace weft::progress
