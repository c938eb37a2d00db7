#include "progress/work.hpp"

#include <sched.h>

#include <mutex>

#include "transport/transport.hpp"

namespace weft::progress {
namespace {

// Linked in the order in which entries came. Who goes through one takes no lock: it is counted, and who takes an entry
// out waits for those that have begun before.
template <class What>
class List {
 public:
  void add(Entry<What>& entry) noexcept {
    const std::scoped_lock lock(mutex_);
    if (entry.listed) {
      return;
    }
    entry.listed = true;
    // Relaxed: nobody finds the entry before the store below.
    entry.next.store(nullptr, std::memory_order_relaxed);
    std::atomic<Entry<What>*>* end = &first_;
    while (Entry<What>* const at = end->load(std::memory_order_relaxed)) {
      end = &at->next;
    }
    // Release: what it needs is there for who finds it.
    end->store(&entry, std::memory_order_release);
  }

  void remove(Entry<What>& entry) noexcept {
    const std::scoped_lock lock(mutex_);
    if (!entry.listed) {
      return;
    }
    std::atomic<Entry<What>*>* to = &first_;
    while (to->load(std::memory_order_relaxed) != &entry) {
      to = &to->load(std::memory_order_relaxed)->next;
    }
    // Its own link stays, for who stands on it. seq_cst: either who goes through the list does not find it any more, or
    // is counted for what follows.
    to->store(entry.next.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    for (transport::Pending::Earlier readers(inside_); !readers.done();) {
      ::sched_yield();
    }
    entry.listed = false;
  }

  template <class Do>
  void each(Do&& call) noexcept {
    // Relaxed: who has just added something tells of it by other means, and most lists are empty.
    if (first_.load(std::memory_order_relaxed) == nullptr) {
      return;
    }
    transport::Pending::Count* const inside = inside_.begin();
    // seq_cst: see remove().
    for (Entry<What>* at = first_.load(std::memory_order_seq_cst); at != nullptr;
         at = at->next.load(std::memory_order_seq_cst)) {
      call(at->what);
    }
    inside->end();
  }

 private:
  std::mutex mutex_;  // of who changes it
  std::atomic<Entry<What>*> first_ = nullptr;
  transport::Pending inside_;
};

constinit List<bool (*)() noexcept> g_pollers{};
constinit List<bool (*)() noexcept> g_idle{};
constinit List<sync::Doorbell*> g_bells{};

}  // namespace

void add_poller(Poller& poller) noexcept { g_pollers.add(poller); }
void remove_poller(Poller& poller) noexcept { g_pollers.remove(poller); }
bool poll_all() noexcept {
  bool found = false;
  g_pollers.each([&](auto poll) { found = poll() || found; });
  return found;
}

void add_idle_work(IdleWork& work) noexcept { g_idle.add(work); }
void remove_idle_work(IdleWork& work) noexcept { g_idle.remove(work); }
bool do_idle_work() noexcept {
  bool left = false;
  g_idle.each([&](auto work) { left = work() || left; });
  return left;
}

void add_bell(Bell& bell) noexcept { g_bells.add(bell); }
void remove_bell(Bell& bell) noexcept { g_bells.remove(bell); }
void ring_all() noexcept {
  g_bells.each([](sync::Doorbell* bell) { sync::ring(*bell); });
}

}  // namespace weft::progress
