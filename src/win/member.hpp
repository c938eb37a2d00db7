// A member of a window, as another one reaches it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "lock/readers.hpp"
#include "transport/transport.hpp"
#include "win/line.hpp"

namespace weft::win {

/// How a member's memory is reached.
enum class Way : std::uint8_t {
  kMapped,   // by loads and stores: every member of the node has it mapped
  kCopied,   // it is the member's alone: by copies that the kernel makes (room reach)
  kNetwork,  // it is on another node
};

/// What this process holds of a member's lock.
enum class Holds : std::uint8_t { kNothing, kShared, kExclusive, kUnchecked };

/// Who takes a member's lock for those of other nodes: the member's process; else it migrates, by the policy of
/// lock/policy.hpp or back at each first use, or stays with the network.
enum class LockBy : std::uint8_t { kHome, kMigrating, kAlways, kNetwork };

struct Moving;

/// Memory of another node's member, as the network reaches it.
struct Far {
  transport::RegionKey key;
  std::uint64_t base = 0;               // the address at which what is lent begins
  transport::Pending* moves = nullptr;  // counts what is under way there
};

/// A place in a member's memory.
struct Spot {
  std::byte* at = nullptr;  // where loads and stores reach it; else its address in the member
  Way way = Way::kMapped;
  const Far* far = nullptr;  // kNetwork
};

struct Member {
  Line* line = nullptr;       // null: on another node
  std::byte* base = nullptr;  // as `Spot::at`
  std::uint64_t bytes = 0;
  std::int64_t unit = 1;
  int pe = 0;
  int number = 0;  // on the node; -1: on another one
  Way way = Way::kMapped;
  Holds holds = Holds::kNothing;
  /// The access epoch that it was last open in; 0: in none.
  std::uint64_t open_in = 0;
  // In this epoch its elements are changed under its lock for them (rule.hpp). Threads that open it at a time find the
  // same.
  std::atomic<bool> is_by_lock = false;
  // Relaxed: looked at behind is_open().
  bool goes_by_lock() const noexcept { return is_by_lock.load(std::memory_order_relaxed); }
  /// Rows of it have been changed by instructions that are long enough for loops to be better; so many bytes.
  std::atomic<bool> has_long_rows = false;
  std::atomic<std::uint64_t> row_bytes = 0;
  // Flags that were counted here: its posts for this one, and its completions at this one.
  std::uint32_t posts = 0;
  std::uint32_t completions = 0;
  const char* window = "";          // what people call the window
  std::uint64_t window_number = 0;  // and as all members know it
  int rank = 0;                     // in it
  int noted = -1;                   // where job/notes.hpp has its lock, while it is held
  bool is_started = false;          // in the group of the access epoch
  // Under lock_all: threads that use it first at a time, and the member that this process has locked before it.
  std::mutex opening;
  Member* locked_before = nullptr;
  // Of another node.
  std::uint64_t line_place = 0;  // its line's, in its own area
  // Of a lock that migrates; null: on another node.
  Moving* moving = nullptr;
  transport::RegionKey lock_key;
  Far far;
};

}  // namespace weft::win
