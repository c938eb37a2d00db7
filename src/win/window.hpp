// A window: memory of each member that the others put to, get from and change, without the member's help.
//
// Members tell each other of theirs once, by cards, which whoever makes a window passes around. From then on each holds
// the places of all, and what one does at another is done by itself: its loads and stores or the kernel's copies for
// data, the locks and flags of the other's block (line.hpp) for order. Errors are results here; the front end has the
// words.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "job/notes.hpp"
#include "lock/shared.hpp"
#include "win/attached.hpp"
#include "win/far.hpp"
#include "win/held.hpp"
#include "win/member.hpp"
#include "win/moving.hpp"

namespace weft::win {

/// What a member tells of its part. Nobody believes it.
struct Card {
  std::int32_t pe = 0;
  std::uint32_t wants = 0;  // the front end's own, that all are to agree on
  std::uint64_t line = 0;   // in its own area, and one more; 0: it has no memory for a part
  std::uint64_t bytes = 0;
  std::int64_t unit = 1;
  std::uint64_t address = 0;  // as it has it itself
  Held held;
  transport::RegionKey key;  // of its memory, for members of other nodes
  LockBy lock_by = LockBy::kHome;
  bool reaches_all = false;       // it has reached the memory of all members of its node before
  transport::RegionKey lock_key;  // of its Moving
};

/// The access epoch that this process is in, beside the members that it has locked one by one.
enum class Access : std::uint8_t {
  kNone,
  kFence,      // a fence has begun one, if anything follows
  kFenceUsed,  // something has followed
  kStarted,    // of a group
  kLockAll,
};

/// Why a call of synchronisation cannot be.
enum class Mistake : std::uint8_t {
  kNone,
  kFenced,        // within an epoch that a fence has begun
  kStarted,       // within one that a start has begun
  kLocked,        // some members are locked
  kAllLocked,     // all are
  kHeld,          // this one is locked by this process already
  kNotLocked,     // it is not
  kNotAllLocked,  // lock_all was not called
  kNotStarted,
  kPosted,  // exposed already
  kNotPosted,
};

class Window {
 public:
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() { close(); }

  /// This PE's block and its place, for the card, with so many bytes for its part behind that, if any. False: there is
  /// no memory. All that takes some has it then.
  bool open_line(int members, LockBy lock_by = LockBy::kHome, std::uint64_t part = 0) noexcept;
  void* part_of_block() const noexcept;
  /// What of that the card has to tell.
  void show_lock(Card* card, int members) noexcept;
  /// When the members have met: what all have asked for.
  LockBy lock_by() const noexcept { return lock_by_; }
  std::uint64_t line_place() const noexcept;
  /// Lets members of other nodes reach this process's part. False: the network cannot.
  bool lend_own(const void* at, std::uint64_t bytes, transport::RegionKey* key) noexcept;
  /// Who is in it, as they have told. -1: all is well; else the member whose card is none.
  int meet(const std::vector<Card>& cards, int me) noexcept;
  /// All members have met for the last time.
  void close() noexcept;

  /// In safe mode, before the members meet: accesses to this process's part are written down (ledger.hpp).
  void keep_ledger() noexcept;
  /// Fences so far: the same number for all members.
  std::uint32_t fences() const noexcept { return fences_; }
  /// Behind which of them the access epoch is; 0: it is of another kind.
  std::uint32_t fence_of_epoch() const noexcept {
    return access() == Access::kFence || access() == Access::kFenceUsed ? fences_ : 0;
  }

  /// What people call it, as far as there is room.
  void set_label(const char* label) noexcept;

  /// The same for all members, and never that of another window that there is.
  std::uint64_t number() const noexcept { return members_.common().number; }
  int size() const noexcept { return members_.size(); }
  int me() const noexcept { return me_; }
  Member& member(int rank) noexcept { return members_[rank]; }
  Line& own_line() noexcept { return *line_; }
  /// There is memory that this process does not reach by itself, or may be attached.
  bool needs_help(bool attaches) const noexcept;
  Access access() const noexcept { return access_.load(std::memory_order_relaxed); }
  bool is_exposed() const noexcept { return is_exposed_; }

