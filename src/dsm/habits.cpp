// Intervals of the program: what they have shown is learned, and what they are expected to want comes as they begin
// (protocol/habits.hpp).
#include "dsm/protocol/habits.hpp"

#include <algorithm>
#include <utility>

#include "dsm/counts.hpp"
#include "dsm/homes.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/questions.hpp"
#include "dsm/runs.hpp"
#include "dsm/waits.hpp"
#include "os/clock.hpp"

namespace weft::dsm {
namespace {

// An interval may go on for ever, as only heartbeats or the program's atomic operations order anything in it.
constexpr std::size_t kMostNoted = std::size_t{1} << 16;
// To wake the agent costs some microseconds.
constexpr std::uint64_t kLongNs = 150'000;

void add(std::vector<std::uint32_t>& to, std::uint32_t page) noexcept {
  if (to.size() == kMostNoted) {
    sort_once(&to);
    if (to.size() == kMostNoted) {
      return;
    }
  }
  to.push_back(page);
}

// What an interval is depends on where the program comes from, too: a function that ends with a barrier is called from
// many places. And a loop with one barrier may do this and that by turns, as where PEs take turns in writing: what it
// does next follows from whether it has written just now. Two that give one number would only share what is learned.
Site interval_of(Site from, Site site, bool wrote) noexcept {
  constexpr Site kOdd = 0x9e3779b97f4a7c15;
  const Site number = (from * kOdd + site) ^ (wrote ? kOdd : 0);
  return number != 0 ? number : kOdd;
}

}  // namespace

// The lock of the page is held.
void Pages::note_fault(std::uint32_t page, bool missed, bool write) noexcept {
  if (!missed && !write) {
    return;
  }
  const std::scoped_lock lock(lists_);
  if (missed) {
    add(missed_, page);
  }
  if (write) {
    add(faulted_, page);
  }
}

void Pages::note_compared(std::uint32_t page, bool changed, bool others) noexcept {
  if (changed && habits_.has_site()) {
    add(others ? unsure_ : changed_, page);
  }
}

void Pages::begin_habits(Site site, bool locked) noexcept {
  if (site == 0 || g.renewal != Renewal::kLearned) {
    return;
  }
  // Who adds to these shares the order, which is held alone here.
  for (std::vector<std::uint32_t>* const each : {&missed_, &faulted_, &changed_, &unsure_}) {
    sort_once(each);
  }
  habits_.learn({missed_, faulted_, changed_, unsure_, ended_ns_ - began_ns_});
  const bool believed = std::exchange(has_believed_, false);
  const bool wrote = believed || !changed_.empty() || !unsure_.empty();
  for (std::vector<std::uint32_t>* const each : {&missed_, &faulted_, &changed_, &unsure_}) {
    each->clear();
  }
  habits_.begin(interval_of(came_from_, site, wrote));
  came_from_ = site;
  locked_ = locked;
  one_release_ = habits_.has_site() && !locked;
}

// Where that takes long, others' questions wait for no call of this PE's (progress/progress.hpp). At first all may.
void Pages::go_on_with_program() noexcept {
  if (!several_nodes() || g.renewal != Renewal::kLearned) {
    return;  // without habits nobody knows
  }
  // Relaxed: it only saves time.
  if ((habits_.has_site() || came_from_ == 0) && habits_.took_ns() >= kLongNs) {
    g_computes.store(true, std::memory_order_relaxed);
    leave_network();
  }
  began_ns_ = os::now_ns();
  ended_ns_ = began_ns_;
}

void Pages::come_back_from_program() noexcept {
  if (several_nodes()) {
    g_computes.store(false, std::memory_order_relaxed);
    ended_ns_ = os::now_ns();
  }
}

// After how many a page cools. Where locks and atomic operations release again and again, what is idle for two may be
// written before the next interval begins.
std::uint8_t Pages::idle_releases() noexcept {
  return std::exchange(one_release_, false) ? kIdleReleasesByHabit : kIdleReleases;
}

void Pages::begin_interval(Site site) noexcept {
  const std::unique_lock order(order_);
  begin_habits(site, false);
  foresee();
  if (closing_) {
    release_all();
  }
}

// What is expected comes; what is written gets its twin. Then access is given, page by page only once.
void Pages::foresee() noexcept {
  if (!habits_.has_site() || closing_) {
    return;
  }
  std::vector<std::uint32_t> readable;
  habits_.each_expected(
      [&](std::uint32_t page) { return may_come(page) && renewal_of(pages_[page], g.renewal) == Renewal::kLearned; },
      [&](std::uint32_t page) { readable.push_back(page); });
  fetch_expected(&readable);
  std::vector<std::uint32_t> writable;
  habits_.each_written([&](std::uint32_t page) { return may_warm(page); },
                       [&](std::uint32_t page, bool sure) {
                         const bool believed = sure && one_release_ && pages_[page].state == State::kWatched;
                         if (believed) {
                           on_believed(pages_[page]);
                           believed_.push_back(page);
                         } else {
                           (void)on_fault(pages_[page], true);
                           make_twin(page);
                         }
                         writable.push_back(page);
                         return believed;
                       });
  believes_.store(!believed_.empty(), std::memory_order_relaxed);
  has_believed_ = !believed_.empty();
  count(Count::kWarmed, writable.size());
  std::erase_if(readable, [&](std::uint32_t page) { return pages_[page].state != State::kCopy; });
  if (!readable.empty()) {
    protect_all(&readable, Access::kRead);
  }
  if (!writable.empty()) {
    protect_all(&writable, Access::kWrite);
  }
}

bool Pages::may_come(std::uint32_t page) noexcept {
  return pages_[page].state == State::kAway && pages_[page].dropped && known_home(page) >= 0;
}

// From other nodes: of this one their memory stays mapped.
void Pages::bring_dropped() noexcept {
  const std::unique_lock order(order_);
  std::vector<std::uint32_t> dropped;
  for (std::uint32_t page = 0; page < g.pages; ++page) {
    if (may_come(page) && part_of(known_home(page)) == nullptr) {
      dropped.push_back(page);
    }
  }
  fetch_expected(&dropped);
  protect_all(&dropped, Access::kRead);
  if (closing_) {
    release_all();
  }
}

// They have memory, as they were here (may_come).
void Pages::fetch_expected(std::vector<std::uint32_t>* expected) noexcept {
  if (expected->empty()) {
    return;  // mostly, and this is a part of each barrier
  }
  std::size_t fit = 0;
  for (std::uint32_t one = 1; fit < expected->size() && reserve((*expected)[fit], &one); ++fit) {
  }
  expected->resize(fit);  // the rest comes when it is touched
  Batch batch;
  each_run(*expected, [&](std::uint32_t first, std::uint32_t n) { batch.fetch(first, n, contents(first)); });
  batch.wait();
  for (const std::uint32_t page : *expected) {
    (void)on_fault(pages_[page], false);
  }
  count(Count::kExpected, expected->size());
}

// It may be read, and a write would be a fault.
bool Pages::may_warm(std::uint32_t page) noexcept {
  (void)notice_move(page);
  const State state = pages_[page].state;
  return state == State::kCopy || (state == State::kWatched && heat(page, 1) != 0);
}

}  // namespace weft::dsm
