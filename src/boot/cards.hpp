// How the PEs of a job of several nodes learn of each other: each gives its card, and all get the cards of all.
#pragma once

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::boot {

/// PE `pe` of the job gives `mine` to all others and waits until their cards are in the table (peer_card) of this node.
/// Who and where it is in `mine` does not count: the table has that. Each shmem_init does so once; the next round must
/// begin after a barrier of all PEs, which shmem_finalize has. The wait is described in the PE's record, so a PE that
/// never comes, or ends, is noticed as in any other wait. An error: the launcher has gone.
base::Result<void> exchange_cards(JobHeader* job, int pe, const PeerCard& mine) noexcept;

}  // namespace weft::boot
