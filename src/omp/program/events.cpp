#include "omp/program/events.hpp"

#include <linux/netlink.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

// The C library has threads for this, too, which wait with all signals blocked; and the system ends a program at once
// whose thread comes to a page that is not there while it blocks SIGSEGV. These block all others, but for those by
// which the C library asks each thread of a process for something, and waits until all have done it: seteuid().
namespace weft::omp::program {
namespace {

// The signal that the C library uses for its timers and for pthread_cancel(): no program can have it, and here it is
// for one thread alone.
constexpr int kSignal = 32;
constexpr int kSetId = 33;
using KernelSet = std::uint64_t;
constexpr KernelSet bit(int signal) noexcept { return KernelSet{1} << (signal - 1); }
constexpr KernelSet kFaults = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGILL) | bit(SIGFPE) | bit(SIGTRAP);
constexpr KernelSet kLeftOpen = kFaults | bit(kSetId);

// The C library leaves out its own signals where it is asked to block them.
void block(KernelSet signals) noexcept {
  (void)::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, nullptr, sizeof signals);
}

struct Attributes {
  std::size_t stack = 0, guard = 0;
  bool is = false;
};

// Something that will happen, by a number that is never given again: what comes too late finds nothing.
struct Event {
  std::uint64_t number;
  void (*function)(sigval);
  sigval value;
  Attributes attributes;
  timer_t timer;
  bool has_timer;  // which it has not until the system has made it: 0 is the first one's
  Event* next;
};
constinit std::mutex g_lock;
constinit Event* g_events = nullptr;
constinit std::uint64_t g_last = 0;

std::uint64_t add(const sigevent& event) noexcept {
  auto* const added = new Event{0, event.sigev_notify_function, event.sigev_value, {}, {}, false, nullptr};
  if (event.sigev_notify_attributes != nullptr) {
    auto* const given = static_cast<const pthread_attr_t*>(event.sigev_notify_attributes);
    added->attributes.is = ::pthread_attr_getstacksize(given, &added->attributes.stack) == 0 &&
                           ::pthread_attr_getguardsize(given, &added->attributes.guard) == 0;
  }
  const std::scoped_lock guard(g_lock);
  added->number = ++g_last;
  added->next = g_events;
  g_events = added;
  return added->number;
}

template <class Is>
void remove(const Is& is) noexcept {
  const std::scoped_lock guard(g_lock);
  for (Event** at = &g_events; *at != nullptr; at = &(*at)->next) {
    if (is(**at)) {
      Event* const found = *at;
      *at = found->next;
      delete found;
      return;
    }
  }
}

// Function and value, for a thread of their own.
struct Call {
  void (*function)(sigval);
  sigval value;
};

void* run(void* given) {
  const Call call = *static_cast<Call*>(given);
  delete static_cast<Call*>(given);
  block(0);
  call.function(call.value);
  return nullptr;
}

void happen(std::uint64_t number) noexcept {
  Attributes wanted;
  auto* const call = new Call{};
  bool found = false;
  {
    const std::scoped_lock guard(g_lock);
    for (const Event* each = g_events; each != nullptr; each = each->next) {
      if (each->number == number) {
        *call = {each->function, each->value};
        wanted = each->attributes;
        found = true;
      }
    }
  }
  if (!found) {
    delete call;
    return;
  }
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (wanted.is) {
    (void)::pthread_attr_setstacksize(&attributes, wanted.stack);
    (void)::pthread_attr_setguardsize(&attributes, wanted.guard);
  }
  pthread_t thread{};
  if (::pthread_create(&thread, &attributes, run, call) != 0) {
    delete call;  // as the C library does: this time it is not told
  }
  (void)::pthread_attr_destroy(&attributes);
}

// A thread of this process, whose children have none: it is made when there is something to wait for.
struct Waiter {
  pid_t process = 0;
  int at = 0;  // its number for the kernel, or its socket
  sem_t ready{};
};
constinit Waiter g_timers, g_messages;
constinit std::mutex g_waiters_lock;

