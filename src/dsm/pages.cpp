#include "dsm/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/lines.hpp"
#include "dsm/parts.hpp"
#include "dsm/runs.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

void* map_private(std::size_t bytes) noexcept {
  void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

constexpr int protection(Access access) noexcept {
  return access == Access::kNone ? PROT_NONE : access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
}

// Where a program has pages: those that follow each other there, of some in a row.
struct View {
  void* at = nullptr;
  std::uint32_t pages = 0;
};
View view_of(std::uint32_t first, std::uint32_t pages) noexcept {
  for (int k = 0; k < g.n_windows; ++k) {
    const Window& window = g.windows[k];
    const auto begin = static_cast<std::uint32_t>(window.offset / kPageBytes);
    const auto end = static_cast<std::uint32_t>((window.offset + window.bytes) / kPageBytes);
    if (first >= begin && first < end) {
      return {reinterpret_cast<void*>(window.at + std::uint64_t{first - begin} * kPageBytes),
              std::min(pages, end - first)};
    }
    if (first < begin) {
      pages = std::min(pages, begin - first);
    }
  }
  return {reinterpret_cast<void*>(g.base + std::uint64_t{first} * kPageBytes), pages};
}

}  // namespace

constinit Pages* g_pages = nullptr;

Pages* Pages::make() noexcept {
  auto* const made = new (std::nothrow) Pages;
  if (made == nullptr) {
    return nullptr;
  }
  made->twins_ = static_cast<std::byte*>(map_private(g.bytes));
  made->pages_ = static_cast<Page*>(map_private(std::size_t{g.pages} * sizeof(Page)));
  made->hot_ = static_cast<std::uint32_t*>(map_private(std::size_t{g.pages} * sizeof(std::uint32_t)));
  const Part& own = *part_of(g.me);
  made->contents_ = own.contents;
  made->marks_ = own.marks;
  made->notices_ = own.notices;
  made->homes_ = known_homes();
  made->homes_of_all_ = part_of(0) != nullptr;
  made->seen_.resize(static_cast<std::size_t>(g.n_pes));
  if (made->twins_ == nullptr || made->pages_ == nullptr || made->hot_ == nullptr || made->homes_ == nullptr) {
    delete made;
    return nullptr;
  }
  return made;
}

Pages::~Pages() {
  const auto unmap = [](void* at, std::size_t bytes) {
    if (at != nullptr) {
      ::munmap(at, bytes);
    }
  };
  unmap(twins_, g.bytes);
  unmap(pages_, std::size_t{g.pages} * sizeof(Page));
  unmap(hot_, std::size_t{g.pages} * sizeof(std::uint32_t));
}

// ---- Access

// The kernel bounds how many pieces of different access a process may have. Who comes to that takes all access away,
// which makes it one piece, and goes on: whatever is used then faults again.
bool Pages::protect(std::uint32_t first, std::uint32_t pages, Access access) noexcept {
  if (closing_ && access != Access::kWrite) {
    return true;  // less is there than is asked for
  }
  for (View view; pages > 0; first += view.pages, pages -= view.pages) {
    view = view_of(first, pages);
    if (::mprotect(view.at, std::size_t{view.pages} * kPageBytes, protection(access)) == 0) [[likely]] {
      continue;
    }
    if (errno != ENOMEM) {
      base::fail(job::current_call(), "cannot protect %u pages of shared memory at %p: %s", view.pages, view.at,
                 std::strerror(errno));
    }
    return false;
  }
  return true;
}

void Pages::protect_all(std::vector<std::uint32_t>* pages, Access access) noexcept {
  sort_once(pages);
  each_run(*pages, [&](std::uint32_t first, std::uint32_t n) {
    if (!protect(first, n, access)) {
      close_all();
    }
  });
}

void Pages::close_all() noexcept {
  closing_ = true;
  counts_.closed.fetch_add(1, std::memory_order_relaxed);
  deny_all();
}

