#include "omp/program/outside.hpp"

#include <dlfcn.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "dsm/owed.hpp"
#include "job/attach.hpp"
#include "omp/program/events.hpp"
#include "omp/program/program.hpp"
#include "omp/program/real.hpp"

namespace weft::omp::program {
namespace {

constinit std::atomic<bool> g_some_earlier = false;

// Whose threads read and write nothing of the program's: ours, and those of the networks, which may make them while
// this thread lets a network go on, and so must not be made to wait for it.
constexpr std::array<std::string_view, 12> kServants = {"libweft",    "libfabric", "libucp",  "libucs",
                                                        "libuct",     "libucm",    "libpsm",  "librdmacm",
                                                        "libibverbs", "libefa",    "libmlx5", "ld-linux"};

bool is_servant(const void* caller) noexcept {
  Dl_info object{};
  if (::dladdr(caller, &object) == 0 || object.dli_fname == nullptr) {
    return false;
  }
  const std::string_view path = object.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view each : kServants) {
    if (name.starts_with(each)) {
      return true;
    }
  }
  return name.find("-fi.so") != std::string_view::npos;  // a provider of libfabric
}

// Before such a thread is there. From then on all announcements are waited for: it may only load plainly and never call
// anything of ours, and no message holds it back.
void expect_outsider(const void* caller) noexcept {
  // Relaxed: one thread alone runs while the first is made.
  const bool is_early = !dsm::g_some_take_part.load(std::memory_order_relaxed);
  // Who takes no part was expected itself, or is Weft's own, which must not wait. What costs nothing is asked first:
  // who the caller is takes the dynamic linker's lock, which is held while a plugin's constructors wait for their
  // threads.
  const bool is_settled =
      is_early ? g_some_earlier.load(std::memory_order_relaxed)
               : !dsm::t_takes_part || job::g_process.forked || !has_begun() || has_left() || !dsm::may_be_owed();
  if (is_settled || is_servant(caller)) {
    return;
  }
  if (is_early) {
    g_some_earlier.store(true, std::memory_order_relaxed);
    return;
  }
  const int was = errno;
  dsm::wait_for_all();
  errno = was;
}

// The next function of that name, looked for once, for the same reason.
template <class Function>
class Next {
 public:
  constexpr explicit Next(const char* name) noexcept : name_(name) {}
  Function* get() noexcept {
    // Relaxed: all find the same one.
    Function* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = real<Function>(name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  std::atomic<Function*> found_ = nullptr;
};
using PthreadCreate = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
using ThrdCreate = int(thrd_t*, thrd_start_t, void*);
using TimerDelete = int(timer_t);
using MqNotify = int(mqd_t, const sigevent*);
constinit Next<PthreadCreate> g_pthread_create("pthread_create");
constinit Next<ThrdCreate> g_thrd_create("thrd_create");
constinit Next<TimerCreate> g_timer_create("timer_create");
constinit Next<TimerDelete> g_timer_delete("timer_delete");
constinit Next<MqNotify> g_mq_notify("mq_notify");

[[gnu::constructor]] void find_them() noexcept {
  (void)g_pthread_create.get();
  (void)g_thrd_create.get();
  (void)g_timer_create.get();
  (void)g_timer_delete.get();
  (void)g_mq_notify.get();
}

}  // namespace

void look_for_earlier_outsiders() noexcept {
  if (g_some_earlier.load(std::memory_order_relaxed)) {
    dsm::wait_for_all();
  }
}

}  // namespace weft::omp::program

using weft::omp::program::expect_outsider;
using weft::omp::program::g_mq_notify;
using weft::omp::program::g_pthread_create;
using weft::omp::program::g_thrd_create;
using weft::omp::program::g_timer_create;
using weft::omp::program::g_timer_delete;

#pragma GCC visibility push(default)
extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  expect_outsider(__builtin_return_address(0));
  return g_pthread_create.get()(thread, attributes, body, argument);
}

// The C library's own make threads without asking for a name that others could stand before.
int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
  expect_outsider(__builtin_return_address(0));
  return g_thrd_create.get()(thread, body, argument);
}
int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    expect_outsider(__builtin_return_address(0));
    return weft::omp::program::create_timer(g_timer_create.get(), clock, *event, timer);
  }
  return g_timer_create.get()(clock, event, timer);
}
int timer_delete(timer_t timer) noexcept {
  weft::omp::program::forget_timer(timer);
  return g_timer_delete.get()(timer);
}
int mq_notify(mqd_t queue, const sigevent* event) noexcept {
  if (event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    expect_outsider(__builtin_return_address(0));
    return weft::omp::program::notify_of_messages(queue, *event);
  }
  return g_mq_notify.get()(queue, event);
}

}  // extern "C"
#pragma GCC visibility pop
