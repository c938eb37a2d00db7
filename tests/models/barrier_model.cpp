// The two barriers (src/sync/barrier.hpp): rounds of flags, and a counter with a gate. What was done before on any PE
// is seen after on every PE, nobody is let through early, and nobody sleeps on.
#include "sync/barrier.hpp"

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;
using sync::BarrierKind;

constexpr int kPes = 3;

struct OfOne {
  sync::BarrierFlags flags;
  sync::Doorbell bell;
};
struct Memory {
  sync::BarrierGate gate;
  OfOne pes[kPes];
  std::atomic<std::uint32_t> data[kPes];
} g_memory;

template <BarrierKind kind, int pes>
void set_up() {
  static const char* const kRings[] = {"rings 0", "rings 1", "rings 2"};
  static const char* const kSleepers[] = {"sleepers 0", "sleepers 1", "sleepers 2"};
  static const char* const kFlags[] = {"flag 0", "flag 1", "flag 2", "second flag 0", "second flag 1", "second flag 2"};
  static const char* const kData[] = {"data 0", "data 1", "data 2"};
  if (kind == BarrierKind::kGate) {
    explore::share(g_memory.gate.arrived, "arrived");
    explore::share(g_memory.gate.episode, "gate");
    explore::share(g_memory.gate.bell.rings, "rings");
    explore::share(g_memory.gate.bell.sleepers, "sleepers");
  }
  for (int pe = 0; pe < pes; ++pe) {
    if (kind == BarrierKind::kDissemination) {
      for (int round = 0; 1 << round < pes; ++round) {
        explore::share(g_memory.pes[pe].flags.round[round].episode, kFlags[3 * round + pe]);
      }
      explore::share(g_memory.pes[pe].bell.rings, kRings[pe]);
      explore::share(g_memory.pes[pe].bell.sleepers, kSleepers[pe]);
    }
    explore::share(g_memory.data[pe], kData[pe]);
  }
}

// Each PE says by its data how far it is, and looks at the one before it.
constexpr sync::Patience kEndless{0, UINT64_MAX, 0, 0, nullptr, nullptr, nullptr};

template <BarrierKind kind, int pes, int rounds, bool awake>
bool run(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  sync::BarrierShared shared;
  shared.gate = &g_memory.gate;
  shared.flags = reinterpret_cast<std::byte*>(&g_memory.pes[0].flags);
  shared.bells = reinterpret_cast<std::byte*>(&g_memory.pes[0].bell);
  shared.stride = sizeof(OfOne);
  sync::Barrier barrier(shared, pe, pes, kind, round - 1);
  g_memory.data[pe].store(round, std::memory_order_relaxed);
  barrier.arrive();
  barrier.wait(awake ? kEndless : sync::Patience{}, {});
  explore::check(g_memory.data[(pe + pes - 1) % pes].load(std::memory_order_relaxed) >= round,
                 "what was done before the barrier is not seen after it");
  return call + 1 < rounds;
}

template <BarrierKind kind, int pes, int rounds, bool awake = false>
explore::Model model(const char* name) {
  return {name, pes, set_up<kind, pes>, run<kind, pes, rounds, awake>, awake};
}

// The leader looks at all before the others are let go.
template <int pes, int rounds, bool awake>
bool run_around(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  sync::BarrierShared shared;
  shared.gate = &g_memory.gate;
  sync::Barrier barrier(shared, pe, pes, BarrierKind::kGate, round - 1);
  g_memory.data[pe].store(round, std::memory_order_relaxed);
  const auto look = [&] {
    for (int other = 0; other < pes; ++other) {
      explore::check(g_memory.data[other].load(std::memory_order_relaxed) >= round,
                     "the leader begins before all came");
    }
  };
  barrier.meet_around(
      sync::Patience{}, {}, [] {}, look);
  explore::check(g_memory.data[(pe + pes - 1) % pes].load(std::memory_order_relaxed) >= round,
                 "what was done before the barrier is not seen after it");
  return call + 1 < rounds;
}

template <int pes, int rounds, bool awake = false>
explore::Model around(const char* name) {
  return {name, pes, set_up<BarrierKind::kGate, pes>, run_around<pes, rounds, awake>, awake};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      model<BarrierKind::kGate, 2, 2>("the gate, two PEs"),
      model<BarrierKind::kDissemination, 2, 2>("flags, two PEs"),
      model<BarrierKind::kGate, 3, 1>("the gate, three PEs"),
      model<BarrierKind::kDissemination, 3, 1, true>("flags, three PEs that stay awake"),
      around<2, 2>("around a part of the leader's, two PEs"),
      around<3, 1, true>("around a part of the leader's, three PEs that stay awake"),
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* barrier = "sync/barrier.cpp";
  std::vector<explore::NamedFault> faults = {
      {"the counter is not reset", {{barrier, "gate.arrived.store(0", kOmitted}}},
      {"the gate is not opened", {{barrier, "gate.episode.exchange", kOmitted}}},
      {"nobody is counted before the leader's part", {{barrier, "gate.arrived.fetch_add", kOmitted, 2}}},
      {"a flag is not set", {{barrier, "round[round].episode.store", kOmitted}}},
  };
  const Fault no_fence{barrier, "std::atomic_thread_fence(std::memory_order_seq_cst)"};
#if WEFT_EXPLORES_X86
  faults.push_back({"no fence between flag and bell", {no_fence}});
#else
  // There ring() has a fence of its own.
  faults.push_back({"no fence between flag and bell", {no_fence, {"sync/doorbell.hpp", "std::atomic_thread_fence"}}});
  faults.push_back({"waiting does not acquire", {{barrier, "word.load(std::memory_order_acquire)"}}});
  faults.push_back({"arriving does not collect", {{barrier, "gate.arrived.fetch_add"}}});
  faults.push_back({"the leader does not collect", {{barrier, "gate.arrived.load(std::memory_order_acquire)"}}});
  faults.push_back({"counting does not release", {{barrier, "gate.arrived.fetch_add", Fault::Kind::kRelaxed, 2}}});
  faults.push_back({"the gate does not release", {{barrier, "gate.episode.exchange"}}});
  faults.push_back({"a flag does not release", {{barrier, "round[round].episode.store"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