// Behind a release or acquire in which all access was taken away.
void Pages::finish_closing() noexcept {
  if (!closing_) {
    return;
  }
  for (std::uint32_t page = 0; page < g.pages; ++page) {
    const Page& here = pages_[page];
    if (here.state != State::kAway && here.state != State::kShut && !here.pinned) {
      on_close(pages_[page]);
      pages_[page].listed = false;
    }
  }
  n_hot_.store(0, std::memory_order_relaxed);
  (void)::madvise(twins_, g.bytes, MADV_DONTNEED);
  closing_ = false;
}

// ---- Order

void Pages::release() noexcept {
  const std::unique_lock order(order_);
  orders_.fetch_add(1, std::memory_order_relaxed);
  release_all();
}

void Pages::release_all() noexcept {
  // What this PE's threads have written is there for who sets a mark behind this: against Marks::set.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  look_at_marks();
  compare_all();
  if (closing_) {
    look_at_marks();  // once more: what was fetched before all access was taken away
  }
  announce();
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
  for (const Word& word : words) {
    marks_.clear(word.number, word.bits);
  }
}

void Pages::compare_one(std::uint32_t page, bool cooled, Batch& batch) noexcept {
  Changes changes;
  const bool changed = compare(contents(page), twin(page), &changes);
  const OnCompared todo = on_compared(pages_[page], changed, cooled);
  if (todo.send) {
    const int home = homes_[page].load(std::memory_order_relaxed) - 1;
    if (const Part* const part = part_of(home); part != nullptr) {
      apply(part->contents + std::size_t{page} * kPageBytes, twin(page), changes);
    } else {
      batch.diff(home, page, twin(page), changes);
    }
    counts_.sent.fetch_add(1, std::memory_order_relaxed);
  }
  if (todo.announce) {
    to_announce_.push_back(page);
  }
  if (todo.drop_twin) {
    cold_.push_back(page);
  }
}

void Pages::compare_all() noexcept {
  std::vector<std::uint32_t> cooled;
  const std::uint32_t hot = n_hot_.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < hot; ++k) {
    if (has_twin(pages_[hot_[k]].state) && cools(pages_[hot_[k]])) {
      cooled.push_back(hot_[k]);
    }
  }
  protect_all(&cooled, Access::kRead);
  Batch batch;
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < hot; ++k) {
    const std::uint32_t page = hot_[k];
    if (has_twin(pages_[page].state)) {
      compare_one(page, cools(pages_[page]), batch);
    }
    if (has_twin(pages_[page].state)) {
      hot_[kept++] = page;
    } else {
      pages_[page].listed = false;
    }
  }
  n_hot_.store(kept, std::memory_order_relaxed);
  batch.wait();
  drop_twins();
}

void Pages::drop_twins() noexcept {
  sort_once(&cold_);
  each_run(cold_, [&](std::uint32_t first, std::uint32_t n) {
    (void)::madvise(twin(first), std::size_t{n} * kPageBytes, MADV_DONTNEED);
  });
  cold_.clear();
}

// What goes before is at its homes.
void Pages::announce() noexcept {
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
  if (runs.empty()) {
    return;
  }
  for (const Run run : runs) {
    notices_->add(run);
  }
  (void)notices_->publish();
  counts_.announced.fetch_add(runs.size(), std::memory_order_relaxed);
  Batch batch;
  batch.announce(runs);
  batch.wait();
}

void Pages::gather(std::vector<std::uint32_t>* noticed) noexcept {
  bool lost = false;
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
          if (is_copy(pages_[page].state)) {
            noticed->push_back(page);
          }
        }
      });
    }
    seen = end;
  }
  if (lost) {
    noticed->clear();
    for (std::uint32_t page = 0; page < g.pages; ++page) {
      if (is_copy(pages_[page].state)) {
        noticed->push_back(page);
      }
    }
  }
  sort_once(noticed);
}

