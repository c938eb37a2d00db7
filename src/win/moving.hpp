// Locks of a window over several nodes that migrate between the processors of a member's node and the network
// (lock/migrating.hpp), in the place of the one that the member's process takes for others (far.hpp): for networks that
// carry out atomic operations themselves.
#pragma once

#include <atomic>
#include <cstdint>

#include "lock/agent.hpp"
#include "lock/mode.hpp"
#include "win/member.hpp"

namespace weft::win {

/// Behind the flags of a member's block, lent to the network; zero at first.
struct Moving {
  lock::LockHead head;
  std::atomic<std::uint64_t> key;
  lock::LockWords words;
};

/// This process's own. It does not move while it is open.
class MovingLock {
 public:
  /// False: the network does not reach it.
  bool lend(Moving* words) noexcept;
  const transport::RegionKey& key() const noexcept { return key_; }
  /// From here on others may take it. False: no memory.
  bool open(LockBy by) noexcept;
  /// Nobody uses it any more.
  void close() noexcept;

 private:
  Moving* words_ = nullptr;
  transport::RegionKey key_;
  lock::LockAgent agent_;
  bool is_open_ = false;
};

/// `pending` counts what others have still to see.
void lock_moving(const Member& member, LockBy by, lock::Mode mode, transport::Pending& pending) noexcept;
void unlock_moving(const Member& member, LockBy by, lock::Mode mode, transport::Pending& pending) noexcept;

}  // namespace weft::win
