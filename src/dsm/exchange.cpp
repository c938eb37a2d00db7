// What a release tells the others, and what an acquire takes of what they have told (pages.hpp).
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "dsm/counts.hpp"
#include "dsm/owed.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"
#include "dsm/questions.hpp"
#include "dsm/runs.hpp"

namespace weft::dsm {

namespace {

// Whose memory is kept for the next twin when the list is looked through; and how long it may get before it is, which
// names a page each time that it cools. So at most twice as much is kept between two looks.
constexpr std::size_t kMostColdTwins = 4096;
constexpr std::size_t kMostNamedCold = 2 * kMostColdTwins;
// So many pages that are merged are asked for together: while they are merged the next ones are on their way, so there
// is memory for twice as many.
constexpr std::size_t kMostMerged = 64;
constexpr int kUnknownPe = -2;  // no page's home

}  // namespace

void Pages::release(bool beat, int owed_to) noexcept {
  const std::unique_lock order(order_);
  orders_.fetch_add(1, std::memory_order_relaxed);
  if (!beat) {
    come_back_from_program();
  }
  release_all(beat, owed_to);
}

void Pages::release_all(bool beat, int owed_to) noexcept {
  // What this PE's threads have written is there for who sets a mark behind this: against Marks::set.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (has_written_nothing() && !owes_beside(owed_to) && !closing_) {
    one_release_ = one_release_ && beat;
    return;
  }
  look_at_marks();
  const bool goes_on = beat && !closing_;
  look_at_believed(goes_on);
  compare_all(goes_on);
  if (closing_) {
    look_at_marks();  // once more: what was fetched before all access was taken away
  }
  announce(true, owed_to);
  finish_closing();
}

void Pages::look_at_marks() noexcept {
  struct Word {
    std::uint32_t number;
    std::uint64_t bits;
  };
  std::vector<Word> words;
  std::vector<std::uint32_t> protect;
  marks_.each([&](std::uint32_t number, std::uint64_t bits) {
    words.push_back({number, bits});
    for (std::uint64_t left = bits; left != 0; left &= left - 1) {
      const std::uint32_t page = number * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      if (page >= g.pages) {
        continue;
      }
      const OnMark todo = on_mark(pages_[page]);
      if (todo.protect) {
        protect.push_back(page);
      }
      if (todo.announce) {
        to_announce_.push_back(page);
      }
    }
  });
  protect_all(&protect, Access::kRead);
  for (const std::uint32_t page : protect) {
    cool(page);
  }
  for (const Word& word : words) {
    marks_.clear(word.number, word.bits);
  }
}

void Pages::compare_one(std::uint32_t page, bool cooled, Batch& batch) noexcept {
  // Looked at before: what is stored behind that is seen the next time.
  const std::uint16_t stored = pages_[page].state == State::kCompared ? places_.look(page).stored : std::uint16_t{0};
  if (stored != 0) {
    places_.change(page, &Place::see);
  }
  Changes changes;
  const bool changed = compare(contents(page), twin(page), &changes);
  note_compared(page, changed, (stored & protocol::kChanges) != 0);
  const OnCompared todo = on_compared(pages_[page], changed, cooled, stored);
  if (todo.send) {
    batch.diff(page, twin(page), changes);
  }
  if (todo.take && g.learn_homes) {
    wanted_.push_back(page);
  }
  if (pages_[page].state == State::kWatched) {
    cool(page);
  }
  if (todo.announce) {
    to_announce_.push_back(page);
  }
  if (todo.drop_twin) {
    cold_.push_back(page);
  }
}

// Those that are not compared.
void Pages::look_at_believed(bool beat) noexcept {
  std::vector<std::uint32_t> watched;
  for (const std::uint32_t page : believed_) {
    if (pages_[page].state != State::kBelieved) {
      continue;  // homes were mapped, or all access was taken away
    }
    const OnBelieved todo = on_release_of_believed(pages_[page], !beat);
    if (todo.protect) {
      watched.push_back(page);
    }
    if (todo.announce) {
      to_announce_.push_back(page);
    }
  }
  protect_all(&watched, Access::kRead);
  for (const std::uint32_t page : watched) {
    cool(page);
  }
  if (!beat) {
    believed_.clear();
    believes_.store(false, std::memory_order_relaxed);
  }
}

void Pages::compare_all(bool beat) noexcept {
  std::vector<std::uint32_t> cooled;
  const std::uint8_t idle = beat ? kIdleReleases : idle_releases();
  const std::uint32_t hot = n_hot_.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < hot; ++k) {
    if (has_twin(pages_[hot_[k]].state) && cools(pages_[hot_[k]], idle)) {
      cooled.push_back(hot_[k]);
    }
  }
  protect_all(&cooled, Access::kRead);
  if (several_nodes()) {
    begin_comparing();
  }
  Batch batch;
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < hot; ++k) {
    const std::uint32_t page = hot_[k];
    if (has_twin(pages_[page].state)) {
      compare_one(page, cools(pages_[page], idle), batch);
    }
    if (has_twin(pages_[page].state)) {
      hot_[kept++] = page;
    } else {
      pages_[page].listed = false;
    }
  }
  n_hot_.store(kept, std::memory_order_relaxed);
  batch.wait();
  take_homes();
  drop_twins();
}

