// Barrier of all PEs of one node, on words they share.
//
// Up to one PE per processor: dissemination, ceil(log2 n) rounds, each a store to one peer's line and a wait on an
// own line (for two PEs the exchange of two flags). With more PEs than processors the rounds would each need a
// context switch, so there everybody counts on one word and yields until the last one opens the gate.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sync/waiter.hpp"

namespace weft::sync {

inline constexpr int kMaxRounds = 12;  // 4096 PEs

/// One cache line each, so that a peer's store disturbs only the waiter it is meant for.
struct alignas(64) BarrierFlag {
  std::atomic<std::uint32_t> episode;
};

struct BarrierFlags {
  BarrierFlag round[kMaxRounds];
};
static_assert(sizeof(BarrierFlags) == 64 * kMaxRounds && std::is_standard_layout_v<BarrierFlags>);

struct BarrierGate {
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) std::atomic<std::uint32_t> episode;
  Doorbell bell;
};
static_assert(sizeof(BarrierGate) == 192 && offsetof(BarrierGate, bell) == 128);

/// What the PEs share: `gate` once, `flags` and `bells` one for each PE, `stride` bytes apart.
struct BarrierShared {
  BarrierGate* gate = nullptr;
  std::byte* flags = nullptr;
  std::byte* bells = nullptr;
  std::size_t stride = 0;
};

class Barrier {
 public:
  Barrier() = default;
  Barrier(const BarrierShared& shared, int me, int n_pes, bool crowded) noexcept
      : shared_(shared), me_(me), n_pes_(n_pes), crowded_(crowded) {}

  /// Everything any PE did before its call is visible to every PE after it. The order is release on arrival and
  /// acquire on leaving, which is transitive over the rounds.
  void arrive_and_wait(const Patience& patience, const WaitNote& note) noexcept;

 private:
  void through_the_gate(const Patience& patience, const WaitNote& note) noexcept;
  void by_rounds(const Patience& patience, const WaitNote& note) noexcept;
  BarrierFlags& flags(int pe) const noexcept {
    return *reinterpret_cast<BarrierFlags*>(shared_.flags + static_cast<std::size_t>(pe) * shared_.stride);
  }
  Doorbell& bell(int pe) const noexcept {
    return *reinterpret_cast<Doorbell*>(shared_.bells + static_cast<std::size_t>(pe) * shared_.stride);
  }

  BarrierShared shared_;
  int me_ = 0;
  int n_pes_ = 1;
  bool crowded_ = false;
  std::uint32_t episode_ = 0;
};

}  // namespace weft::sync
