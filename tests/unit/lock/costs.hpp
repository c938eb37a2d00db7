// What acquisitions of a lock that migrates cost, in operations on the network: unit.rma.LockCounts counts them, and
// unit.rma.LockCosts adds them up. An acquisition is shmem_set_lock and shmem_clear_lock, which looks whether the lock
// is held.
#pragma once

namespace weft::test {

// Always through the network, from anywhere: a ticket, the look, the release.
inline constexpr long kAlwaysByNetwork = 3;

inline constexpr long kFirstUse = 1;       // finding the entry: from elsewhere for each PE, from its node for the first
inline constexpr long kNearByNetwork = 1;  // by a PE of the node, while the network serves: a comparison
inline constexpr long kFarByNetwork = 4;   // by one elsewhere: a ticket and who is served, the look, the release
inline constexpr long kFarLeaves = 7;      // while the processors serve: the request, the agent's addition, the shift
inline constexpr long kReturns = 1;        // the agent's addition

}  // namespace weft::test