// Most of them are wanted again soon, and memory that is new costs as much as the twin: so some is kept, always of the
// same pages where there are more that come and go.
void Pages::drop_twins() noexcept {
  if (cold_.size() < kMostNamedCold) {
    return;
  }
  sort_once(&cold_);
  std::erase_if(cold_, [&](std::uint32_t page) { return has_twin(pages_[page].state); });
  if (cold_.size() <= kMostColdTwins) {
    return;
  }
  each_run(std::span(cold_).subspan(kMostColdTwins), [&](std::uint32_t first, std::uint32_t n) {
    (void)::madvise(twin(first), std::size_t{n} * kPageBytes, MADV_DONTNEED);
  });
  cold_.resize(kMostColdTwins);
}

// A twin is what was found by comparing, and has been announced. A page that may only be read changes by what others
// store, who announce it.
class Pages::AsAnnounced final : public Sent {
 public:
  AsAnnounced(Pages& of, bool compared) noexcept : of_(of), compared_(compared) {}
  const std::byte* announced(std::uint32_t page, bool by_twin) noexcept override {
    Page& here = of_.pages_[page];
    if (here.state == State::kWatched) {
      here.alone = 0;  // somebody has it, as if he had fetched it
      return of_.contents(page);
    }
    if (here.state == State::kCompared && by_twin && compared_) {
      here.alone = 0;
      return of_.twin(page);
    }
    return nullptr;
  }

 private:
  Pages& of_;
  bool compared_;  // just now
};

void Pages::tell_node(const std::vector<Run>& runs) noexcept {
  for (const Run run : runs) {
    notices_->add(run);
  }
  (void)notices_->publish();
  count(Count::kAnnounced, runs.size());
}

// What goes before is at its homes. `compared`: all that is at home here was.
void Pages::announce(bool compared, int owed_to) noexcept {
  std::vector<Run> runs;
  {
    const std::scoped_lock lock(lists_);
    runs.swap(fresh_);
    to_announce_.insert(to_announce_.end(), operated_.begin(), operated_.end());
    operated_.clear();
    news_.store(false, std::memory_order_relaxed);
  }
  sort_once(&to_announce_);
  each_run(to_announce_, [&](std::uint32_t first, std::uint32_t n) { runs.push_back({first, n}); });
  to_announce_.clear();
  if (runs.empty() && !owes_beside(owed_to)) {
    return;
  }
  if (!several_nodes()) {
    tell_node(runs);
    return;
  }
  // What was sent with the last announcement has come: behind a later one it would be taken for new.
  pushes_.wait();
  ++round_;
  if (!owe(owed_to, runs, round_)) {
    owed_to = kOweNobody;
  }
  collect_owed(owed_to, &runs);
  tell_node(runs);
  Batch batch;
  AsAnnounced sent(*this, compared);
  batch.announce(runs, round_, owed_to, pushes_, sent);
  batch.wait();
  forget_paid(owed_to);
  if (owed_to == kOweNobody) {
    pushes_.wait();
  }
}

void Pages::gather(Noticed* noticed) noexcept {
  bool lost = false;
  std::vector<std::uint32_t> moved;
  const auto note = [&](std::uint32_t page, int pe) {
    if (notice_move(page) && g.most_copies != 0) {
      moved.push_back(page);  // for which there may be no room
    } else if (is_copy(pages_[page].state)) {
      noticed->all.push_back(page);
      if (several_nodes() && pe != known_home(page)) {
        noticed->by_others.push_back(page);
      }
    }
  };
  for (int pe = 0; pe < g.n_pes; ++pe) {
    const Notices* const theirs = pe == g.me ? nullptr : notices_of(pe);
    if (theirs == nullptr) {
      continue;
    }
    std::uint64_t& seen = seen_[static_cast<std::size_t>(pe)];
    const std::uint64_t end = theirs->end();
    if (end != seen && !lost) {
      lost = !theirs->read(seen, end, [&](Run run) {
        // From memory that others write.
        const std::uint32_t last = run.first < g.pages ? run.first + std::min(run.pages, g.pages - run.first) : 0;
        for (std::uint32_t page = run.first; page < last; ++page) {
          note(page, pe);
        }
      });
    }
    seen = end;
  }
  if (lost) {
    *noticed = {};
    for (std::uint32_t page = 0; page < g.pages; ++page) {
      note(page, kUnknownPe);
    }
  }
  if (!moved.empty()) {
    let_go(&moved);
  }
  sort_once(&noticed->all);
  sort_once(&noticed->by_others);
}

