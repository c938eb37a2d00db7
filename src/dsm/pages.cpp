#include "dsm/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/lines.hpp"
#include "dsm/counts.hpp"
#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"
#include "dsm/questions.hpp"
#include "dsm/runs.hpp"
#include "dsm/waits.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

void* map_private(std::size_t bytes) noexcept {
  void* const got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

int protection(Access access) noexcept {
  const int run = g.code ? PROT_EXEC : 0;
  return access == Access::kNone ? PROT_NONE : run | (access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE);
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
  if (g.safe) {
    made->unused_ = static_cast<std::atomic<bool>*>(map_private(std::size_t{g.pages} * sizeof(std::atomic<bool>)));
    if (made->unused_ == nullptr) {
      delete made;
      return nullptr;
    }
  }
  made->fixed_ = static_cast<std::uint16_t*>(map_private(std::size_t{g.pages} * sizeof(std::uint16_t)));
  made->marks_ = own.marks;
  made->places_ = own.places;
  made->notices_ = own.notices;
  made->homes_ = known_homes();
  made->homes_of_all_ = part_of(0) != nullptr;
  made->seen_.resize(static_cast<std::size_t>(g.n_pes));
  if (made->twins_ == nullptr || made->pages_ == nullptr || made->hot_ == nullptr || made->fixed_ == nullptr ||
      made->homes_ == nullptr) {
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
  unmap(fixed_, std::size_t{g.pages} * sizeof(std::uint16_t));
  unmap(unused_, std::size_t{g.pages} * sizeof(std::atomic<bool>));
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
    if (unused_ != nullptr) [[unlikely]] {
      const bool closed = unused_[first].load(std::memory_order_relaxed);
      const std::uint32_t most = view.pages;
      for (view.pages = 1;
           view.pages < most && unused_[first + view.pages].load(std::memory_order_relaxed) == closed;) {
        ++view.pages;
      }
      if (closed) {
        continue;  // until it is in use
      }
    }
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

// All pages from one up to another have that access, and nothing else has been done with them: one call may give it to
// them and to their neighbours. That costs nothing, and each call some microseconds.
bool Pages::all_have(std::uint32_t first, std::uint32_t end, Access access) const noexcept {
  constexpr std::uint32_t kMostBetween = 64;
  if (end - first > kMostBetween) {
    return false;
  }
  for (std::uint32_t page = first; page < end; ++page) {
    if (pages_[page].pinned || access_of(pages_[page].state) != access) {
      return false;
    }
  }
  return true;
}

// Their states are such that they are to have it; faults and all else are excluded.
void Pages::protect_all(std::vector<std::uint32_t>* pages, Access access) noexcept {
  sort_once(pages);
  for (std::size_t begin = 0, end = 0; begin < pages->size(); begin = end) {
    const std::uint32_t first = (*pages)[begin];
    for (end = begin + 1; end < pages->size() && all_have((*pages)[end - 1] + 1, (*pages)[end], access);) {
      ++end;
    }
    if (!protect(first, (*pages)[end - 1] + 1 - first, access)) {
      close_all();
    }
  }
}

// Relaxed: faults and all else are excluded.
void Pages::close_unused(std::uint32_t first, std::uint32_t pages) noexcept {
  const std::unique_lock order(order_);
  bool failed = false;
  const auto closes = [&](std::uint32_t page) {
    return page < first + pages && !pages_[page].pinned && !(g.arena != nullptr && g.arena->in_use(page));
  };
  for (std::uint32_t page = first; page < first + pages; ++page) {
    const std::uint32_t begin = page;
    while (closes(page)) {
      ++page;
    }
    failed = (begin < page && !protect(begin, page - begin, Access::kNone)) || failed;
    for (std::uint32_t k = begin; k < page; ++k) {
      unused_[k].store(true, std::memory_order_relaxed);
    }
  }
  if (failed) {
    close_all();
    release_all();
  }
}

void Pages::close_all() noexcept {
  closing_ = true;
  count(Count::kClosed);
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
      cool(page);
    }
  }
  unsubscribe(0, g.pages);  // no copy is left
  n_hot_.store(0, std::memory_order_relaxed);
  (void)::madvise(twins_, g.bytes, MADV_DONTNEED);
  closing_ = false;
}

// ---- Homes, and what is fetched beforehand

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
      batch.fetch(page, run, contents(page), Batch::Next::kAsked, !pages_[page].dropped);
    }
    page += std::max<std::uint32_t>(run, 1);
  }
  // What comes meanwhile is taken in between: nobody else does so here, and who sends it would stand still.
  each_run(mapped, [this](std::uint32_t begin, std::uint32_t n) {
    for (std::uint32_t done = 0; done < n; done += kPagesOfMessage) {
      make_memory(begin + done, std::min(n - done, kPagesOfMessage));
      look_at_network();
    }
  });
  batch.wait();
  leave_network();  // all may have come before that had to wait
  for (const std::uint32_t page : mapped) {
    (void)on_fault(pages_[page], false);
  }
  count(Count::kPrefetched, mapped.size());
  protect_all(&mapped, Access::kRead);
  if (closing_) {
    release_all();
  }
}

void Pages::bring_home(std::uint32_t first, std::uint32_t pages, const Homed& homed) noexcept {
  const std::unique_lock order(order_);
  Batch batch;
  for (std::uint32_t k = 0; k < pages; ++k) {
    const std::uint32_t page = first + k;
    if (homed(k) != g.me) {
      continue;
    }
    if (homes_[page].load(std::memory_order_relaxed) == 0 && !homes_of_all_) {
      (void)settle_home(page, std::min(pages - k, kMostHomes), false);
    }
    (void)notice_move(page);
    if (homes_[page].load(std::memory_order_relaxed) != 0 && !is_home(pages_[page].state)) {
      batch.fetch(page, 1, contents(page));
      count(Count::kMoved);
    }
  }
  batch.wait();
}

// All have met behind bring_home(), and nobody does anything else.
void Pages::settle(std::uint32_t first, std::uint32_t pages, const Homed& homed) noexcept {
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
    const int home = homed(k);
    if (home == g.me) {
      keep_no_longer(first + k);
    } else if (is_home(before.state)) {
      left_.push_back(first + k);
    }
    // Nobody has a copy: what was one is dropped by all.
    here.state = home == g.me ? State::kShut : State::kAway;
    const auto number = static_cast<std::uint16_t>(home + 1);
    if (!homes_of_all_ || g.me == 0) {
      homes_[first + k].store(number, std::memory_order_relaxed);
    }
    // Who has said where a page is to be knows better than who looks at its writers.
    fixed_[first + k] = number;
    places_.set(first + k, home == g.me ? Place{.stays = kFixed} : Place{.to = number});
  }
  unsubscribe(first, pages);
  forget_subscribers(first, pages);
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

bool Pages::has_written_nothing() const noexcept {
  // Relaxed: a thread knows what it has done itself.
  return n_hot_.load(std::memory_order_relaxed) == 0 && !news_.load(std::memory_order_relaxed) &&
         !believes_.load(std::memory_order_relaxed) && !marks_.any();
}

bool Pages::has_nothing() const noexcept { return has_written_nothing() && !owes_beside(kOweNobody); }

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
