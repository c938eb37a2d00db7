// Doorbells, locks and barriers. Threads play the PEs: the words and the code are those that processes share.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "os/cpus.hpp"
#include "rooms.hpp"
#include "sync/barrier.hpp"
#include "sync/doorbell.hpp"
#include "sync/ticket_lock.hpp"

namespace weft::bench {
namespace {

sync::Patience patience(const benchmark::State& state) {
  return sync::patience_for(state.threads(), os::usable_cpus());
}

void ring_nobody(benchmark::State& state) {
  sync::Doorbell bell{};
  for (auto _ : state) {
    sync::ring(bell);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(ring_nobody)->Name("sync/ring_nobody");

void wait_for_nothing(benchmark::State& state) {
  sync::Doorbell bell{};
  const sync::Patience how = patience(state);
  const std::atomic<int> here = 1;
  for (auto _ : state) {
    sync::wait(how, bell, nullptr, {}, [&] { return here.load(std::memory_order_acquire) == 1; });
    benchmark::ClobberMemory();
  }
}
BENCHMARK(wait_for_nothing)->Name("sync/wait_for_nothing");

/// One of two threads has its turn, by whether the count is odd.
struct Turns {
  alignas(64) std::atomic<std::uint64_t> count;
  sync::Doorbell bell[2];
};
Turns g_turns{};

void take_turns(benchmark::State& state, const sync::Patience& how) {
  // What thread 0 does before the loop, all threads see in it.
  if (state.thread_index() == 0) g_turns.count = 0;
  const auto me = static_cast<std::uint64_t>(state.thread_index());
  for (auto _ : state) {
    sync::wait(how, g_turns.bell[me], nullptr, {},
               [&] { return g_turns.count.load(std::memory_order_acquire) % 2 == me; });
    g_turns.count.fetch_add(1, std::memory_order_seq_cst);  // as ring() asks
    sync::ring(g_turns.bell[1 - me]);
  }
  if (me == 0 && g_turns.count != 2 * static_cast<std::uint64_t>(state.iterations())) fail(state, "a turn was lost");
}
void turns(benchmark::State& state) { take_turns(state, patience(state)); }
void turns_asleep(benchmark::State& state) { take_turns(state, sync::patience_for(2, 2, 0, 0)); }
BENCHMARK(turns)->Name("sync/turns")->Threads(2)->UseRealTime();
BENCHMARK(turns_asleep)->Name("sync/turns_asleep")->Threads(2)->UseRealTime();

alignas(64) std::uint64_t g_lock;
alignas(64) std::atomic<std::uint32_t> g_sleepers;
alignas(64) std::int64_t g_held;  // plain: the lock is all that protects it

template <class Lock>
void lock(benchmark::State& state) {
  if (state.thread_index() == 0) g_lock = 0, g_held = 0;
  const sync::Patience how = patience(state);
  Lock ours(&g_lock, g_sleepers);
  for (auto _ : state) {
    ours.lock(how, {});
    ++g_held;
    ours.unlock();
  }
  if (state.thread_index() == 0 && g_held != state.iterations() * state.threads()) fail(state, "two held the lock");
}
BENCHMARK(lock<sync::TicketLock>)->Name("sync/lock")->Threads(1)->Threads(2)->Threads(4)->UseRealTime();
BENCHMARK(lock<sync::SmallTicketLock>)->Name("sync/small_lock")->Threads(1)->Threads(2)->UseRealTime();

constexpr int kMembers = 4;
struct Member {
  sync::BarrierFlags flags;
  sync::Doorbell bell;
  alignas(64) std::atomic<std::int64_t> passed;
};
struct World {
  sync::BarrierGate gate;
  Member member[kMembers];
};
World g_world{};

void reset(World& world) {
  world.gate.arrived = 0;
  world.gate.episode = 0;
  for (Member& member : world.member) {
    for (sync::BarrierFlag& flag : member.flags.round) flag.episode = 0;
    member.passed = 0;
  }
}

void barrier(benchmark::State& state, sync::BarrierKind kind) {
  if (state.thread_index() == 0) reset(g_world);
  const sync::BarrierShared shared{&g_world.gate, reinterpret_cast<std::byte*>(&g_world.member[0].flags),
                                   reinterpret_cast<std::byte*>(&g_world.member[0].bell), sizeof(Member)};
  const sync::Patience how = patience(state);
  sync::Barrier meeting(shared, state.thread_index(), state.threads(), kind);
  Member& mine = g_world.member[state.thread_index()];
  for (auto _ : state) {
    mine.passed.fetch_add(1, std::memory_order_relaxed);
    meeting.arrive();
    meeting.wait(how, {});
  }
  // Whoever has passed the last one has seen everybody come to it.
  for (int k = 0; k < state.threads(); ++k) {
    if (g_world.member[k].passed != state.iterations()) fail(state, "one went through the barrier alone");
  }
}
void barrier_by_rounds(benchmark::State& state) { barrier(state, sync::BarrierKind::kDissemination); }
void barrier_by_gate(benchmark::State& state) { barrier(state, sync::BarrierKind::kGate); }
BENCHMARK(barrier_by_rounds)->Name("sync/barrier_rounds")->Threads(2)->Threads(kMembers)->UseRealTime();
BENCHMARK(barrier_by_gate)->Name("sync/barrier_gate")->Threads(2)->Threads(kMembers)->UseRealTime();

}  // namespace
}  // namespace weft::bench
