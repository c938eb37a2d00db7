// The lock for readers and writers (src/lock/readers.hpp): writers are alone and see what all before them did, readers
// see what the last writer did; nobody is passed, and nobody sleeps on. What is shared may still be added to, as
// accumulating to a window does: the next writer sees that.
#include "lock/readers.hpp"

#include <array>

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;
using lock::Mode;

struct Memory {
  lock::SharedLock lock;
  std::atomic<std::uint32_t> data;   // changed by writers
  std::atomic<std::uint32_t> added;  // and by readers
} g_memory;

enum Count : int { kWriters, kReaders, kWritten, kEntered, kAdded };

// The numbers begin just before they wrap.
constexpr std::uint32_t kFirst = 0xffffffffU;

void set_up() {
  g_memory.lock.queue.store(std::uint64_t{kFirst} << 32 | kFirst);
  g_memory.lock.done.store(kFirst);
  explore::share(g_memory.lock.queue, "queue");
  explore::share(g_memory.lock.done, "done");
  explore::share(g_memory.lock.readers, "readers");
  explore::share(g_memory.lock.rings, "rings");
  explore::share(g_memory.lock.sleepers, "sleepers");
  explore::share(g_memory.data, "data");
  explore::share(g_memory.added, "added");
}

void work(Mode mode) {
  using explore::check;
  using explore::count;
  // Relaxed: the lock is what makes the last writer's store visible.
  if (mode == Mode::kShared) {
    count(kReaders, 1);
    check(count(kWriters, 0) == 0, "a reader beside a writer");
    check(static_cast<int>(g_memory.data.load(std::memory_order_relaxed)) == count(kWritten, 0),
          "the last writer's work is not seen");
    g_memory.added.fetch_add(1, std::memory_order_relaxed);
    count(kAdded, 1);
    count(kReaders, -1);
    return;
  }
  check(count(kWriters, 1) == 1, "two writers");
  check(count(kReaders, 0) == 0, "a writer beside a reader");
  check(static_cast<int>(g_memory.added.load(std::memory_order_relaxed)) == count(kAdded, 0),
        "what readers have added is not seen");
  const std::uint32_t before = g_memory.data.load(std::memory_order_relaxed);
  g_memory.data.store(before + 1, std::memory_order_relaxed);
  check(static_cast<int>(before) + 1 == count(kWritten, 1), "the last writer's work is not seen");
  count(kWriters, -1);
}

// A writer finds that as many have gone in as came before it: whoever passed it would be one too many.
void take(Mode mode) {
  const sync::Patience patience;
  const lock::Turn turn = lock::take_or_queue(g_memory.lock, mode, 0);
  if (!turn.is_inside) {
    lock::await_turn(g_memory.lock, mode, turn.position, patience, sync::WaitNote());
  }
  const int entered = explore::count(kEntered, 1);
  explore::check(mode == Mode::kShared || static_cast<std::uint32_t>(entered - 1) == turn.position - kFirst,
                 "somebody has passed a writer");
}

constexpr Mode kR = Mode::kShared;
constexpr Mode kW = Mode::kExclusive;

template <int rounds, Mode... modes>
bool run(int pe, int call) {
  constexpr std::array kModes = {modes...};
  const Mode mode = kModes[static_cast<std::size_t>(pe)];
  take(mode);
  work(mode);
  lock::leave(g_memory.lock, mode);
  return call + 1 < rounds;
}

// PE 0 only tries.
template <int rounds, Mode... modes>
bool with_try(int pe, int call) {
  if (pe != 0) {
    return run<rounds, modes...>(pe, call);
  }
  constexpr std::array kModes = {modes...};
  if (lock::try_to_take(g_memory.lock, kModes[0], 0)) {
    explore::count(kEntered, 1);
    work(kModes[0]);
    lock::leave(g_memory.lock, kModes[0]);
  }
  return call + 1 < rounds;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr bool kAwake = true;
  std::vector<explore::Model> models = {
      {"two writers", 2, set_up, run<2, kW, kW>},
      {"a writer and a reader", 2, set_up, run<2, kW, kR>},
      {"two readers", 2, set_up, run<2, kR, kR>},
      {"three writers", 3, set_up, run<1, kW, kW, kW>},
      {"three readers", 3, set_up, run<1, kR, kR, kR>, kAwake},
      {"two writers and a reader", 3, set_up, run<1, kW, kW, kR>, kAwake},
      {"a writer and two readers", 3, set_up, run<1, kW, kR, kR>, kAwake},
      {"a reader tries beside two writers", 3, set_up, with_try<1, kR, kW, kW>},
      {"a writer tries beside both", 3, set_up, with_try<1, kW, kR, kW>, kAwake},
  };
#if WEFT_EXPLORES_X86
  // What C++ promises leaves more open than there is room for.
  models.push_back({"two writers and a reader, with sleepers", 3, set_up, run<1, kW, kW, kR>, false, true});
#endif
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* lock = "lock/readers.hpp";
  std::vector<explore::NamedFault> faults = {
      {"a sleeper does not announce itself", {{"sync/waiter.hpp", "bell.sleepers.fetch_add", kOmitted}}},
      {"the bell is not changed", {{"lock/readers.cpp", "lock.rings.fetch_add", kOmitted}}},
      {"no ticket is taken", {{lock, "lock.queue.fetch_add(queue::kOneTicket", kOmitted}}},
      {"nobody is admitted", {{lock, "admit_of(lock).fetch_add(1", kOmitted}}},
      {"a reader that leaves is not counted", {{lock, "lock.done.fetch_add(1", kOmitted}}},
      {"a reader goes in without a place in the queue", {{lock, "lock.queue.compare_exchange_strong", kOmitted}}},
      {"a writer that has waited is not counted", {{lock, "lock.done.store(mine + 1", kOmitted}}},
      {"readers that were let in stay counted", {{lock, "lock.readers.compare_exchange_strong(counted", kOmitted}}},
      {"all are let in, though somebody has come",
       {{lock, "lock.queue.compare_exchange_strong(seen, queue::all_admitted", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 each atomic operation is a fence, and each look an acquire.
  faults.push_back({"there is no fence before the look for sleepers",
                    {{lock, "std::atomic_thread_fence(std::memory_order_seq_cst);"},
                     {lock, "admit_of(lock).fetch_add(1"},
                     {lock, "lock.done.fetch_add(1"}}});
  faults.push_back({"admitting does not release", {{lock, "admit_of(lock).fetch_add(1"}}});
  faults.push_back({"leaving does not release", {{lock, "lock.done.fetch_add(1"}}});
  faults.push_back({"taking a ticket does not acquire", {{lock, "lock.queue.fetch_add(queue::kOneTicket"}}});
  faults.push_back({"waiting does not acquire", {{lock, "admit_of(lock).load(std::memory_order_acquire)"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
