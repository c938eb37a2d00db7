// A member of a window, as another one reaches it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "job/node.hpp"
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
  const Far* far = nullptr;  // kNetwork: of what was attached; null: of the member's part
};

/// What there is of a member beside that where some are of other nodes.
struct Beyond {
  std::uint64_t line_place = 0;  // its line's, in its own area
  Far far;
  // Of a lock that migrates; null: on another node.
  Moving* moving = nullptr;
  transport::RegionKey lock_key;
  bool is_told = false;                                // something that it does not answer (far.hpp)
  std::atomic<std::uint32_t>* long_changes = nullptr;  // counts those under way there
};

struct Common;

// A program may have thousands of windows, and each rank as many of these as a window has members: so they are small.
struct Member {
  Line* line = nullptr;       // null: on another node
  std::byte* base = nullptr;  // as `Spot::at`
  std::uint64_t bytes = 0;
  std::int64_t unit = 1;
  /// The access epoch that it was last open in; 0: in none.
  std::uint32_t open_in = 0;
  int pe = 0;
  int rank = 0;  // in the window
  Way way = Way::kMapped;
  Holds holds = Holds::kNothing;
  // In this epoch its elements are changed under its lock for them (rule.hpp). Threads that open it at a time find the
  // same.
  std::atomic<bool> is_by_lock = false;
  std::int8_t noted = -1;  // where job/notes.hpp has its lock, while it is held

  // Relaxed: looked at behind is_open().
  bool goes_by_lock() const noexcept { return is_by_lock.load(std::memory_order_relaxed); }
  bool is_here() const noexcept { return line != nullptr; }
  /// On the node.
  int number() const noexcept { return job::node().here(pe); }
  inline const Common& common() const noexcept;
  inline const Beyond& beyond() const noexcept;
};
static_assert(sizeof(Member) == 48 && boot::kHeldOfWindows <= INT8_MAX);

/// What lies before the members of a window: they have it in common.
struct Common {
  std::uint64_t number = 0;            // of the window, as all members know it
  const Beyond* beyond = nullptr;      // by rank; null: all are of this node
  char label[boot::kLabelBytes] = {};  // what people call the window; ends with a null
};
static_assert(sizeof(Common) % alignof(Member) == 0);

const Common& Member::common() const noexcept { return reinterpret_cast<const Common*>(this - rank)[-1]; }
const Beyond& Member::beyond() const noexcept { return common().beyond[rank]; }

/// By rank.
class MemberList {
 public:
  /// False: there is no memory.
  [[nodiscard]] bool make(int size) noexcept {
    all_.reset(static_cast<Common*>(std::malloc(sizeof(Common) + static_cast<std::size_t>(size) * sizeof(Member))));
    if (all_ == nullptr) {
      return false;
    }
    size_ = size;
    std::construct_at(all_.get());
    std::uninitialized_default_construct_n(begin(), size);
    for (int rank = 0; rank < size; ++rank) {
      (*this)[rank].rank = rank;
    }
    return true;
  }
  int size() const noexcept { return size_; }
  Common& common() noexcept { return *all_; }
  const Common& common() const noexcept { return *all_; }
  Member& operator[](int rank) noexcept { return begin()[rank]; }
  const Member& operator[](int rank) const noexcept { return begin()[rank]; }
  Member* begin() const noexcept { return reinterpret_cast<Member*>(all_.get() + 1); }
  Member* end() const noexcept { return begin() + size_; }

 private:
  struct Free {
    void operator()(Common* all) const noexcept { std::free(all); }
  };
  static_assert(std::is_trivially_destructible_v<Common> && std::is_trivially_destructible_v<Member>);
  std::unique_ptr<Common, Free> all_;
  int size_ = 0;
};

}  // namespace weft::win
