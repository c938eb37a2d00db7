#include "coll/barrier.hpp"

#include "rma/node.hpp"
#include "sync/barrier.hpp"

namespace weft::coll {
namespace {

sync::Barrier g_barrier;

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
  g_barrier.arrive_and_wait(node.patience, node.note(why));
}

}  // namespace weft::coll
