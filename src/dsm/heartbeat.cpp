#include "dsm/heartbeat.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "dsm/notes.hpp"
#include "dsm/pages.hpp"
#include "os/futex.hpp"

namespace weft::dsm {
namespace {

// Two of them, of the one that writes and of the one that reads, and what they have to do stay below 10 ms. To look
// whether there is something takes a microsecond or so.
constexpr std::uint64_t kBusyBeatNs = 1'000'000;
constexpr std::uint64_t kQuietBeatNs = 3'000'000;

constinit std::atomic<std::uint32_t> g_stop = 0;  // a futex
constinit pthread_t g_thread{};

void* run(void* /*unused*/) noexcept {
  (void)::pthread_setname_np(::pthread_self(), "weft-pages");
  goes_on_beside();
  std::uint64_t orders = 0;
  bool quiet = true;
  // Acquire: nothing of the shared memory is used behind it.
  while (g_stop.load(std::memory_order_acquire) == 0) {
    os::futex_wait(g_stop, 0, quiet ? kQuietBeatNs : kBusyBeatNs);
    const std::uint64_t now = g_pages->orders();
    quiet = g_pages->quiet();
    const std::unique_lock beating(g_pages->beating(), std::try_to_lock);
    if (now == orders && !quiet && beating.owns_lock()) {
      g_pages->release();
      g_pages->acquire();
    }
    orders = g_pages->orders();
  }
  return nullptr;
}

}  // namespace

base::Result<void> start_heartbeat() noexcept {
  g_stop.store(0, std::memory_order_relaxed);
  // Signals are the program's threads' business.
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&g_thread, nullptr, run, nullptr);
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error == 0 ? base::Result<void>()
                    : base::Error::make("cannot start the thread that keeps pages alike: %s", std::strerror(error));
}

void stop_heartbeat() noexcept {
  g_stop.store(1, std::memory_order_release);
  os::futex_wake_all(g_stop);
  (void)::pthread_join(g_thread, nullptr);
}

}  // namespace weft::dsm