// Pages that were written here and are no copies of that kind any more, before they come from their homes again.
void Pages::bring_written_home(const std::vector<std::uint32_t>& written) noexcept {
  if (!written.empty()) {
    Batch batch;
    for (const std::uint32_t page : written) {
      Page& here = pages_[page];
      const State now = here.state;
      here.state = State::kWritten;
      compare_one(page, false, batch);
      here.state = now;
      if (now == State::kAway) {
        cold_.push_back(page);
      }
    }
    batch.wait();
    wanted_.clear();  // others write them too, or there is no room for them
  }
  if (!to_announce_.empty()) {
    announce();
  }
  drop_twins();
}

// `begins`: with an interval, of which no lock tells what it is about.
void Pages::renew(const Noticed& noticed, bool begins) noexcept {
  std::vector<std::uint32_t> dropped;
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> refreshed;
  if (begins && several_nodes()) {
    habits_.suppose(noticed.all);
  }
  for (const std::uint32_t page : noticed.all) {
    const bool twin = has_twin(pages_[page].state);
    const Habit habit = !habits_.has_site()     ? Habit::kUnknown
                        : habits_.expects(page) ? Habit::kReads
                                                : Habit::kElsewhere;
    const OnNotice what = on_notice(pages_[page], g.renewal, habit);
    if (what == OnNotice::kDrop) {
      dropped.push_back(page);
    } else if (what == OnNotice::kRefresh) {
      refreshed.push_back(page);
    }
    // Of what is refreshed it stays beside the twin, which becomes what is fresh, until the next release.
    if (twin && what == OnNotice::kDrop) {
      written.push_back(page);
    }
  }
  protect_all(&dropped, Access::kNone);
  count(Count::kDropped, dropped.size());
  each_run(dropped, [](std::uint32_t first, std::uint32_t n) { unsubscribe(first, n); });
  bring_written_home(written);
  count(Count::kRefreshed, refreshed.size());
  // Pages with a twin get what has changed only.
  std::vector<std::uint32_t> merged;
  std::vector<std::uint32_t> whole;
  for (const std::uint32_t page : refreshed) {
    const int at_home = known_home(page);
    if (at_home < 0) {
      continue;
    }
    if (!has_twin(pages_[page].state)) {
      const bool by_others = std::binary_search(noticed.by_others.begin(), noticed.by_others.end(), page);
      if (by_others || !take_pushed(at_home, page, contents(page))) {
        whole.push_back(page);
      } else {
        count(Count::kPushed);
        note_fetched(at_home, page, 1);
      }
    } else if (visit(page, [&](const Part& home, int pe) noexcept {
                 home.marks.set(page);
                 merge(contents(page), twin(page), home.contents + std::size_t{page} * kPageBytes);
                 note_fetched(pe, page, 1);
               }) >= 0) {
      merged.push_back(page);
    }
  }
  Batch batch;
  each_run(whole,
           [&](std::uint32_t first, std::uint32_t n) { batch.fetch(first, n, contents(first), Batch::Next::kPushed); });
  merge_from_afar(merged);
  batch.wait();
}

// Of pages of other nodes that are written here: by way of memory of their own.
void Pages::merge_from_afar(std::span<const std::uint32_t> pages) noexcept {
  struct Lot {
    std::span<const std::uint32_t> pages;
    std::unique_ptr<std::byte[]> fresh;
    Batch batch;
  };
  Lot lots[2];
  const auto ask_for = [&pages](Lot& lot) {
    lot.pages = pages.first(std::min(pages.size(), kMostMerged));
    pages = pages.subspan(lot.pages.size());
    if (lot.fresh == nullptr && !lot.pages.empty()) {  // a lot is never larger than the one before
      lot.fresh = std::make_unique_for_overwrite<std::byte[]>(lot.pages.size() * kPageBytes);
    }
    std::byte* into = lot.fresh.get();
    each_run(lot.pages, [&](std::uint32_t first, std::uint32_t n) {
      lot.batch.fetch(first, n, into);
      into += std::size_t{n} * kPageBytes;
    });
  };
  ask_for(lots[0]);
  for (std::size_t now = 0; !lots[now].pages.empty(); now = 1 - now) {
    ask_for(lots[1 - now]);
    lots[now].batch.wait();
    const std::byte* fresh = lots[now].fresh.get();
    for (const std::uint32_t page : lots[now].pages) {
      merge(contents(page), twin(page), fresh);
      fresh += kPageBytes;
    }
  }
}

void Pages::acquire(Site site, bool locked) noexcept {
  const std::unique_lock order(order_);
  orders_.fetch_add(1, std::memory_order_relaxed);
  Noticed noticed;
  gather(&noticed);
  begin_habits(site, locked);
  if (!noticed.all.empty()) {
    renew(noticed, site != 0 && !locked);
  }
  if (site != 0) {
    foresee();
  }
  if (closing_) {
    release_all();
  }
  if (site != 0 || came_from_ == 0) {
    go_on_with_program();
  }
}

}  // namespace weft::dsm