  /// The member may be accessed now. Under lock_all its lock is taken when this is asked first.
  bool is_open(Member& member) noexcept {
    // Acquire: another thread may have taken the lock.
    return std::atomic_ref(member.open_in).load(std::memory_order_acquire) == epoch_ || open_slowly(member);
  }
  /// Nobody else accesses the member until this process gives its lock back: by rule of the lock, and no other thread
  /// of this process makes calls meanwhile.
  bool is_alone_at(const Member& member) const noexcept { return member.holds == Holds::kExclusive && !has_threads_; }
  /// The program has learned where members of the node have their parts, and may load and store there, which nobody
  /// sees begin: lock_all takes their locks at once, also that which it is in.
  void expect_loads() noexcept;
  /// Before open_line(): no two threads of the process make calls at a time.
  void expect_one_thread() noexcept { has_threads_ = false; }
  /// And this: memory may come to it later.
  void expect_attached() noexcept { attaching_ = std::make_unique<Attaching>(); }
  /// Everything this process has put is visible to who synchronises with it behind this, and what it has got is here.
  void complete() noexcept {
    finish();
    synchronise();
  }
  /// The same where a change of a word that others look at follows, which is ordered itself.
  void finish() noexcept {
    if (spans_) [[unlikely]] {
      finish_far(spanning_->under_way);
    }
  }
  /// And what others were told of locks and flags has come there: before the members meet to end the window.
  void finish_for_good() noexcept;
  static void synchronise() noexcept {
    // seq_cst: loads of what others have written are behind it too, as after MPI_Win_flush.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  /// It has members on several nodes.
  bool spans_nodes() const noexcept { return spans_; }
  /// Then.
  UnderWay& under_way() noexcept { return spanning_->under_way; }

  // Each by the calls of the same names. check: nobody else holds what is conflicting, as the program says.
  Mistake lock(Member& member, lock::Mode mode, bool check) noexcept {
    return check && lock_simply(member, mode) ? Mistake::kNone : lock_in_full(member, mode, check);
  }
  Mistake unlock(Member& member) noexcept { return unlock_simply(member) ? Mistake::kNone : unlock_in_full(member); }
  /// The commonest of both, in short. False: it is another case, and nothing has been done.
  [[gnu::always_inline]] bool lock_simply(Member& member, lock::Mode mode) noexcept;
  [[gnu::always_inline]] bool unlock_simply(Member& member) noexcept;
  Mistake lock_all(bool check) noexcept;
  Mistake unlock_all() noexcept;
  Mistake may_flush(const Member& member) const noexcept;
  Mistake may_flush_all() const noexcept;
  /// Before the members meet, which orders what they have done; else synchronise() does. ends: no epoch follows.
  Mistake fence(bool ends) noexcept;
  Mistake start(const int* ranks, int count) noexcept;
  Mistake complete_started() noexcept;
  Mistake post(const int* ranks, int count) noexcept;
  /// Until all that were let in have completed; or whether they have.
  Mistake wait() noexcept;
  Mistake test(bool* is_over) noexcept;
  /// No epoch is open, so it may be freed.
  Mistake may_end() const noexcept;

  /// Memory that comes to the window later, and goes.
  Attached::Outcome attach(const void* at, std::uint64_t bytes) noexcept;
  Attached::Outcome detach(const void* at) noexcept;
  /// A range of a member's addresses, which it has attached in one piece. False: it has not.
  bool find_attached(int rank, std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept;

  // What handlers of messages ask for, about this process's own part (far_home.cpp).
  /// Where such a range of its addresses is, if it is all in the window.
  bool find_own(std::uint64_t address, std::uint64_t bytes, Spot* spot) noexcept;
  bool find_own_key(std::uint64_t address, std::uint64_t bytes, Far* far) noexcept;
  /// Of the pair with that member.
  void raise_own_flag(std::uint32_t origin, bool posted) noexcept;

 private:
  [[gnu::cold]] void lock_behind(Member& member, lock::Mode mode, std::uint32_t position) noexcept;
  [[gnu::always_inline]] void begin_at(Member& member, lock::Mode mode) noexcept;
  [[gnu::cold]] void look_with_lock(Member& member, lock::Mode mode) noexcept;
  void note_simply(Member& member, lock::Mode mode) noexcept;
  Mistake lock_in_full(Member& member, lock::Mode mode, bool check) noexcept;
  Mistake unlock_in_full(Member& member) noexcept;
  bool open_slowly(Member& member) noexcept;
  void look_at_rule(Member& member, bool has_lock) const noexcept;
  void settle_rule(Member& member, bool holds_alone) noexcept;
  bool meet_locks(const std::vector<Card>& cards) noexcept;
  void lock_beyond(Member& member, lock::Mode mode) noexcept;
  void let_go_beyond(Member& member, lock::Mode mode) noexcept;
  void let_go(Member& member, lock::Mode mode) noexcept;
  int note_lock(const Member& member, lock::Mode mode, std::uintptr_t what = 0) const noexcept;
  // What job/notes.hpp is to know it by.
  static std::uintptr_t told_as(const Member& member, lock::Mode mode) noexcept {
    static_assert(alignof(Member) > 1);
    return reinterpret_cast<std::uintptr_t>(&member) | (mode == lock::Mode::kExclusive ? 1 : 0);
  }
  void lock_late(Member& member) noexcept;
  void lock_for_loads() noexcept;
  void unlock_late(Member& member) noexcept;
  Mistake in_epoch() const noexcept;
  bool holds_any() const noexcept;
  bool all_have_completed() noexcept;
  void await_post(Member& member) noexcept;
  static void tell(Line& line, std::atomic<std::uint32_t>& flag) noexcept;
  void tell_member(Member& member, bool posted) noexcept;
  UnderWay& will_tell(const Member& member) noexcept;

  // What few windows need, and each has when it does.
  struct Spanning {  // members of other nodes
    MovingLock moving;
    transport::RegionKey own_key;
    UnderWay under_way;
    std::vector<Beyond> beyond;
    std::vector<Unanswered::Left> long_changes;  // by rank
  };
  struct Threads {  // that make calls at a time
    explicit Threads(int members) : opening(static_cast<std::size_t>(members)) {}
    std::mutex locking;
    std::vector<std::mutex> opening;  // a member, by rank
  };
  struct Attaching {
    std::mutex mutex;  // of what follows
    Attached own;
    std::vector<Attached> of;  // the others, as this process has last seen it
  };
  struct Group {
    std::vector<int> ranks;
    struct Of {
      std::uint32_t counted = 0;  // of its flags
      bool is_in = false;
    };
    std::vector<Of> of;  // by rank
  };
  Spanning& spanning() noexcept;
  void begin_group(std::unique_ptr<Group>& group, const int* ranks, int count) const noexcept;
  void begin_epoch() noexcept;

  MemberList members_;
  int me_ = 0;
  Line* line_ = nullptr;
  std::unique_ptr<Spanning> spanning_;
  std::unique_ptr<Threads> threads_;
  std::unique_ptr<Attaching> attaching_;
  std::unique_ptr<Group> started_;  // of the access epoch; flags: posts for this process
  std::unique_ptr<Group> let_in_;   // by its post; flags: their completions here
  void* ledger_ = nullptr;
  std::vector<int> locked_;  // ranks under lock_all, in that order
  int noted_ = -1;           // where job/notes.hpp has the last one's lock
  std::uint32_t epoch_ = 1;
  std::uint32_t fences_ = 0;
  LockBy lock_by_ = LockBy::kHome;
  std::atomic<Access> access_ = Access::kNone;
  bool spans_ = false;
  bool is_unchecked_ = false;  // lock_all was told that nobody else locks
  bool is_exposed_ = false;
  bool is_loaded_ = false;  // see expect_loads()
  bool has_threads_ = true;
  bool is_simple_ = false;  // all members are here, locks stay at home, and one thread makes calls
};

inline void Window::begin_at(Member& member, lock::Mode mode) noexcept {
  // Relaxed: as in look_at_rule().
  member.is_by_lock.store(false, std::memory_order_relaxed);
  if (has_long_rows(member.line->rule)) [[unlikely]] {  // without such nothing is by the lock for elements
    look_with_lock(member, mode);
  }
  member.open_in = epoch_;
  member.holds = mode == lock::Mode::kShared ? Holds::kShared : Holds::kExclusive;
  if (job::note_again(told_as(member, mode), number())) [[likely]] {
    member.noted = 0;
  } else {
    note_simply(member, mode);
  }
}

inline bool Window::lock_simply(Member& member, lock::Mode mode) noexcept {
  if (!is_simple_ || access() != Access::kNone || member.holds != Holds::kNothing) [[unlikely]] {
    return false;
  }
  // Who shares the lock cannot settle anything in it.
  if (mode == lock::Mode::kShared && has_long_rows(member.line->rule)) [[unlikely]] {
    return false;
  }
  const lock::Turn turn = lock::take_or_queue(member.line->lock, mode, job::node().me);
  if (!turn.is_inside) [[unlikely]] {
    lock_behind(member, mode, turn.position);
    return true;
  }
  begin_at(member, mode);
  return true;
}

inline bool Window::unlock_simply(Member& member) noexcept {
  const Holds held = member.holds;
  if (!is_simple_ || access() != Access::kNone || (held != Holds::kShared && held != Holds::kExclusive)) [[unlikely]] {
    return false;
  }
  member.holds = Holds::kNothing;
  member.open_in = 0;
  job::note_released_of_window(std::exchange(member.noted, std::int8_t{-1}));
  lock::leave(member.line->lock, held == Holds::kShared ? lock::Mode::kShared : lock::Mode::kExclusive);
  return true;
}

}  // namespace weft::win
