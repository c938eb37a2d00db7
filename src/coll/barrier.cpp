#include "coll/barrier.hpp"

#include <algorithm>

#include "coll/request.hpp"
#include "rma/node.hpp"

namespace weft::coll {
namespace {

constexpr std::uint64_t kLongNapNs = 1'000'000'000;

// While a job starts or ends, PEs that have nothing to do should leave the processors to those that still come and go.
constexpr std::uint64_t kSleepSoonNs = 100'000;

void meet(rma::Team& team, const sync::Patience& patience, boot::Waiting why) noexcept {
  // PEs that sleep in a wait for a value may be waiting for what this one has put just before. The barrier's own
  // read-modify-write comes after this look, so a sleeper that arrives in between is found by its next nap.
  rma::wake_sleepers();
  // A PE whose barriers are always quick would otherwise never do its part.
  (void)progress();
  team.barrier.arrive_and_wait(patience, rma::node().note(why));
}

}  // namespace

sync::Patience patience() noexcept {
  sync::Patience patience = rma::node().patience;
  patience.shortest_nap_ns = patience.longest_nap_ns = kLongNapNs;
  return patience;
}

void barrier(boot::Waiting why) noexcept {
  sync::Patience patient = patience();
  if (rma::node().crowded && why != boot::Waiting::kBarrier) {
    patient.sleep_after_ns = std::min(patient.sleep_after_ns, kSleepSoonNs);
  }
  meet(rma::world(), patient, why);
}

void team_barrier(rma::Team& team) noexcept {
  // A team of all: each PE is needed, so one that has gone ends the job at once.
  const bool all = team.members.size == rma::node().n_pes;
  meet(team, patience(), all ? boot::Waiting::kBarrier : boot::Waiting::kTeam);
}

}  // namespace weft::coll