// Pages that were written here and are no copies of that kind any more, before they come from their homes again.
void Pages::bring_written_home(const std::vector<std::uint32_t>& written) noexcept {
  {
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
  }
  if (!to_announce_.empty()) {
    announce();
  }
  drop_twins();
}

void Pages::renew(const std::vector<std::uint32_t>& noticed) noexcept {
  std::vector<std::uint32_t> dropped;
  std::vector<std::uint32_t> written;
  std::vector<std::uint32_t> refreshed;
  for (const std::uint32_t page : noticed) {
    const bool twin = has_twin(pages_[page].state);
    const OnNotice what = on_notice(pages_[page], g.renewal);
    if (what == OnNotice::kDrop) {
      dropped.push_back(page);
    } else if (what == OnNotice::kRefresh) {
      refreshed.push_back(page);
    }
    if (twin) {
      written.push_back(page);
    }
  }
  protect_all(&dropped, Access::kNone);
  counts_.dropped.fetch_add(dropped.size(), std::memory_order_relaxed);
  bring_written_home(written);
  counts_.refreshed.fetch_add(refreshed.size(), std::memory_order_relaxed);
  // Pages with a twin get what has changed only, by way of memory of their own.
  std::vector<std::uint32_t> merged;
  std::vector<std::uint32_t> whole;
  for (const std::uint32_t page : refreshed) {
    const std::uint16_t home = homes_[page].load(std::memory_order_relaxed);
    if (home == 0) {
      continue;
    }
    const Part* const part = part_of(home - 1);
    if (!has_twin(pages_[page].state)) {
      whole.push_back(page);
    } else if (part != nullptr) {
      part->marks.set(page);
      merge(contents(page), twin(page), part->contents + std::size_t{page} * kPageBytes);
    } else {
      merged.push_back(page);
    }
  }
  Batch batch;
  // Runs that are at one home.
  for (std::size_t begin = 0, end = 0; begin < whole.size(); begin = end) {
    const std::uint16_t home = homes_[whole[begin]].load(std::memory_order_relaxed);
    for (end = begin + 1; end < whole.size() && whole[end] == whole[end - 1] + 1 &&
                          homes_[whole[end]].load(std::memory_order_relaxed) == home;) {
      ++end;
    }
    fetch(whole[begin], static_cast<std::uint32_t>(end - begin), batch);
  }
  std::vector<std::byte> fresh(merged.size() * kPageBytes);
  for (std::size_t k = 0; k < merged.size(); ++k) {
    batch.fetch(homes_[merged[k]].load(std::memory_order_relaxed) - 1, merged[k], 1, fresh.data() + k * kPageBytes);
  }
  batch.wait();
  for (std::size_t k = 0; k < merged.size(); ++k) {
    merge(contents(merged[k]), twin(merged[k]), fresh.data() + k * kPageBytes);
  }
}

void Pages::acquire() noexcept {
  const std::unique_lock order(order_);
  orders_.fetch_add(1, std::memory_order_relaxed);
  std::vector<std::uint32_t> noticed;
  gather(&noticed);
  if (!noticed.empty()) {
    renew(noticed);
  }
  if (closing_) {
    release_all();
  }
}

