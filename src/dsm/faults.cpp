// What a thread does that wants more of a page than it may.
#include <sched.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/closed.hpp"
#include "dsm/counts.hpp"
#include "dsm/homes.hpp"
#include "dsm/notes.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"
#include "dsm/waits.hpp"

namespace weft::dsm {
namespace {

// A thread that goes through memory faults at the page behind those that it was given last.
struct Stream {
  std::uint32_t next = 0;
  std::uint32_t window = 1;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Stream t_stream;

}  // namespace

// A bit of a few hundred: threads that fault at different pages go side by side. Who waits for one spins and yields, as
// its holder may wait for the network.
class Pages::PageLock {
 public:
  PageLock(Pages& of, std::uint32_t page) noexcept : of_(of), first_(page) {
    while (!take(page)) {
      ::sched_yield();
    }
    ++pages_;
  }
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;
  ~PageLock() {
    for (std::uint32_t page = first_; page < first_ + pages_; ++page) {
      of_.locks_[page % kLocks].store(false, std::memory_order_release);
    }
  }
  /// The page behind the last one too, if nobody has it.
  bool extend() noexcept { return take(first_ + pages_) && ++pages_ > 0; }
  void give_last_back() noexcept { of_.locks_[(first_ + --pages_) % kLocks].store(false, std::memory_order_release); }
  std::uint32_t pages() const noexcept { return pages_; }

 private:
  // Acquire: pairs with the release above.
  bool take(std::uint32_t page) noexcept {
    return !of_.locks_[page % kLocks].exchange(true, std::memory_order_acquire);
  }

