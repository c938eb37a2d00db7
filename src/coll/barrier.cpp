#include "coll/barrier.hpp"

#include <algorithm>

#include "coll/request.hpp"
#include "rma/node.hpp"

namespace weft::coll {
namespace {

// Who waits for a post() may miss its ring (sync/doorbell.hpp), rarely; it then wakes by itself a part of its wait
// late.
constexpr std::uint64_t kLongestNapNs = 100'000'000;

// While a job starts or ends, PEs that have nothing to do should leave the processors to those that still come and go.
constexpr std::uint64_t kSleepSoonNs = 100'000;

void meet(rma::Team& team, boot::Waiting why) noexcept {
  team.barrier.arrive();
  // PEs that sleep in a wait for a value may be waiting for what this one has put just before. A sleeper that arrives
  // after this look is found by its next nap.
  rma::wake_sleepers();
  // A PE whose barriers are always quick would otherwise never do its part.
  (void)progress();
  sync::Patience patient = patience();
  if (rma::node().crowded && (why == boot::Waiting::kInit || why == boot::Waiting::kFinalize)) {
    patient.sleep_after_ns = std::min(patient.sleep_after_ns, kSleepSoonNs);
  }
  team.barrier.wait(patient, rma::node().note(why));
}

}  // namespace

sync::Patience patience() noexcept {
  sync::Patience patience = rma::node().patience;
  patience.longest_nap_ns = kLongestNapNs;
  return patience;
}

void barrier(boot::Waiting why) noexcept { meet(rma::world(), why); }

void team_barrier(rma::Team& team) noexcept {
  // A team of all: each PE is needed, so one that has gone ends the job at once.
  const bool all = team.members.size == rma::node().n_pes;
  meet(team, all ? boot::Waiting::kBarrier : boot::Waiting::kTeam);
}

}  // namespace weft::coll
