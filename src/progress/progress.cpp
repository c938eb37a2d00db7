#include "progress/progress.hpp"

#include <sched.h>

#include <csignal>
#include <cstring>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "progress/work.hpp"

namespace weft::progress {
namespace {

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
  turn_.ended.store(false, std::memory_order_relaxed);
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
  turn_.end();
  sync::ring(*bell_);
  take_over();
  (void)::pthread_join(thread_, nullptr);
  running_ = false;
}

// In place of a PE that lies down, whose processor is free: what came may be followed by more, and waking up takes
// longer than serving it. True when something has come.
bool Progress::stays_awake() noexcept {
  const std::uint64_t until = os::now_ns() + kAwakeNs;
  for (int looks = 1; !turn_.computes() && turn_.is_left() && os::now_ns() < until; ++looks) {
    if (network_->sleep(0)) {
      return true;
    }
    if (looks % kLooksPerYield == 0) {
      ::sched_yield();  // the peer may need this processor
    }
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
  if (!turn_.ended.load(std::memory_order_acquire)) {
    sleep(rings);
  }
  bell_->sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void Progress::serve_by_bell() noexcept {
  while (!turn_.ended.load(std::memory_order_acquire)) {
    sleep_announced([this](std::uint32_t rings) { os::futex_wait(bell_->rings, rings, kNeverNs); });
  }
}

void Progress::serve_network() noexcept {
  std::uint64_t seen = turn_.polls.load(std::memory_order_relaxed);
  const auto sleep = [](const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t longest_ns) {
    os::futex_wait(word, value, longest_ns);
  };
  while (turn_.keep_away(&seen, sleep)) {
    while (turn_.serves(seen)) {
      bool came = stays_awake();
      // Not asleep beside a PE that is up again: what comes for it would wake both.
      if (!came && turn_.serves(seen)) {
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
