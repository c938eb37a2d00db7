#include "transport/ofi/beats.hpp"

#include <chrono>
#include <cstdio>

#include "transport/ofi/ofi.hpp"

namespace weft::transport::ofi {
namespace {

std::uint64_t now_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

// Under oshrun its agents watch each other's hosts, also while a debugger has stopped the PEs.
void Ofi::begin_beats() noexcept {
  const Turn turn(*this);
  if (setup_.job->launcher_pid <= 0) {
    beats_.begin(setup_.timeout, now_ns());
  }
}

int Ofi::first_of_node(std::uint32_t node) const noexcept {
  for (int pe = 0; pe < static_cast<int>(setup_.job->job_pes); ++pe) {
    const boot::PeerCard& card = *boot::peer_card(setup_.job, pe);
    if (card.node == node && card.local == 0 && card.address_bytes != 0) {
      return pe;
    }
  }
  return -1;
}

// Cards are known when the network first goes on. Who is not the first of its node has nothing to do with it.
void Ofi::look_at_beats() noexcept {
  if (beats_to_ < 0) {
    const boot::PeerCard& own = *boot::peer_card(setup_.job, setup_.me);
    beats_to_ = own.local == 0 ? first_of_node((own.node + 1) % setup_.job->n_nodes) : -1;
    if (beats_to_ < 0 || beats_to_ == setup_.me) {
      beats_to_ = -1;
      beats_.end();
      return;
    }
  }
  const Beats::Due due = beats_.look(now_ns());
  // One that there is no room for is left out: so much is on its way then.
  if (due.beat) {
    (void)send(beats_to_, frame_of(What::kBeat, {}), nullptr, kForAnswers);
  }
  if (due.is_silent) {
    char why[64];
    (void)std::snprintf(why, sizeof why, "it has said nothing for %d s", setup_.timeout);
    setup_.failed("contact", beats_from_, why);
  }
}

void Ofi::beat_is_here(int from) noexcept {
  beats_from_ = from;
  beats_.heard(now_ns());
}

}  // namespace weft::transport::ofi