  Pages& of_;
  std::uint32_t first_;
  std::uint32_t pages_ = 0;
};

std::uint32_t Pages::window(std::uint32_t page, std::uint32_t pages) noexcept {
  t_stream.window = page == t_stream.next ? std::min(t_stream.window * 2, kMostWindow) : 1;
  return std::min(t_stream.window, pages - page);
}

// Behind it the home of the first page is known here, or there is none, and the page is only read, so it needs none.
// How many of the pages are in use, if that was asked.
std::uint32_t Pages::settle_home(std::uint32_t page, std::uint32_t pages, bool write, const Reached& reached) noexcept {
  // Relaxed: what is there stays.
  if (homes_[page].load(std::memory_order_relaxed) != 0) {
    return pages;
  }
  const Homes got = ask_homes(page, pages, write);
  if (got.pages == 0) {
    fail_unused(reached.at != 0 ? reached.at : g.base + std::uint64_t{page} * kPageBytes, reached.instruction);
  }
  Run mine{page, 0};
  count(Count::kClaimed, static_cast<std::uint64_t>(std::popcount(got.claimed)));
  const std::scoped_lock lock(lists_);
  for (std::uint32_t k = 0; k < got.pages; ++k) {
    const std::uint16_t home = got.homes[k];
    if (!homes_of_all_ && home != 0) {
      homes_[page + k].store(home, std::memory_order_relaxed);
    }
    if ((got.claimed >> k & 1) != 0) {
      pages_[page + k].state = State::kShut;
      keep_no_longer(page + k);
      // Who has read zeros there before hears of it.
      if (mine.pages > 0 && mine.first + mine.pages != page + k) {
        fresh_.push_back(mine);
        mine.pages = 0;
      }
      mine = {mine.pages == 0 ? page + k : mine.first, mine.pages + 1};
    }
  }
  if (mine.pages > 0) {
    fresh_.push_back(mine);
    news_.store(true, std::memory_order_relaxed);
  }
  return got.pages;
}

void Pages::make_twin(std::uint32_t page) noexcept {
  std::memcpy(twin(page), contents(page), kPageBytes);
  count(Count::kTwins);
  if (is_copy(pages_[page].state)) {
    unsubscribe(page, 1);
  }
  if (!pages_[page].listed) {
    pages_[page].listed = true;
    hot_[n_hot_.fetch_add(1, std::memory_order_relaxed)] = page;
  }
}

// The locks of all are held, they are in the same state, and at home at one PE or nowhere.
void Pages::serve(std::uint32_t first, std::uint32_t pages, bool write) noexcept {
  const bool nowhere = homes_[first].load(std::memory_order_relaxed) == 0;
  Page before = pages_[first];
  const OnFault todo = on_fault(before, write);
  if (todo.fetch && !nowhere) {
    Batch batch;
    // The first one was touched, and likely is again when it has changed; where a lock is held that tells nothing. What
    // is always dropped, or is let go soon, would be sent in vain.
    const bool again =
        !write && !locked_ && g.most_copies == 0 && renewal_of(pages_[first], g.renewal) == Renewal::kLearned;
    batch.fetch(first, pages, contents(first), again ? Batch::Next::kFirstPushed : Batch::Next::kAsked,
                !pages_[first].dropped);
    make_memory(first, pages);
    batch.wait();
    count(Count::kFetched, pages);
    if (g_crowd && part_of(known_home(first)) == nullptr) {
      leave_network();
    }
  }
  for (std::uint32_t page = first; page < first + pages; ++page) {
    // Pages behind the first one may not be written at all; at home they would keep others from taking them.
    note_fault(page, todo.fetch && pages_[page].dropped, write && (page == first || !is_home(pages_[page].state)));
    (void)on_fault(pages_[page], write);
    if (todo.twin) {
      make_twin(page);
    }
  }
}

// In safe mode: a page that was closed has the access again that its state says, if something is in use there by now.
void Pages::open_again(std::uint32_t page, const Reached& reached) noexcept {
  bool failed = false;
  {
    const std::shared_lock order(order_);
    const PageLock lock(*this, page);
    if (!unused_[page].load(std::memory_order_relaxed)) {
      return;
    }
    if (!is_used(page)) {
      fail_unused(reached.at, reached.instruction);
    }
    unused_[page].store(false, std::memory_order_relaxed);
    failed = !protect(page, 1, access_of(pages_[page].state));
  }
  if (failed) {
    const std::unique_lock order(order_);
    close_all();
    release_all();
  }
}

bool Pages::fault(std::uintptr_t at, memory::FaultAccess access, std::uintptr_t instruction) noexcept {
  const std::uint64_t offset = offset_in_range(at, 1);
  if (offset == kNowhere) {
    return false;
  }
  if (g.forked) {
    base::fail(nullptr,
               "an access to shared memory at 0x%" PRIxPTR
               " in a forked child, which is no PE; copy what it "
               "needs before the fork",
               at);
  }
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  const ForAccess noted(at, instruction);
  const Timed timed(Count::kFaultTime);
  const Reached reached{at, instruction};
  if (unused_ != nullptr) {
    open_again(page, reached);
  }
  bool write = false;
  for (Tried tried; (tried = try_fault(page, access, reached, &write)) != Tried::kDone;) {
    if (tried == Tried::kFull) {
      make_room();
    }
  }
  count(write ? Count::kWriteFaults : Count::kReadFaults);
  return true;
}

Pages::Tried Pages::try_fault(std::uint32_t page, memory::FaultAccess access, const Reached& reached,
                              bool* write) noexcept {
  bool failed = false;
  bool full = false;
  {
    const std::shared_lock order(order_);
    PageLock lock(*this, page);
    (void)notice_move(page);
    const Access has = access_of(pages_[page].state);
    *write = access == memory::FaultAccess::kUnknown ? has == Access::kRead : access == memory::FaultAccess::kWrite;
    const Access wanted = *write ? Access::kWrite : Access::kRead;
    if (has >= wanted) {
      return Tried::kDone;  // another thread was faster
    }
    const std::uint32_t most = window(page, g.pages);
    while (lock.pages() < most && lock.extend()) {
      const Page& here = pages_[page];
      const Page& next = pages_[page + lock.pages() - 1];
      const std::uint16_t home = homes_[page].load(std::memory_order_relaxed);
      if (next.state != here.state || next.shared != here.shared ||
          homes_[page + lock.pages() - 1].load(std::memory_order_relaxed) != home) {
        lock.give_last_back();
        break;
      }
    }
    std::uint32_t pages = settle_home(page, lock.pages(), write, reached);
    // Homes that have just become known may differ.
    const std::uint16_t home = homes_[page].load(std::memory_order_relaxed);
    for (std::uint32_t k = 1; k < pages; ++k) {
      if (homes_[page + k].load(std::memory_order_relaxed) != home || pages_[page + k].state != pages_[page].state) {
        pages = k;
        break;
      }
    }
    full = !reserve(page, &pages);
    Page next = pages_[page];
    if (!full && (on_fault(next, *write), is_home(next.state) && access_of(next.state) == Access::kWrite)) {
      pages = heat(page, pages);
      if (pages == 0) {
        return Tried::kAgain;
      }
    }
    if (!full) {
      serve(page, pages, *write);
    }
    t_stream.next = page + pages;
    // All of them have the same state now.
    failed = !full && !protect(page, pages, access_of(pages_[page].state));
  }
  if (failed) {
    const std::unique_lock order(order_);
    close_all();
    release_all();
  }
  return full ? Tried::kFull : Tried::kDone;
}

int Pages::home_of(std::uint32_t page) noexcept {
  const std::shared_lock order(order_);
  PageLock lock(*this, page);
  return fixed_home(page);
}

bool Pages::is_held_back(std::uint64_t offset, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  {
    const std::scoped_lock lock(lists_);
    if (operated_.size() >= kMostOperated) {
      return true;
    }
  }
  const std::shared_lock order(order_);
  PageLock lock(*this, page);
  const std::size_t within = offset % kPageBytes;
  return pages_[page].state == State::kWritten && std::memcmp(contents(page) + within, twin(page) + within, bytes) != 0;
}

bool Pages::is_here(std::uint64_t offset, const void* value, std::size_t bytes) const noexcept {
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  return std::memcmp(contents(page) + offset % kPageBytes, value, bytes) == 0;
}

void Pages::store_here(std::uint64_t offset, const void* value, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  unsubscribe(page, 1);
  const std::size_t within = offset % kPageBytes;
  std::memcpy(contents(page) + within, value, bytes);
  if (has_twin(pages_[page].state)) {
    std::memcpy(twin(page) + within, value, bytes);
  }
}

// Nothing is acquired between the operation and what is made of it here, and threads of this PE do not pass each other
// there: else a copy would go back to what was.
void Pages::operate(std::uint64_t offset, std::size_t bytes, Operation& operation, bool looks) noexcept {
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  {
    const std::shared_lock order(order_);
    int home = 0;
    bool done = false;
    {
      PageLock lock(*this, page);
      home = fixed_home(page);
      (void)notice_move(page);
      if (is_copy(pages_[page].state)) {
        operation.carry_out(home);
        if (!looks || !is_here(offset, operation.found(), bytes)) {
          store_here(offset, operation.found(), bytes);
        }
        done = true;
      }
    }
    if (!done) {
      // Mostly nobody looks at such pages by plain loads: then threads need not wait for each other's round trips.
      operation.carry_out(home);
      PageLock lock(*this, page);
      if (is_copy(pages_[page].state)) {
        operation.look(home);  // it was fetched meanwhile
        store_here(offset, operation.found(), bytes);
      }
    }
  }
  // Also what was here already: it may have come with the page, or be another thread's find, from who has not announced
  // it yet, and this thread is about to tell of it.
  const std::scoped_lock lock(lists_);
  if (operated_.empty() || operated_.back() != page) {
    operated_.push_back(page);
    news_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace weft::dsm
