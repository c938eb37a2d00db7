#include "rma/target.hpp"

namespace weft::rma {

constinit transport::Pending g_pending{};

namespace {

// As that PE's card says; cards were checked and stay until the job is over.
transport::Remote in(int region, std::uint64_t offset, int pe) noexcept {
  const boot::PeerCard& card = *boot::peer_card(job::node().job, pe);
  return {pe, {card.keys[region], card.bases[region]}, offset};
}

}  // namespace

transport::Remote in_heap(std::uint64_t offset, int pe) noexcept { return in(boot::PeerCard::kHeap, offset, pe); }

transport::Remote remote(const void* address, int pe) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const memory::Space& space = job::node().space;
  if (space.heap().holds(at)) {
    return in_heap(at - space.heap().lo, pe);
  }
  return in(boot::PeerCard::kStatics, at - space.statics().lo, pe);
}

void wait_for_network(const transport::Pending& pending) noexcept {
  job::Node& here = job::node();
  transport::Pending::Earlier earlier(pending);
  sync::wait(here.patience, here.value_bell(here.local), nullptr, sync::WaitNote(), [&] { return earlier.done(); });
}

}  // namespace weft::rma
