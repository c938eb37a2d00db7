// The lock for readers and writers, taken for others by a thread of its home that sleeps between
// (src/lock/elsewhere.hpp): whoever makes it their turn calls it, so it never sleeps on, and all is as with the lock
// itself.
#include "lock/elsewhere.hpp"

#include <array>

#include "models/explore.hpp"
#include "models/replaced.hpp"
#include "sync/waiter.hpp"

namespace {

using namespace weft;
using explore::Fault;
using lock::Mode;

struct Memory {
  lock::SharedLock lock;
  std::atomic<std::uint32_t> elsewhere;
  sync::Doorbell agent;
  std::atomic<std::uint32_t> all_sleepers;
  std::atomic<std::uint32_t> data;
  std::atomic<std::uint32_t> calls;
} g_memory;

enum Count : int { kWriters, kReaders, kWritten };

void set_up() {
  explore::share(g_memory.lock.queue, "queue");
  explore::share(g_memory.lock.done, "done");
  explore::share(g_memory.lock.readers, "readers");
  explore::share(g_memory.lock.rings, "rings");
  explore::share(g_memory.lock.sleepers, "sleepers");
  explore::share(g_memory.elsewhere, "elsewhere");
  explore::share(g_memory.agent.rings, "agent's rings");
  explore::share(g_memory.agent.sleepers, "agent's sleepers");
  explore::share(g_memory.all_sleepers, "all_sleepers");
  explore::share(g_memory.data, "data");
  explore::share(g_memory.calls, "calls");
}

void work(Mode mode) {
  using explore::check;
  using explore::count;
  if (mode == Mode::kShared) {
    count(kReaders, 1);
    check(count(kWriters, 0) == 0, "a reader beside a writer");
    check(static_cast<int>(g_memory.data.load(std::memory_order_relaxed)) == count(kWritten, 0),
          "the last writer's work is not seen");
    count(kReaders, -1);
    return;
  }
  check(count(kWriters, 1) == 1, "two writers");
  check(count(kReaders, 0) == 0, "a writer beside a reader");
  const std::uint32_t before = g_memory.data.load(std::memory_order_relaxed);
  g_memory.data.store(before + 1, std::memory_order_relaxed);
  check(static_cast<int>(before) + 1 == count(kWritten, 1), "the last writer's work is not seen");
  count(kWriters, -1);
}

void call_home() {
  if (lock::somebody_waits_elsewhere(g_memory.elsewhere)) {
    sync::ring(g_memory.agent);
  }
}

// A process of the node.
void near(Mode mode, int pe) {
  const sync::Patience patience;
  const lock::Turn turn = lock::take_or_queue(g_memory.lock, mode, pe);
  if (!turn.is_inside) {
    lock::await_turn(g_memory.lock, mode, turn.position, patience, sync::WaitNote());
    if (mode == Mode::kShared) {
      call_home();
    }
  }
  work(mode);
  lock::leave(g_memory.lock, mode);
  call_home();
}

// The home, for a PE of another node, which leaves by its thread too.
void far(Mode mode, int pe) {
  const lock::Turn turn = lock::queue_from_elsewhere(g_memory.lock, g_memory.elsewhere, mode, pe);
  if (!turn.is_inside) {
    const sync::Patience patience;
    sync::wait(patience, g_memory.agent, &g_memory.all_sleepers, {},
               [&] { return lock::let_in_from_elsewhere(g_memory.lock, g_memory.elsewhere, mode, turn.position); });
  }
  work(mode);
  lock::leave(g_memory.lock, mode);
}

void await_and_change(std::uint32_t position) {
  const sync::Patience patience;
  sync::wait(patience, g_memory.agent, &g_memory.all_sleepers, {}, [&] {
    return lock::let_in_from_elsewhere(g_memory.lock, g_memory.elsewhere, Mode::kExclusive, position);
  });
  work(Mode::kExclusive);
  lock::leave(g_memory.lock, Mode::kExclusive);
}

// The home of two PEs of other nodes that change elements: it has both places in the queue before it waits, and makes
// the changes in their order (src/win/far_changes.cpp).
void far_two(int pe) {
  const lock::Turn first = lock::queue_from_elsewhere(g_memory.lock, g_memory.elsewhere, Mode::kExclusive, pe);
  if (first.is_inside) {
    work(Mode::kExclusive);
    lock::leave(g_memory.lock, Mode::kExclusive);
  }
  const lock::Turn second = lock::queue_from_elsewhere(g_memory.lock, g_memory.elsewhere, Mode::kExclusive, pe);
  if (second.is_inside) {
    work(Mode::kExclusive);
    lock::leave(g_memory.lock, Mode::kExclusive);
  }
  if (!first.is_inside) {
    await_and_change(first.position);
  }
  if (!second.is_inside) {
    await_and_change(second.position);
  }
}

// A home whose thread looks once when it has a place, and again only when it is called: others have fences of their own
// before each sleep (sync::wait()), and would find what that one look has missed.
void far_called(int pe) {
  std::uint32_t seen = 0;
  const lock::Turn turn = lock::queue_from_elsewhere(g_memory.lock, g_memory.elsewhere, Mode::kExclusive, pe);
  if (!turn.is_inside) {
    while (!lock::let_in_from_elsewhere(g_memory.lock, g_memory.elsewhere, Mode::kExclusive, turn.position)) {
      std::uint32_t calls = seen;
      while ((calls = g_memory.calls.load(std::memory_order_acquire)) == seen) {
        ::sched_yield();
      }
      seen = calls;
    }
  }
  work(Mode::kExclusive);
  lock::leave(g_memory.lock, Mode::kExclusive);
}

void near_calling(int pe) {
  const sync::Patience patience;
  const lock::Turn turn = lock::take_or_queue(g_memory.lock, Mode::kExclusive, pe);
  if (!turn.is_inside) {
    lock::await_turn(g_memory.lock, Mode::kExclusive, turn.position, patience, sync::WaitNote());
  }
  work(Mode::kExclusive);
  lock::leave(g_memory.lock, Mode::kExclusive);
  if (lock::somebody_waits_elsewhere(g_memory.elsewhere)) {
    g_memory.calls.fetch_add(1, std::memory_order_release);
  }
}

bool run_called(int pe, int /*call*/) {
  pe == 0 ? far_called(pe) : near_calling(pe);
  return false;
}

// PE 0 is the home's thread.
template <int rounds, Mode... modes>
bool run(int pe, int call) {
  constexpr std::array kModes = {modes...};
  const Mode mode = kModes[static_cast<std::size_t>(pe)];
  pe == 0 ? far(mode, pe) : near(mode, pe);
  return call + 1 < rounds;
}

template <Mode... modes>
bool run_two(int pe, int /*call*/) {
  constexpr std::array kModes = {modes...};
  pe == 0 ? far_two(pe) : near(kModes[static_cast<std::size_t>(pe)], pe);
  return false;
}

constexpr Mode kR = Mode::kShared;
constexpr Mode kW = Mode::kExclusive;

}  // namespace

