// Readers whose lock counts from earlier on (src/lock/late.hpp), beside writers and readers that stand in the queue: a
// writer is alone, everybody sees what the last writer did, nobody sleeps on, and who is inside may wait for what a
// late reader does there.
#include "lock/late.hpp"

#include <sched.h>

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
  std::atomic<std::uint32_t> flag;
} g_memory;

enum Count : int { kWriters, kReaders, kWritten, kAdded, kGone };

constexpr std::uint32_t kFirst = 0xffffffffU;  // the numbers begin just before they wrap

void set_up() {
  g_memory.lock.queue.store(std::uint64_t{kFirst} << 32 | kFirst);
  g_memory.lock.done.store(kFirst);
  g_memory.lock.late.store(std::uint64_t{kFirst} << 32);
  explore::share(g_memory.lock.queue, "queue");
  explore::share(g_memory.lock.done, "done");
  explore::share(g_memory.lock.readers, "readers");
  explore::share(g_memory.lock.late, "late");
  explore::share(g_memory.lock.rings, "rings");
  explore::share(g_memory.lock.sleepers, "sleepers");
  explore::share(g_memory.data, "data");
  explore::share(g_memory.added, "added");
}

// PE 0 is inside, and a writer has counted itself only where it has not waited.
enum class Came : bool { kAtOnce, kBehindOthers };

template <Mode mode, Came came = Came::kAtOnce>
void set_up_inside() {
  set_up();
  explore::share(g_memory.flag, "flag");
  if (mode == Mode::kShared) {
    g_memory.lock.queue.store(lock::queue::pass_through(g_memory.lock.queue.load()));
  } else {
    g_memory.lock.queue.store(std::uint64_t{kFirst + 1} << 32 | kFirst);
    g_memory.lock.done.store(came == Came::kAtOnce ? kFirst + 1 : kFirst);
  }
}

// Each word and look more are many states more.
enum class Adds : bool { kNot, kReaders };

template <Adds adds = Adds::kNot>
void work(Mode mode) {
  using explore::check;
  using explore::count;
  // Relaxed: the lock is what makes the last writer's store visible.
  if (mode == Mode::kShared) {
    count(kReaders, 1);
    check(count(kWriters, 0) == 0, "a reader beside a writer");
    check(static_cast<int>(g_memory.data.load(std::memory_order_relaxed)) == count(kWritten, 0),
          "the last writer's work is not seen");
    if constexpr (adds == Adds::kReaders) {
      g_memory.added.fetch_add(1, std::memory_order_relaxed);
      count(kAdded, 1);
    }
    count(kReaders, -1);
    return;
  }
  check(count(kWriters, 1) == 1, "two writers");
  check(count(kReaders, 0) == 0, "a writer beside a reader");
  if constexpr (adds == Adds::kReaders) {
    check(static_cast<int>(g_memory.added.load(std::memory_order_relaxed)) == count(kAdded, 0),
          "what readers have added is not seen");
  }
  const std::uint32_t before = g_memory.data.load(std::memory_order_relaxed);
  g_memory.data.store(before + 1, std::memory_order_relaxed);
  check(static_cast<int>(before) + 1 == count(kWritten, 1), "the last writer's work is not seen");
  count(kWriters, -1);
}

void take(Mode mode) {
  const sync::Patience patience;
  const lock::Turn turn = lock::take_or_queue(g_memory.lock, mode, 0);
  if (!turn.is_inside) {
    lock::await_turn(g_memory.lock, mode, turn.position, patience, sync::WaitNote());
  }
}

void take_late(bool may_pass) {
  const sync::Patience patience;
  const lock::LateTurn turn = lock::take_late_or_ask(g_memory.lock);
  if (!turn.is_inside) {
    lock::await_late(g_memory.lock, turn.round, patience, sync::WaitNote(), [may_pass] { return may_pass; });
  }
}

enum class Who : std::uint8_t { kWriter, kReader, kLate, kPolite };
constexpr Who kW = Who::kWriter;
constexpr Who kR = Who::kReader;
constexpr Who kL = Who::kLate;
constexpr Who kP = Who::kPolite;  // a late one that passes nobody

void take_as(Who who) {
  who == kL || who == kP ? take_late(who == kL) : take(who == kW ? Mode::kExclusive : Mode::kShared);
}

template <int rounds, Who... all>
bool run(int pe, int call) {
  constexpr std::array kAll = {all...};
  const Who who = kAll[static_cast<std::size_t>(pe)];
  const Mode mode = who == kW ? Mode::kExclusive : Mode::kShared;
  take_as(who);
  work<Adds::kReaders>(mode);
  lock::leave(g_memory.lock, mode);
  return call + 1 < rounds;
}

