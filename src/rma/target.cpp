#include "rma/target.hpp"

namespace weft::rma {

constinit transport::Pending g_pending{};

transport::Remote remote(const void* address, int pe) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const memory::Space& space = job::node().space;
  if (space.heap().holds(at)) {
    return {pe, transport::Region::kHeap, at - space.heap().lo};
  }
  return {pe, transport::Region::kStatics, at - space.statics().lo};
}

void wait_for_network(const transport::Pending& pending) noexcept {
  job::Node& here = job::node();
  transport::Pending::Earlier earlier(pending);
  sync::wait(here.patience, here.value_bell(here.local), nullptr, sync::WaitNote(), [&] { return earlier.done(); });
}

}  // namespace weft::rma