int main(int argc, char** argv) {
  constexpr bool kAwake = true;
  std::vector<explore::Model> models = {
      {"a writer elsewhere that looks when it is called", 2, set_up, run_called, kAwake},
      {"a writer elsewhere and one here", 2, set_up, run<2, kW, kW>},
      {"a writer elsewhere and a reader here", 2, set_up, run<2, kW, kR>},
      {"a reader elsewhere and a writer here", 2, set_up, run<2, kR, kW>},
      {"a writer elsewhere, a reader and a writer here", 3, set_up, run<1, kW, kR, kW>, kAwake},
      {"two writers elsewhere and one here", 2, set_up, run_two<kW, kW>},
  };
#if WEFT_EXPLORES_X86
  // What C++ promises leaves more open than there is time for.
  models.push_back({"a reader elsewhere, a reader and a writer here", 3, set_up, run<1, kR, kR, kW>, kAwake});
  models.push_back({"two writers elsewhere and two here", 3, set_up, run_two<kW, kW, kW>, kAwake});
#endif
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* elsewhere = "lock/elsewhere.hpp";
  std::vector<explore::NamedFault> faults = {
      {"who waits elsewhere is not counted", {{elsewhere, "elsewhere.fetch_add(1", kOmitted}}},
      {"nobody is admitted", {{"lock/readers.hpp", "admit_of(lock).fetch_add(1", kOmitted}}},
      {"the agent is not rung", {{"sync/doorbell.hpp", "bell.rings.fetch_add", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 the counting and the ticket are full fences by themselves.
  faults.push_back({"no fence between counting and looking", {{elsewhere, "std::atomic_thread_fence("}}});
  faults.push_back({"no fence between leaving and looking", {{"lock/readers.hpp", "std::atomic_thread_fence("}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
