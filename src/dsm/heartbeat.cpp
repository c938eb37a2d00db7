#include "dsm/heartbeat.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstring>
#include <ctime>
#include <mutex>

#include "dsm/notes.hpp"
#include "dsm/pages.hpp"
#include "os/futex.hpp"

namespace weft::dsm {
namespace {

constinit std::atomic<std::uint32_t> g_stop = 0;  // a futex
constinit pthread_t g_thread{};

// What this thread has had of a processor.
std::uint64_t worked_ns() noexcept {
  timespec t{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
}

void* run(void* /*unused*/) noexcept {
  (void)::pthread_setname_np(::pthread_self(), "weft-pages");
  goes_on_beside();
  std::uint64_t orders = 0;
  std::uint64_t beat = kQuietBeatNs;
  // Acquire: nothing of the shared memory is used behind it.
  while (g_stop.load(std::memory_order_acquire) == 0) {
    os::futex_wait(g_stop, 0, beat);
    const std::uint64_t now = g_pages->orders();
    const bool quiet = g_pages->quiet();
    beat = beat_behind(0, quiet);
    const std::unique_lock beating(g_pages->beating(), std::try_to_lock);
    if (now == orders && !quiet && beating.owns_lock()) {
      const std::uint64_t before = worked_ns();
      g_pages->release(true);
      g_pages->acquire();
      beat = beat_behind(worked_ns() - before, false);
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