// Who leaves last finds nobody inside, and nobody counted who waits: each look more is more states, so not in all
// models.
void leave_at_last(Mode mode) {
  lock::leave(g_memory.lock, mode);
  if (explore::count(kGone, 1) == 3) {
    // A change shows what is there now.
    const std::uint32_t done = g_memory.lock.done.fetch_add(0);
    explore::check(done == lock::queue::tickets(g_memory.lock.queue.fetch_add(0)), "somebody is counted as inside");
    explore::check(lock::late::waiting(g_memory.lock.late.fetch_add(0)) == 0, "somebody is counted as waiting");
  }
}

// PE 0 is inside.
template <Who... all>
bool beside(int pe, int /*call*/) {
  constexpr std::array kAll = {all...};
  const Who who = kAll[static_cast<std::size_t>(pe)];
  const Mode mode = who == kW ? Mode::kExclusive : Mode::kShared;
  if (pe != 0) {
    take_as(who);
  }
  work(mode);
  kAll[0] == kR ? leave_at_last(mode) : lock::leave(g_memory.lock, mode);
  return false;
}

// PE 0, inside, waits for what a late reader does there, and a writer for PE 0.
bool one_waits_for_the_other(int pe, int call) {
  if (pe == 0) {
    while (g_memory.flag.load(std::memory_order_acquire) == 0) {
      ::sched_yield();
    }
  } else if (pe == 1) {
    take_late(true);
    g_memory.flag.store(1, std::memory_order_release);
  } else {
    return beside<kW, kW, kW>(pe, call);
  }
  lock::leave(g_memory.lock, Mode::kShared);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr bool kAwake = true;
  std::vector<explore::Model> models = {
      {"a late reader and a writer", 2, set_up, run<2, kL, kW>},
      {"a polite one and a writer", 2, set_up, run<2, kP, kW>},
      {"two late readers", 2, set_up, run<2, kL, kL>},
      {"one inside, a late reader and a writer", 3, set_up_inside<Mode::kShared>, beside<kR, kL, kW>, kAwake},
      {"a writer inside, a late reader and a writer", 3, set_up_inside<Mode::kExclusive>, beside<kW, kL, kW>, kAwake},
      {"a writer inside and two late readers", 3, set_up_inside<Mode::kExclusive>, beside<kW, kL, kL>, kAwake},
      {"a writer inside, a reader and a late one", 3, set_up_inside<Mode::kExclusive>, beside<kW, kR, kL>, kAwake},
      {"one inside waits for a late reader", 3, set_up_inside<Mode::kShared>, one_waits_for_the_other, kAwake},
  };
#if WEFT_EXPLORES_X86
  // What C++ promises leaves more open than there is room for.
  constexpr auto kWaited = set_up_inside<Mode::kExclusive, Came::kBehindOthers>;
  models.push_back({"one that has waited inside, a late reader and a writer", 3, kWaited, beside<kW, kL, kW>, kAwake});
  models.push_back({"one that has waited inside, a reader and a late one", 3, kWaited, beside<kW, kR, kL>, kAwake});
#endif
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* late = "lock/late.hpp";
  const char* lock = "lock/readers.hpp";
  std::vector<explore::NamedFault> faults = {
      {"the bell is not changed", {{"lock/readers.cpp", "lock.rings.fetch_add", kOmitted}}},
      {"a late reader beside others is not counted", {{late, "lock.done.compare_exchange_weak", kOmitted}}},
      {"a late reader goes in without a place in the queue", {{late, "lock.queue.compare_exchange_weak", kOmitted}}},
      {"a writer that has waited is not counted", {{lock, "lock.done.store(mine + 1", kOmitted}}},
      {"who waits is not counted", {{late, "lock.late.fetch_add(1", kOmitted}}},
      {"who has gone in still waits", {{late, "lock.late.compare_exchange_weak(seen, seen - 1", kOmitted}}},
      {"who is let in does not learn it", {{lock, "lock.late.compare_exchange_weak(seen, late::after", kOmitted}}},
      {"who is let in is not counted", {{lock, "lock.done.fetch_sub(late::waiting", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 each atomic operation is a fence, and each look an acquire.
  faults.push_back({"letting in does not release", {{lock, "lock.late.compare_exchange_weak(seen, late::after"}}});
  faults.push_back({"being let in does not acquire", {{late, "lock.late.load(std::memory_order_acquire)"}}});
  faults.push_back({"leaving does not release", {{lock, "lock.done.fetch_add(1"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
