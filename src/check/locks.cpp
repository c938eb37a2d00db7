#include "check/locks.hpp"

#include <pthread.h>

#include <map>
#include <mutex>
#include <optional>

#include "check/report.hpp"

namespace weft::check {
namespace {

using api::Op;

struct Held {
  Made made{};
  pthread_t thread;
};

std::mutex g_mutex;
std::map<const void*, Held> g_held;

std::optional<Held> held(const void* lock) noexcept {
  const std::scoped_lock guard(g_mutex);
  const auto found = g_held.find(lock);
  return found == g_held.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void before_lock(const Invocation& call) noexcept {
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

void close_locks() noexcept {
  std::map<const void*, Held> left;
  {
    const std::scoped_lock guard(g_mutex);
    left.swap(g_held);
  }
  for (const auto& [lock, holder] : left) {
    report(text("the lock at %p is still held at the end; whoever waits for it waits for ever", lock),
           {"it was set by " + told(holder.made)});
  }
}

}  // namespace weft::check
