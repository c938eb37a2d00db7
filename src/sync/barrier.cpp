#include "sync/barrier.hpp"

#include "sync/uncrowded.hpp"

namespace weft::sync {
namespace {

// Episodes only grow: whoever looks late may find a later one.
bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t episode) noexcept {
  // Acquire: what the PE that stored it did before is visible after.
  return word.load(std::memory_order_acquire) >= episode;
}

// What programs store past the caches (_mm_stream_si32 and its kin) a release does not order on x86: it is a plain
// store there, and those are in no order with others. Gates count by instructions that wait for all.
void order_streamed() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace

int Barrier::awaits_me(int round) const noexcept {
  const int member = me_ + (1 << round);
  return member < n_ ? member : member - n_;
}

// Release for the data. The full fence comes when the wait begins: this line has to come from the other PE's cache, and
// what is done between arriving and waiting need not wait for that.
template <Barrier::Way way>
void Barrier::tell(int round) noexcept {
  flags<way>(awaits_me(round)).round[round].episode.store(episode_, std::memory_order_release);
}

template <Barrier::Way way>
void Barrier::by_rounds(const Patience& patience, const WaitNote& note) noexcept {
  BarrierFlags& mine = flags<way>(me_);
  for (int round = 0;; ++round) {
    // What ring() asks for, and what makes this member's stores visible to all when it leaves.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ring(bell<way>(awaits_me(round)));
    const std::atomic<std::uint64_t>& awaited = mine.round[round].episode;
    wait_uncrowded(patience, bell<way>(me_), nullptr, note, [&] { return reached(awaited, episode_); });
    if (2 << round >= n_) {
      return;
    }
    tell<way>(round + 1);
  }
}

void Barrier::arrive() noexcept {
  if (n_ == 1) {
    return;
  }
  ++episode_;
  if (way_ == Way::kEvenRounds) {
    order_streamed();
    tell<Way::kEvenRounds>(0);
    return;
  }
  if (way_ == Way::kTableRounds) {
    order_streamed();
    tell<Way::kTableRounds>(0);
    return;
  }
  BarrierGate& gate = *shared_.gate;
  // acq_rel: publishes this PE's work and, for the last one, collects everybody's before the gate opens.
  if (gate.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(n_)) {
    open_gate();
  }
}

void Barrier::open_gate() noexcept {
  BarrierGate& gate = *shared_.gate;
  // Relaxed: nobody counts again before having seen the gate open.
  gate.arrived.store(0, std::memory_order_relaxed);
  // Release for the work of all; seq_cst exchange so that it is also the fence ring() asks for.
  gate.episode.exchange(episode_, std::memory_order_seq_cst);
  ring(gate.bell);
}

void Barrier::count_at_gate() noexcept {
  BarrierGate& gate = *shared_.gate;
  // seq_cst: publishes this PE's work, and is the fence ring() asks for.
  if (gate.arrived.fetch_add(1, std::memory_order_seq_cst) + 2 == static_cast<std::uint32_t>(n_)) {
    ring(gate.bell);
  }
}

void Barrier::await_others(const Patience& patience, const WaitNote& note) noexcept {
  const BarrierGate& gate = *shared_.gate;
  const auto others = static_cast<std::uint32_t>(n_ - 1);
  // Acquire: what the others did before they counted is visible after.
  wait_uncrowded(patience, shared_.gate->bell, nullptr, note,
                 [&] { return gate.arrived.load(std::memory_order_acquire) == others; });
}

void Barrier::wait(const Patience& patience, const WaitNote& note) noexcept {
  if (n_ == 1) {
    return;
  }
  if (way_ == Way::kEvenRounds) {
    by_rounds<Way::kEvenRounds>(patience, note);
  } else if (way_ == Way::kTableRounds) {
    by_rounds<Way::kTableRounds>(patience, note);
  } else {
    const BarrierGate& gate = *shared_.gate;
    wait_uncrowded(patience, shared_.gate->bell, nullptr, note, [&] { return reached(gate.episode, episode_); });
  }
}

}  // namespace weft::sync
