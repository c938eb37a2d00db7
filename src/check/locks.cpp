#include "check/locks.hpp"

#include <pthread.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "check/report.hpp"
#include "check/tool.hpp"
#include "interpose/real.hpp"

namespace weft::check {
namespace {

using api::Op;

struct Held {
  Made made{};
  pthread_t thread;
};

std::mutex g_mutex;
std::map<const void*, Held> g_held;
std::set<std::uintptr_t> g_used;  // by this PE

std::optional<Held> held(const void* lock) noexcept {
  const std::scoped_lock guard(g_mutex);
  const auto found = g_held.find(lock);
  return found == g_held.end() ? std::nullopt : std::optional(found->second);
}

bool is_first_use(const void* lock) noexcept {
  const std::scoped_lock guard(g_mutex);
  return g_used.insert(reinterpret_cast<std::uintptr_t>(lock)).second;
}

// The copy that others may use by now: two halves, the next ticket and the one that is served (sync/ticket_lock.hpp).
// As many as wait for no lock, or as many tickets as nobody has waited for, are garbage.
bool may_be_in_use(std::uint64_t word) noexcept {
  constexpr std::uint32_t kMostWaiters = 1U << 20;
  constexpr std::uint32_t kMostTickets = 1U << 31;
  const auto served = static_cast<std::uint32_t>(word);
  return static_cast<std::uint32_t>(word >> 32) - served <= kMostWaiters && served < kMostTickets;
}

// One PE's copy is the lock, the others stay as the program has set them.
void check_first_use(const long* lock) noexcept {
  if (!is_first_use(lock)) {
    return;
  }
  const int home = interpose::library().lock_home(lock);
  const long there = WEFT_REAL(long_atomic_fetch)(lock, home);
  const long here = *static_cast<const volatile long*>(lock);
  const bool bad_there = !may_be_in_use(static_cast<std::uint64_t>(there));
  if (bad_there || (home != me() && here != 0)) {
    report(text("the lock at %p is %ld on PE %d; set it to 0 on all PEs before its first use",
                static_cast<const void*>(lock), bad_there ? there : here, bad_there ? home : me()));
  }
}

}  // namespace

void before_lock(const Invocation& call) noexcept {
  check_first_use(static_cast<const long*>(call.dest));
  const auto holder = held(call.dest);
  if (call.op == Op::clear_lock) {
    if (!holder) {
      report(text("the lock at %p is not held by this PE; only the PE that has set a lock may clear it", call.dest));
    }
    // Before the real one: once it is released another thread may set it.
    const std::scoped_lock guard(g_mutex);
    g_held.erase(call.dest);
  } else if (call.op == Op::set_lock && holder && ::pthread_equal(holder->thread, ::pthread_self()) != 0) {
    report(text("this PE holds the lock at %p already and would wait for itself", call.dest),
           {"it was set by " + told(holder->made)});
  }
}

void after_lock(const Invocation& call, bool taken) noexcept {
  if (taken) {
    const Held holder{made_here(), ::pthread_self()};
    const std::scoped_lock guard(g_mutex);
    g_held.insert_or_assign(call.dest, holder);
  }
}

void forget_locks(std::uintptr_t at, std::size_t bytes) noexcept {
  const std::scoped_lock guard(g_mutex);
  g_used.erase(g_used.lower_bound(at), g_used.lower_bound(at + bytes));
}

void close_locks() noexcept {
  std::map<const void*, Held> left;
  {
    const std::scoped_lock guard(g_mutex);
    g_used.clear();
    left.swap(g_held);
  }
  for (const auto& [lock, holder] : left) {
    report(text("the lock at %p is still held at the end; whoever waits for it waits for ever", lock),
           {"it was set by " + told(holder.made)});
  }
}

}  // namespace weft::check
