// The barrier on words that are zero before and after it (src/sync/transient_barrier.hpp), by rounds and with a gate:
// what was done before on any PE is seen after on every PE, nobody is let through early, nobody sleeps on, and the
// words are zero again.
#include "sync/transient_barrier.hpp"

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;
using sync::BarrierKind;

constexpr int kPes = 3;

struct OfOne {
  sync::TransientFlags flags;
  sync::Doorbell bell;
};
struct Memory {
  OfOne pes[kPes];
  std::atomic<std::uint32_t> data[kPes];
} g_memory;

template <BarrierKind kind, int pes>
void set_up() {
  static const char* const kRings[] = {"rings 0", "rings 1", "rings 2"};
  static const char* const kSleepers[] = {"sleepers 0", "sleepers 1", "sleepers 2"};
  static const char* const kFlags[] = {"flag 0", "flag 1", "flag 2", "second flag 0", "second flag 1", "second flag 2"};
  static const char* const kReleased[] = {"released 0", "released 1", "released 2"};
  static const char* const kData[] = {"data 0", "data 1", "data 2"};
  for (int pe = 0; pe < pes; ++pe) {
    OfOne& own = g_memory.pes[pe];
    if (kind == BarrierKind::kGate) {
      explore::share(own.flags.released, kReleased[pe]);
    } else {
      for (int round = 0; 1 << round < pes; ++round) {
        explore::share(own.flags.round[round].value, kFlags[3 * round + pe]);
      }
    }
    explore::share(own.bell.rings, kRings[pe]);
    explore::share(own.bell.sleepers, kSleepers[pe]);
    explore::share(g_memory.data[pe], kData[pe]);
  }
  if (kind == BarrierKind::kGate) {
    explore::share(g_memory.pes[0].flags.arrived, "arrived");
  }
}

constexpr sync::Patience kEndless{0, UINT64_MAX, 0, 0, nullptr, nullptr, nullptr};

// Each PE says by its data how far it is, and looks at the one before it.
template <BarrierKind kind, int pes, int rounds, bool awake>
bool run(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  const sync::TransientBarrier::Shared shared{reinterpret_cast<std::byte*>(&g_memory.pes[0].flags), sizeof(OfOne),
                                              reinterpret_cast<std::byte*>(&g_memory.pes[0].bell), sizeof(OfOne)};
  sync::TransientBarrier barrier(shared, pe, pes, kind);
  g_memory.data[pe].store(round, std::memory_order_relaxed);
  barrier.arrive_and_wait(awake ? kEndless : sync::Patience{}, {});
  explore::check(g_memory.data[(pe + pes - 1) % pes].load(std::memory_order_relaxed) >= round,
                 "what was done before the barrier is not seen after it");
  // Nobody gives before having been here too: what is left now belongs to this barrier.
  if (rounds == 1 && kind == BarrierKind::kDissemination) {
    explore::check(g_memory.pes[pe].flags.round[0].value.load(std::memory_order_relaxed) == 0, "a flag is left");
  }
  return call + 1 < rounds;
}

template <BarrierKind kind, int pes, int rounds, bool awake = false>
explore::Model model(const char* name) {
  return {name, pes, set_up<kind, pes>, run<kind, pes, rounds, awake>, awake};
}

// Through member 0, which says the round.
template <int pes, int rounds, bool awake>
bool run_and_hear(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  const sync::TransientBarrier::Shared shared{reinterpret_cast<std::byte*>(&g_memory.pes[0].flags), sizeof(OfOne),
                                              reinterpret_cast<std::byte*>(&g_memory.pes[0].bell), sizeof(OfOne)};
  sync::TransientBarrier barrier(shared, pe, pes, BarrierKind::kGate);
  g_memory.data[pe].store(round, std::memory_order_relaxed);
  const auto say = [&] {
    explore::check(g_memory.data[pes - 1].load(std::memory_order_relaxed) >= round, "it is said before all came");
    return round;
  };
  const auto said = barrier.arrive_and_hear(awake ? kEndless : sync::Patience{}, {}, say);
  explore::check(said == round, "another word is heard than was said");
  explore::check(g_memory.data[(pe + pes - 1) % pes].load(std::memory_order_relaxed) >= round,
                 "what was done before the barrier is not seen after it");
  return call + 1 < rounds;
}

template <int pes, int rounds, bool awake = false>
explore::Model hearing(const char* name) {
  return {name, pes, set_up<BarrierKind::kGate, pes>, run_and_hear<pes, rounds, awake>, awake};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      model<BarrierKind::kGate, 2, 2>("the gate, two PEs"),
      model<BarrierKind::kDissemination, 2, 1>("rounds, two PEs"),
      model<BarrierKind::kDissemination, 2, 2>("rounds, two PEs twice"),
      model<BarrierKind::kDissemination, 2, 3, true>("rounds, two PEs that stay awake"),
      model<BarrierKind::kGate, 3, 1, true>("the gate, three PEs that stay awake"),
      model<BarrierKind::kDissemination, 3, 1, true>("rounds, three PEs that stay awake"),
      hearing<2, 2>("a word, two PEs"),
      hearing<3, 1, true>("a word, three PEs that stay awake"),
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* barrier = "sync/transient_barrier.cpp";
  std::vector<explore::NamedFault> faults = {
      {"nothing is given", {{barrier, "count.fetch_add(amount", kOmitted}}},
      {"what is given is not taken back", {{barrier, "count.fetch_sub(1", kOmitted}}},
      {"the counter is not reset", {{barrier, "arrived.store(0", kOmitted}}},
      {"nobody is counted at the gate", {{barrier, "arrived.fetch_add(1", kOmitted}}},
      {"those who wait for a word are not counted anew", {{barrier, "arrived.store(0", kOmitted, 2}}},
      {"a word is not taken", {{barrier, "told.store(0", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 each atomic operation is a fence, and each look an acquire.
  faults.push_back({"taking does not acquire", {{barrier, "count.load(std::memory_order_acquire)"}}});
  faults.push_back({"arriving does not collect", {{barrier, "arrived.fetch_add(1"}}});
  faults.push_back({"the word does not acquire", {{barrier, "told.load(std::memory_order_acquire)"}}});
  faults.push_back({"who says it does not collect", {{barrier, "arrived.load(std::memory_order_acquire)"}}});
  faults.push_back({"giving does not release", {{barrier, "count.fetch_add(amount"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
