#include "coll/across/messages.hpp"

#include "job/node.hpp"

namespace weft::coll::across {

// The network rings this bell, as it does for waits for values.
void Messages::wait() noexcept {
  if (!pending_.done()) {
    const job::Node& node = job::node();
    sync::wait(node.patience, node.value_bell(node.local), nullptr, note_, [this] { return pending_.done(); });
  }
}

}  // namespace weft::coll::across
