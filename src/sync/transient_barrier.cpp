#include "sync/transient_barrier.hpp"

#include "sync/uncrowded.hpp"

namespace weft::sync {

void TransientBarrier::arrive_and_wait(const Patience& patience, const WaitNote& note) noexcept {
  if (n_ == 1) {
    return;
  }
  if (kind_ == BarrierKind::kGate) {
    through_the_gate(patience, note);
  } else {
    by_rounds(patience, note);
  }
}

void TransientBarrier::give(std::atomic<std::uint32_t>& count, int member, std::uint32_t amount) noexcept {
  // seq_cst: release for the data, and the full fence ring() asks for.
  count.fetch_add(amount, std::memory_order_seq_cst);
  ring(bell(member));
}

void TransientBarrier::take(std::atomic<std::uint32_t>& count, const Patience& patience,
                            const WaitNote& note) noexcept {
  // Acquire: what the giver did before is visible after.
  wait_uncrowded(patience, bell(me_), nullptr, note, [&] { return count.load(std::memory_order_acquire) > 0; });
  // Relaxed: a read-modify-write goes on with the release sequence of a giver that is one barrier ahead.
  count.fetch_sub(1, std::memory_order_relaxed);
}

void TransientBarrier::through_the_gate(const Patience& patience, const WaitNote& note) noexcept {
  std::atomic<std::uint32_t>& arrived = flags(0).arrived;
  // acq_rel: publishes this member's work and, for the last one, collects everybody's before it lets them go.
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(n_)) {
    take(flags(me_).released, patience, note);
    return;
  }
  // Relaxed: nobody counts again before having been released, which comes after.
  arrived.store(0, std::memory_order_relaxed);
  for (int member = 0; member < n_; ++member) {
    if (member != me_) {
      give(flags(member).released, member);
    }
  }
}

void TransientBarrier::await_all(const Patience& patience, const WaitNote& note) noexcept {
  std::atomic<std::uint32_t>& arrived = flags(0).arrived;
  // Acquire: what all did before they arrived is visible after.
  wait_uncrowded(patience, bell(0), nullptr, note,
                 [&] { return arrived.load(std::memory_order_acquire) + 1 == static_cast<std::uint32_t>(n_); });
  // Relaxed: nobody counts again before having been told, which comes after.
  arrived.store(0, std::memory_order_relaxed);
}

// One more than the word, so that it is not 0. Who is told has taken what it was told before: it has arrived since.
void TransientBarrier::say(std::uint32_t word) noexcept {
  for (int member = 1; member < n_; ++member) {
    give(flags(member).released, member, word + 1);
  }
}

std::uint32_t TransientBarrier::hear(const Patience& patience, const WaitNote& note) noexcept {
  std::atomic<std::uint32_t>& told = flags(me_).released;
  // Acquire: what all did before they arrived is visible after.
  wait_uncrowded(patience, bell(me_), nullptr, note, [&] { return told.load(std::memory_order_acquire) != 0; });
  const std::uint32_t word = told.load(std::memory_order_relaxed) - 1;  // acquired above
  // Relaxed: member 0 says nothing more before this one has arrived again.
  told.store(0, std::memory_order_relaxed);
  return word;
}

void TransientBarrier::by_rounds(const Patience& patience, const WaitNote& note) noexcept {
  int round = 0;
  for (int distance = 1; distance < n_; distance *= 2, ++round) {
    const int to = me_ + distance < n_ ? me_ + distance : me_ + distance - n_;
    give(flags(to).round[round].value, to);
    take(flags(me_).round[round].value, patience, note);
  }
}

}  // namespace weft::sync
