// Barrier of the members of a team on one node, on words they share.
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

/// How the members find together. All members of a barrier use the same.
enum class BarrierKind : std::uint8_t { kDissemination, kGate };

/// One cache line each, so that a peer's store disturbs only the waiter it is meant for.
struct alignas(64) BarrierFlag {
  std::atomic<std::uint64_t> episode;
};

struct BarrierFlags {
  BarrierFlag round[kMaxRounds];
};
static_assert(sizeof(BarrierFlags) == 64 * kMaxRounds && std::is_standard_layout_v<BarrierFlags>);

struct BarrierGate {
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) std::atomic<std::uint64_t> episode;
  Doorbell bell;
};
static_assert(sizeof(BarrierGate) == 192 && offsetof(BarrierGate, bell) == 128);

/// What the members share: `gate` once, `flags` and `bells` one for each member, `stride` bytes apart (which may be
/// negative: a team may count its PEs downwards). The pointers are those of member 0. With `places` they are those of
/// place 0, where member k has place places[k]; but for the gate, which is member 0's.
struct BarrierShared {
  BarrierGate* gate = nullptr;
  std::byte* flags = nullptr;
  std::byte* bells = nullptr;
  std::ptrdiff_t stride = 0;
  const int* places = nullptr;
};

class Barrier {
 public:
  Barrier() = default;
  /// Episodes count from `episode` on, which all members agree on and which none of the words has passed yet.
  Barrier(const BarrierShared& shared, int me, int n, BarrierKind kind, std::uint64_t episode = 0) noexcept
      : shared_(shared), me_(me), n_(n), way_(way_of(kind)), episode_(episode) {}

  /// Everything any member did before it arrived is visible to every member after its wait. The order is release on
  /// arrival and acquire on leaving, which is transitive over the rounds; and a full fence, so that this member's own
  /// stores are visible to all when it leaves. Something short may be done between the two calls: the news is on its
  /// way.
  void arrive() noexcept;
  void wait(const Patience& patience, const WaitNote& note) noexcept;

  /// Two of that with a part of member 0's between them, for which all others wait. Through the gate these come once
  /// and are let go once: members that share a processor have it one turn each.
  template <class Meanwhile, class Part>
  void meet_around(const Patience& patience, const WaitNote& note, Meanwhile&& meanwhile, Part&& part) noexcept {
    if (way_ == Way::kGate && n_ > 1) {
      ++episode_;
      if (me_ != 0) {
        count_at_gate();
      }
      meanwhile();
      if (me_ != 0) {
        wait(patience, note);
        return;
      }
      await_others(patience, note);
      part();
      open_gate();
      return;
    }
    arrive();
    meanwhile();
    wait(patience, note);
    if (me_ == 0) {
      part();
    }
    arrive();
    wait(patience, note);
  }

  void set_kind(BarrierKind kind) noexcept { way_ = way_of(kind); }
  /// How many were passed. No word of this member holds more, and none ever goes back.
  std::uint64_t episode() const noexcept { return episode_; }

 private:
  // Told apart here, so that members that are evenly spaced do not pay for the others.
  enum class Way : std::uint8_t { kEvenRounds, kTableRounds, kGate };
  Way way_of(BarrierKind kind) const noexcept {
    return kind == BarrierKind::kGate ? Way::kGate : shared_.places == nullptr ? Way::kEvenRounds : Way::kTableRounds;
  }
  void count_at_gate() noexcept;
  void await_others(const Patience& patience, const WaitNote& note) noexcept;
  void open_gate() noexcept;
  // Not in wait(): what it saves on the stack would be saved also where nobody waits.
  template <Way way>
  [[gnu::noinline]] void by_rounds(const Patience& patience, const WaitNote& note) noexcept;
  int awaits_me(int round) const noexcept;
  template <Way way>
  void tell(int round) noexcept;
  template <Way way>
  std::ptrdiff_t distance(int member) const noexcept {
    if constexpr (way == Way::kTableRounds) {
      member = shared_.places[member];
    }
    return member * shared_.stride;
  }
  template <Way way>
  BarrierFlags& flags(int member) const noexcept {
    return *reinterpret_cast<BarrierFlags*>(shared_.flags + distance<way>(member));
  }
  template <Way way>
  Doorbell& bell(int member) const noexcept {
    return *reinterpret_cast<Doorbell*>(shared_.bells + distance<way>(member));
  }

  BarrierShared shared_;
  int me_ = 0;
  int n_ = 1;
  Way way_ = Way::kEvenRounds;
  std::uint64_t episode_ = 0;
};

}  // namespace weft::sync
