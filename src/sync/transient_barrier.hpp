// Barrier on words that are all zero before and after it: the pSync array of a call on an active set.
//
// The words carry no history, so each is a count that its owner takes back. A member that is one barrier ahead adds
// before the owner has taken the last one away; the count then is 2, and nothing is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sync/barrier.hpp"
#include "sync/waiter.hpp"

namespace weft::sync {

struct TransientFlags {
  // Two to a cache line: a pSync array has 1024 bytes for everything.
  struct alignas(32) Count {
    std::atomic<std::uint32_t> value;
  };
  Count round[kMaxRounds];
  alignas(64) std::atomic<std::uint32_t> arrived;  // used in member 0's only
  std::atomic<std::uint32_t> released;
};
static_assert(sizeof(TransientFlags) == 32 * kMaxRounds + 64 && std::is_standard_layout_v<TransientFlags>);

class TransientBarrier {
 public:
  /// Members' flags lie flags_stride bytes apart, their bells bell_stride; or those of places do, as in BarrierShared.
  struct Shared {
    std::byte* flags = nullptr;
    std::ptrdiff_t flags_stride = 0;
    std::byte* bells = nullptr;
    std::ptrdiff_t bell_stride = 0;
    const int* places = nullptr;
  };
  TransientBarrier() = default;
  TransientBarrier(const Shared& shared, int me, int n, BarrierKind kind) noexcept
      : shared_(shared), me_(me), n_(n), kind_(kind) {}

  /// As Barrier's.
  void arrive_and_wait(const Patience& patience, const WaitNote& note) noexcept;
  /// The same, all through member 0, in which it says something to all: what `word` returns there when they have
  /// arrived. Not the largest number.
  template <class Word>
  std::uint32_t arrive_and_hear(const Patience& patience, const WaitNote& note, Word&& word) noexcept {
    if (me_ != 0) {
      give(flags(0).arrived, 0);
      return hear(patience, note);
    }
    await_all(patience, note);
    const std::uint32_t said = word();
    say(said);
    return said;
  }

 private:
  void through_the_gate(const Patience& patience, const WaitNote& note) noexcept;
  void by_rounds(const Patience& patience, const WaitNote& note) noexcept;
  void await_all(const Patience& patience, const WaitNote& note) noexcept;
  void say(std::uint32_t word) noexcept;
  std::uint32_t hear(const Patience& patience, const WaitNote& note) noexcept;
  void give(std::atomic<std::uint32_t>& count, int member, std::uint32_t amount = 1) noexcept;
  void take(std::atomic<std::uint32_t>& count, const Patience& patience, const WaitNote& note) noexcept;
  int place(int member) const noexcept { return shared_.places == nullptr ? member : shared_.places[member]; }
  TransientFlags& flags(int member) const noexcept {
    return *reinterpret_cast<TransientFlags*>(shared_.flags + place(member) * shared_.flags_stride);
  }
  Doorbell& bell(int member) const noexcept {
    return *reinterpret_cast<Doorbell*>(shared_.bells + place(member) * shared_.bell_stride);
  }

  Shared shared_;
  int me_ = 0;
  int n_ = 1;
  BarrierKind kind_ = BarrierKind::kDissemination;
};

}  // namespace weft::sync