bool start(Waiter& waiter, void* (*body)(void*), int with) noexcept {
  const std::scoped_lock guard(g_waiters_lock);
  if (waiter.process == ::getpid()) {
    return true;
  }
  waiter.at = with;
  (void)::sem_init(&waiter.ready, 0, 0);
  pthread_t thread{};
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const int error = ::pthread_create(&thread, &attributes, body, nullptr);
  (void)::pthread_attr_destroy(&attributes);
  if (error != 0) {
    errno = EAGAIN;
    return false;
  }
  while (::sem_wait(&waiter.ready) != 0) {  // it blocks the signal from then on
  }
  waiter.process = ::getpid();
  return true;
}

void* await_timers(void* /*unused*/) {
  block(~kLeftOpen);  // with what it awaits; nobody cancels this thread
  g_timers.at = static_cast<int>(::syscall(SYS_gettid));
  (void)::sem_post(&g_timers.ready);
  const KernelSet awaited = bit(kSignal);
  for (;;) {
    siginfo_t told{};
    const long got = ::syscall(SYS_rt_sigtimedwait, &awaited, &told, nullptr, sizeof awaited);
    if (got == kSignal && told.si_code == SI_TIMER) {
      happen(reinterpret_cast<std::uintptr_t>(told.si_value.sival_ptr));
    }
  }
}

// What the system sends through the socket when a message has come, or its notice has been taken back: as many bytes as
// it was given, but that the last one says which of the two.
struct Cookie {
  std::uint64_t number;
  char rest[23];
  std::uint8_t what;
};
static_assert(sizeof(Cookie) == 32);
constexpr std::uint8_t kHasCome = 1;

void* await_messages(void* /*unused*/) {
  block(~(kLeftOpen | bit(kSignal)));
  const int socket = g_messages.at;
  (void)::sem_post(&g_messages.ready);
  for (;;) {
    Cookie cookie{};
    if (::recv(socket, &cookie, sizeof cookie, MSG_NOSIGNAL | MSG_WAITALL) != sizeof cookie) {
      if (errno == EBADF || errno == ENOTSOCK) {  // the program has closed what it does not know: the next one is made
        const std::scoped_lock guard(g_waiters_lock);
        g_messages.process = 0;
        return nullptr;
      }
      continue;
    }
    if (cookie.what == kHasCome) {
      happen(cookie.number);
    }
    remove([&](const Event& each) { return each.number == cookie.number; });
  }
}

}  // namespace

int create_timer(TimerCreate* create, clockid_t clock, const sigevent& event, timer_t* timer) noexcept {
  if (!start(g_timers, await_timers, 0)) {
    return -1;
  }
  const std::uint64_t number = add(event);
  sigevent ours{};
  ours.sigev_notify = SIGEV_THREAD_ID;
  ours.sigev_signo = kSignal;
  ours.sigev_value.sival_ptr = reinterpret_cast<void*>(number);
  ours._sigev_un._tid = g_timers.at;
  if (create(clock, &ours, timer) != 0) {
    const int error = errno;
    remove([&](const Event& each) { return each.number == number; });
    errno = error;
    return -1;
  }
  const std::scoped_lock guard(g_lock);
  for (Event* each = g_events; each != nullptr; each = each->next) {
    if (each->number == number) {
      each->timer = *timer;
      each->has_timer = true;
    }
  }
  return 0;
}

void forget_timer(timer_t timer) noexcept {
  remove([&](const Event& each) { return each.has_timer && each.timer == timer; });
}

int notify_of_messages(mqd_t queue, const sigevent& event) noexcept {
  // One too many, where there is a thread already.
  const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (socket < 0) {
    return -1;
  }
  const bool started = start(g_messages, await_messages, socket);
  if (!started || g_messages.at != socket) {
    const int error = errno;
    (void)::close(socket);
    errno = error;
  }
  if (!started) {
    return -1;
  }
  Cookie cookie{};
  cookie.number = add(event);
  sigevent ours{};
  ours.sigev_notify = SIGEV_THREAD;
  ours.sigev_signo = g_messages.at;
  ours.sigev_value.sival_ptr = &cookie;
  if (::syscall(SYS_mq_notify, queue, &ours) != 0) {
    const int error = errno;
    remove([&](const Event& each) { return each.number == cookie.number; });
    errno = error;
    return -1;
  }
  return 0;
}

}  // namespace weft::omp::program