void Pages::prefetch(std::uint32_t first, std::uint32_t pages) noexcept {
  const std::unique_lock order(order_);
  Batch batch;
  std::vector<std::uint32_t> mapped;
  evict(pages);
  for (std::uint32_t page = first; page < first + pages;) {
    if (homes_[page].load(std::memory_order_relaxed) == 0) {
      // Those that nobody has written are zeros, and come when they are touched.
      if (homes_of_all_ || settle_home(page, std::min(first + pages - page, kMostHomes), false) == 0 ||
          homes_[page].load(std::memory_order_relaxed) == 0) {
        ++page;
        continue;
      }
    }
    std::uint32_t run = 0;
    const std::uint16_t home = homes_[page].load(std::memory_order_relaxed);
    while (page + run < first + pages && homes_[page + run].load(std::memory_order_relaxed) == home &&
           pages_[page + run].state == State::kAway) {
      ++run;
    }
    if (run > 0) {
      if (!reserve(page, &run)) {
        break;  // the rest comes when it is touched
      }
      for (std::uint32_t k = 0; k < run; ++k) {
        mapped.push_back(page + k);
      }
      fetch(page, run, batch);
    }
    page += std::max<std::uint32_t>(run, 1);
  }
  batch.wait();
  for (const std::uint32_t page : mapped) {
    (void)on_fault(pages_[page], false);
  }
  counts_.prefetched.fetch_add(mapped.size(), std::memory_order_relaxed);
  protect_all(&mapped, Access::kRead);
  if (closing_) {
    release_all();
  }
}

void Pages::bring_home(std::uint32_t first, std::uint32_t pages, const HomeOf& home_of) noexcept {
  const std::unique_lock order(order_);
  Batch batch;
  for (std::uint32_t k = 0; k < pages; ++k) {
    const std::uint32_t page = first + k;
    if (home_of(k) != g.me) {
      continue;
    }
    if (homes_[page].load(std::memory_order_relaxed) == 0 && !homes_of_all_) {
      (void)settle_home(page, std::min(pages - k, kMostHomes), false);
    }
    const std::uint16_t now = homes_[page].load(std::memory_order_relaxed);
    if (now != 0 && now != g.me + 1) {
      fetch(page, 1, batch);
    }
  }
  batch.wait();
}

// All have met behind bring_home(), and nobody does anything else.
void Pages::settle(std::uint32_t first, std::uint32_t pages, const HomeOf& home_of) noexcept {
  const std::unique_lock order(order_);
  if (!protect(first, pages, Access::kNone)) {
    close_all();
  }
  for (std::uint32_t k = 0; k < pages; ++k) {
    Page& here = pages_[first + k];
    const Page before = here;
    here = Page{};
    here.listed = before.listed;
    here.renewal = before.renewal;
    here.kept = before.kept;
    const int home = home_of(k);
    if (home == g.me) {
      keep_no_longer(first + k);
    } else if (is_home(before.state)) {
      left_.push_back(first + k);
    }
    // Nobody has a copy: what was one is dropped by all.
    here.state = home == g.me ? State::kShut : State::kAway;
    if (!homes_of_all_ || g.me == 0) {
      homes_[first + k].store(static_cast<std::uint16_t>(home + 1), std::memory_order_relaxed);
    }
  }
  (void)::madvise(twin(first), std::size_t{pages} * kPageBytes, MADV_DONTNEED);
  finish_closing();
}

bool Pages::has_seen_all() const noexcept {
  for (int pe = 0; pe < g.n_pes; ++pe) {
    const Notices* const theirs = pe == g.me ? nullptr : notices_of(pe);
    if (theirs != nullptr && theirs->end() != seen_[static_cast<std::size_t>(pe)]) {
      return false;
    }
  }
  return true;
}

bool Pages::has_nothing() const noexcept {
  // Relaxed: a thread knows what it has done itself.
  return n_hot_.load(std::memory_order_relaxed) == 0 && !news_.load(std::memory_order_relaxed) && !marks_.any();
}

bool Pages::is_released() const noexcept {
  const std::shared_lock order(order_);  // who is at it has done it then
  return has_nothing();
}

bool Pages::is_acquired() const noexcept {
  const std::shared_lock order(order_);
  return has_seen_all();
}

bool Pages::quiet() const noexcept {
  if (!has_nothing()) {
    return false;
  }
  const std::unique_lock order(order_, std::try_to_lock);
  // Somebody is at it: then it is not for others.
  return !order.owns_lock() || has_seen_all();
}

}  // namespace weft::dsm
