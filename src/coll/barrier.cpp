#include "coll/barrier.hpp"

#include <algorithm>

#include "rma/node.hpp"
#include "sync/barrier.hpp"

namespace weft::coll {
namespace {

sync::Barrier g_barrier;

// Everybody who opens a barrier rings for its sleepers after a full fence, so no sleep needs to end by itself.
constexpr std::uint64_t kLongNapNs = 1'000'000'000;

// While a job starts or ends, PEs that have nothing to do should leave the processors to those that still come and go.
constexpr std::uint64_t kSleepSoonNs = 100'000;

sync::Patience patience_of(const rma::Node& node, boot::Waiting why) noexcept {
  sync::Patience patience = node.patience;
  patience.shortest_nap_ns = patience.longest_nap_ns = kLongNapNs;
  if (node.crowded && why != boot::Waiting::kBarrier) {
    patience.sleep_after_ns = std::min(patience.sleep_after_ns, kSleepSoonNs);
  }
  return patience;
}

}  // namespace

void set_up_barrier() noexcept {
  const rma::Node& node = rma::node();
  rma::SharedPe& first = rma::shared_pe(node.job, 0);
  const sync::BarrierShared shared{&rma::shared_head(node.job).gate, reinterpret_cast<std::byte*>(&first.barrier),
                                   reinterpret_cast<std::byte*>(&first.barrier_bell), boot::kSyncBytesPerPe};
  g_barrier = sync::Barrier(shared, node.me, node.n_pes, node.crowded);
}

void barrier(boot::Waiting why) noexcept {
  // PEs that sleep in a wait for a value may be waiting for what this one has put just before. The barrier's own
  // read-modify-write comes after this look, so a sleeper that arrives in between is found by its next nap.
  rma::wake_sleepers();
  const rma::Node& node = rma::node();
  g_barrier.arrive_and_wait(patience_of(node, why), node.note(why));
}

}  // namespace weft::coll
