// The cards of all PEs through a process manager's store: a node's are put by its first PE, together, and read by the
// first PEs of the others.
#pragma once

#include "base/result.hpp"
#include "boot/job.hpp"
#include "pmi/manager.hpp"

namespace weft::pmi {

/// As boot::exchange_cards, of the PE that is number `local` on its node.
base::Result<void> exchange_cards(Manager& manager, boot::JobHeader* job, int pe, int local,
                                  const boot::PeerCard& mine) noexcept;

}  // namespace weft::pmi
