#include "coll/across/messages.hpp"

#include <algorithm>

#include "job/node.hpp"

namespace weft::coll::across {
namespace {

// Looks at the network before the first yield, of half a microsecond each: some round trips of a fast network. Above
// that the processor may be somebody else's.
constexpr std::uint32_t kLooks = 100;

}  // namespace

// The network rings this bell, as it does for waits for values.
void Messages::wait() noexcept {
  if (!pending_.done()) {
    const job::Node& node = job::node();
    sync::Patience patience = node.patience;
    if (others_wait_) {
      patience.spins = std::max(patience.spins, kLooks);
    }
    sync::wait(patience, node.value_bell(node.local), nullptr, note_, [this] { return pending_.done(); });
  }
}

}  // namespace weft::coll::across
