#include "sync/barrier.hpp"

namespace weft::sync {
namespace {

// Episodes only grow: whoever looks late may find a later one.
bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t episode) noexcept {
  // Acquire: what the PE that stored it did before is visible after.
  return word.load(std::memory_order_acquire) >= episode;
}

}  // namespace

void Barrier::arrive_and_wait(const Patience& patience, const WaitNote& note) noexcept {
  if (n_ == 1) {
    return;
  }
  ++episode_;
  if (kind_ == BarrierKind::kGate) {
    through_the_gate(patience, note);
  } else {
    by_rounds(patience, note);
  }
}

void Barrier::through_the_gate(const Patience& patience, const WaitNote& note) noexcept {
  BarrierGate& gate = *shared_.gate;
  // acq_rel: publishes this PE's work and, for the last one, collects everybody's before the gate opens.
  if (gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(n_)) {
    // Relaxed: nobody counts again before having seen the gate open.
    gate.arrived.store(0, std::memory_order_relaxed);
    // Release for the work of all; seq_cst exchange so that it is also the fence ring() asks for.
    gate.episode.exchange(episode_, std::memory_order_seq_cst);
    ring(gate.bell);
    return;
  }
  wait(patience, gate.bell, nullptr, note, [&] { return reached(gate.episode, episode_); });
}

void Barrier::by_rounds(const Patience& patience, const WaitNote& note) noexcept {
  BarrierFlags& mine = flags(me_);
  int round = 0;
  for (int distance = 1; distance < n_; distance *= 2, ++round) {
    const int to = me_ + distance < n_ ? me_ + distance : me_ + distance - n_;
    // Exchange, not store: release for the data, and the full fence ring() asks for. On x86 a seq_cst store costs
    // the same.
    flags(to).round[round].episode.exchange(episode_, std::memory_order_seq_cst);
    ring(bell(to));
    const std::atomic<std::uint64_t>& awaited = mine.round[round].episode;
    wait(patience, bell(me_), nullptr, note, [&] { return reached(awaited, episode_); });
  }
}

}  // namespace weft::sync
