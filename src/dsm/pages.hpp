// The pages of this PE: carries out what the protocol says (protocol/page.hpp).
//
// The program's view of the range is protected page by page; the contents are in this PE's part, which is mapped a
// second time and is what everything here uses: nothing of Weft's own ever faults. A thread that faults does what is to
// be done itself.
//
// Locks, in this order: that of the heartbeat; that of order, which faults share and releases and acquires have alone;
// those of pages, which faults take; those of the network. Handlers of messages take none of the first two, and a
// thread that waits for an answer may hold both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "dsm/batch.hpp"
#include "dsm/owed.hpp"
#include "dsm/pieces.hpp"
#include "dsm/protocol/habits.hpp"
#include "dsm/protocol/marks.hpp"
#include "dsm/protocol/notices.hpp"
#include "dsm/protocol/page.hpp"
#include "dsm/protocol/place.hpp"
#include "dsm/state.hpp"
#include "memory/fault.hpp"

namespace weft::dsm {

/// An atomic operation, for Pages::operate().
class Operation {
 public:
  virtual void carry_out(int home) noexcept = 0;
  /// What is there now.
  virtual void look(int home) noexcept = 0;
  /// What either has found or left there.
  virtual const void* found() const noexcept = 0;

 protected:
  ~Operation() = default;
};

class Pages {
 public:
  /// Null without memory.
  static Pages* make() noexcept;
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// True: the access may be made again. False: it is not to shared memory.
  bool fault(std::uintptr_t at, memory::FaultAccess access, std::uintptr_t instruction) noexcept;
  /// `beat`: of the heartbeat, in the midst of an interval. `owed_to`: who is told by the front end (owed.hpp).
  void release(bool beat = false, int owed_to = kOweNobody) noexcept;
  /// The interval that begins with it is one of that site; 0: the one that runs goes on. `locked`: with a lock.
  void acquire(Site site = 0, bool locked = false) noexcept;
  void begin_interval(Site site) noexcept;
  /// Before the end: nobody has a place of ours to answer to any more.
  void wait_for_pushes() noexcept {
    const std::unique_lock order(order_);  // threads of the program may still release
    pushes_.wait();
  }
  /// Where the page is at home, and stays; who asks becomes it if it has none. Ends the program where nothing is in use
  /// there.
  int home_of(std::uint32_t page) noexcept;
  /// An atomic operation at the home of a word. A copy of it that is here holds its result from then on, and the next
  /// release announces it. `looks`: it changes nothing at home.
  void operate(std::uint64_t offset, std::size_t bytes, Operation& operation, bool looks = false) noexcept;
  /// What this PE has stored there is not at its home yet; or more results are to be announced than are worth keeping.
  bool is_held_back(std::uint64_t offset, std::size_t bytes) noexcept;
  /// These pages are at home here from now on, if nobody else is their home, and may always be written (windows.hpp).
  bool pin(std::uint32_t first, std::uint32_t pages) noexcept;
  bool has_pinned(std::uint32_t first, std::uint32_t pages) noexcept;
  /// The program's view of them is elsewhere now: it gets the access there that they have.
  void move_view(std::uint32_t first, std::uint32_t pages) noexcept;
  /// Safe mode: the program's view of them is closed, whatever else is done with them, until it touches one that is in
  /// use.
  void close_unused(std::uint32_t first, std::uint32_t pages) noexcept;
  /// Pages that others have and that are not here, in a few requests; those in use.
  void prefetch(std::uint32_t first, std::uint32_t pages) noexcept;
  /// Between barriers of all, who all say the same: the pages that are to be at home here come here (of those that are
  /// not already), then nobody has copies and homes are as they say.
  void bring_home(std::uint32_t first, std::uint32_t pages, const Homed& homed) noexcept;
  void settle(std::uint32_t first, std::uint32_t pages, const Homed& homed) noexcept;
  /// Those that have been here, and may come no more when others have ended.
  void bring_dropped() noexcept;
  void set_renewal(std::uint32_t first, std::uint32_t pages, Renewal renewal) noexcept;
  /// All have settled, so nobody fetches from who was home before: he gives that memory back.
  void settled() noexcept;
  /// Is there anything to release or to acquire?
  bool quiet() const noexcept;
  /// The two halves of that, for who may not go on while another thread is at it.
  bool is_released() const noexcept;
  bool is_acquired() const noexcept;
  /// Held by the heartbeat while it does something, and by who changes homes until all PEs have done so.
  std::mutex& beating() noexcept { return beating_; }
  /// How often it has released or acquired.
  std::uint64_t orders() const noexcept { return orders_.load(std::memory_order_relaxed); }
  /// How many pages of others have memory here. 0 where nobody counts them.
  std::uint32_t copies() const noexcept { return n_kept_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kLocks = 256;
  static constexpr std::uint32_t kMostWindow = 64;
  static constexpr std::size_t kMostOperated = 1024;

  Pages() = default;
  class PageLock;

  bool is_here(std::uint64_t offset, const void* value, std::size_t bytes) const noexcept;
  void store_here(std::uint64_t offset, const void* value, std::size_t bytes) noexcept;

  // Faults
  std::uint32_t window(std::uint32_t page, std::uint32_t pages) noexcept;
  std::uint32_t extend(std::uint32_t page, std::uint32_t most) noexcept;
  enum class Tried : std::uint8_t { kDone, kAgain, kFull };  // kFull: there is no room for a copy
  // Where in the program, and in its code: for who is told of it. 0: not known.
  struct Reached {
    std::uintptr_t at;
    std::uintptr_t instruction;
  };
  Tried try_fault(std::uint32_t page, memory::FaultAccess access, const Reached& reached, bool* write) noexcept;
  std::uint32_t settle_home(std::uint32_t page, std::uint32_t pages, bool write,
                            const Reached& reached = {0, 0}) noexcept;
  void open_again(std::uint32_t page, const Reached& reached) noexcept;
  void serve(std::uint32_t first, std::uint32_t pages, bool write) noexcept;
  void make_twin(std::uint32_t page) noexcept;

  // Pages that move (moves.cpp)
  void take_homes() noexcept;
  struct Far {
    std::uint32_t page;
    int home;  // on another node
  };
  void take_from_afar(std::span<const Far> pages) noexcept;
  void take(std::uint32_t page, const std::byte* fresh) noexcept;
  bool notice_move(std::uint32_t page) noexcept;
  std::uint32_t heat(std::uint32_t first, std::uint32_t pages) noexcept;
  void cool(std::uint32_t page) noexcept;
  int fixed_home(std::uint32_t page) noexcept;

  // Room for copies (cache.cpp)
  bool reserve(std::uint32_t first, std::uint32_t* pages) noexcept;
  void keep_no_longer(std::uint32_t page) noexcept;
  void make_room() noexcept;
  void make_memory(std::uint32_t first, std::uint32_t pages) noexcept;
  void evict(std::uint32_t wanted) noexcept;
  void forget(const std::vector<std::uint32_t>& pages) noexcept;
  void let_go(std::vector<std::uint32_t>* gone) noexcept;

  // Order
  bool has_written_nothing() const noexcept;
  bool has_nothing() const noexcept;   // to release
  bool has_seen_all() const noexcept;  // that others have announced
  void release_all(bool beat = false, int owed_to = kOweNobody) noexcept;
  void look_at_marks() noexcept;
  void look_at_believed(bool beat) noexcept;
  void compare_all(bool beat) noexcept;
  void compare_one(std::uint32_t page, bool cooled, Batch& batch) noexcept;
  class AsAnnounced;
  void announce(bool compared = false, int owed_to = kOweNobody) noexcept;
  void tell_node(const std::vector<Run>& runs) noexcept;
  // Copies that others have announced, and those of them that were announced by others than their homes.
  struct Noticed {
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> by_others;
  };
  void gather(Noticed* noticed) noexcept;
  void bring_written_home(const std::vector<std::uint32_t>& written) noexcept;
  void renew(const Noticed& noticed, bool begins) noexcept;
  void merge_from_afar(std::span<const std::uint32_t> pages) noexcept;
  void drop_twins() noexcept;

  // Intervals (habits.cpp)
  void note_fault(std::uint32_t page, bool missed, bool write) noexcept;
  void note_compared(std::uint32_t page, bool changed, bool others) noexcept;
  void begin_habits(Site site, bool locked) noexcept;
  std::uint8_t idle_releases() noexcept;
  void foresee() noexcept;
  void go_on_with_program() noexcept;
  void come_back_from_program() noexcept;
  bool may_come(std::uint32_t page) noexcept;
  void fetch_expected(std::vector<std::uint32_t>* expected) noexcept;
  bool may_warm(std::uint32_t page) noexcept;

  // Access
  bool protect(std::uint32_t first, std::uint32_t pages, Access access) noexcept;
  void deny_all() noexcept;
  bool all_have(std::uint32_t first, std::uint32_t end, Access access) const noexcept;
  void protect_all(std::vector<std::uint32_t>* pages, Access access) noexcept;
  void close_all() noexcept;
  void finish_closing() noexcept;

  std::byte* contents(std::uint32_t page) const noexcept { return contents_ + std::size_t{page} * kPageBytes; }
  std::byte* twin(std::uint32_t page) const noexcept { return twins_ + std::size_t{page} * kPageBytes; }

  std::byte* contents_ = nullptr;
  std::byte* twins_ = nullptr;  // at the same distances
  Page* pages_ = nullptr;
  std::atomic<std::uint16_t>* homes_ = nullptr;  // from 1 on; 0: not known here
  bool homes_of_all_ = false;                    // it is the table of all
  std::uint16_t* fixed_ = nullptr;               // from 1 on: homes of pages that do not move any more; 0: not known
  Marks marks_;
  Places places_;
  Notices* notices_ = nullptr;
  std::atomic<bool>* unused_ = nullptr;  // safe mode: closed as nothing was in use there; changed with a page's lock
  std::uint32_t* hot_ = nullptr;         // those that have twins, and some that had
  std::atomic<std::uint32_t> n_hot_ = 0;

  std::mutex beating_;
  mutable std::shared_mutex order_;
  std::atomic<bool> locks_[kLocks] = {};
  std::mutex lists_;                 // of the next three lists
  std::vector<std::uint32_t> kept_;  // copies that have memory, as they came; and some that were
  std::atomic<std::uint32_t> n_kept_ = 0;
  std::atomic<bool> cannot_make_memory_ = false;  // beforehand: the kernel does not know how
  std::vector<Run> fresh_;                        // at home here since the last release
  std::vector<std::uint32_t> operated_;           // that an atomic operation has changed
  std::atomic<bool> news_ = false;                // there are some in either
  std::vector<std::uint64_t> seen_;               // of each PE's notices
  std::vector<Run> pinned_;                       // sorted
  std::uint32_t taken_ = 0;                       // how many more pages have moved here than away; of `lists_`
  // Of a release or acquire, kept for their memory.
  std::uint64_t round_ = 0;            // of announcements
  Batch pushes_;                       // that go with the last one
  std::vector<std::uint32_t> wanted_;  // that are to be at home here
  std::vector<std::uint32_t> to_announce_;
  std::vector<std::uint32_t> cold_;
  std::vector<std::uint32_t> missed_;   // since the interval began; of `lists_`
  std::vector<std::uint32_t> faulted_;  // the same: written
  std::vector<std::uint32_t> changed_;  // found by comparing
  std::vector<std::uint32_t> unsure_;   // the same, where others have stored to the page
  Habits habits_;
  Site came_from_ = 0;          // the site of the interval that runs
  bool locked_ = false;         // it began with a lock
  std::uint64_t began_ns_ = 0;  // of it, by the clock, where there are several nodes
  std::uint64_t ended_ns_ = 0;
  std::vector<std::uint32_t> believed_;  // since the interval began
  bool has_believed_ = false;            // so it writes, whatever is compared
  std::atomic<bool> believes_ = false;   // there are some
  bool one_release_ = false;             // is to be expected of the interval, and has not been
  std::vector<std::uint32_t> left_;      // that were at home here until homes were mapped
  std::atomic<std::uint64_t> orders_ = 0;
  bool closing_ = false;  // all access has been taken away since it began
};

extern constinit Pages* g_pages;

}  // namespace weft::dsm
