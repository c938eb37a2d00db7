// Copies are bounded, and memory is given back (pages.hpp): who needs room for one more lets others go, those that were
// fetched first before all. The processor tells nobody which pages are used, so that is all there is to go by.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "dsm/counts.hpp"
#include "dsm/homes.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"
#include "dsm/questions.hpp"
#include "dsm/runs.hpp"

namespace weft::dsm {
namespace {

// Of these nothing is let go as long as there is another one: so many pages one instruction may need, and needs
// together.
constexpr std::size_t kNewest = kLeastCopies - 1;
// So many at a time, of all that there may be: each time takes all threads' faults to be over.
constexpr std::uint32_t kPart = 8;
// MADV_POPULATE_WRITE, which older headers do not have. From Linux 5.14 on; a kernel before that says EINVAL.
constexpr int kPopulateWrite = 23;

}  // namespace

// The locks of all of them are held, or all is this thread's.
bool Pages::reserve(std::uint32_t first, std::uint32_t* pages) noexcept {
  if (g.most_copies == 0 || is_home(pages_[first].state)) {
    return true;
  }
  const std::scoped_lock lock(lists_);
  for (std::uint32_t k = 0; k < *pages; ++k) {
    Page& page = pages_[first + k];
    if (page.kept) {
      continue;
    }
    if (n_kept_ >= g.most_copies) {
      *pages = k;
      return k > 0;
    }
    page.kept = true;
    ++n_kept_;
    kept_.push_back(first + k);
  }
  return true;
}

// It is at home here from now on. `lists_` is held, or all is this thread's.
void Pages::keep_no_longer(std::uint32_t page) noexcept {
  if (pages_[page].kept) {
    pages_[page].kept = false;
    --n_kept_;
  }
}

void Pages::make_room() noexcept {
  const std::unique_lock order(order_);
  evict(1);
  if (closing_) {
    release_all();
  }
}

// So that there is room for so many, and some more. Faults and all else are excluded.
void Pages::evict(std::uint32_t wanted) noexcept {
  if (g.most_copies == 0 || n_kept_ + std::uint64_t{wanted} <= g.most_copies) {
    return;
  }
  wanted = std::max(std::min(wanted, g.most_copies / 2), std::max(g.most_copies / kPart, 1U));
  // What was moved here by mapping is none any more, and what came back is there twice.
  std::vector<std::uint32_t> all;
  for (auto each = kept_.rbegin(); each != kept_.rend(); ++each) {
    if (pages_[*each].kept) {
      pages_[*each].kept = false;
      all.push_back(*each);
    }
  }
  std::reverse(all.begin(), all.end());
  const std::size_t older = all.size() - std::min(all.size(), kNewest);
  std::vector<std::uint32_t> gone;
  const auto take = [&](std::size_t end, bool written) {
    for (std::size_t k = 0; k < end && gone.size() < wanted; ++k) {
      Page& page = pages_[all[k]];
      if (!page.kept && (written || page.state != State::kWritten)) {
        page.kept = true;  // for now: it is taken
        gone.push_back(all[k]);
      }
    }
  };
  take(older, false);
  take(all.size(), true);
  kept_.clear();
  for (const std::uint32_t page : all) {
    if (!pages_[page].kept) {
      kept_.push_back(page);
    }
  }
  for (const std::uint32_t page : kept_) {
    pages_[page].kept = true;
  }
  for (const std::uint32_t page : gone) {
    pages_[page].kept = false;
  }
  n_kept_ = static_cast<std::uint32_t>(kept_.size());
  let_go(&gone);
}

void Pages::let_go(std::vector<std::uint32_t>* gone) noexcept {
  std::vector<std::uint32_t> open;
  std::vector<std::uint32_t> written;
  for (const std::uint32_t page : *gone) {
    if (has_twin(pages_[page].state)) {
      written.push_back(page);
    }
    if (is_copy(pages_[page].state)) {
      open.push_back(page);
    }
    on_evict(pages_[page]);
  }
  protect_all(&open, Access::kNone);
  bring_written_home(written);
  count(Count::kEvicted, gone->size());
  sort_once(gone);
  each_run(*gone, [](std::uint32_t first, std::uint32_t n) { unsubscribe(first, n); });
  forget(*gone);
}

// Pages that come here for the first time have no memory yet, and to have it made costs as much as what is put there:
// so that is done while the answer of another node is on its way. What has been dropped has memory, as it was a copy.
// Where there is none left, who stores there finds that.
void Pages::make_memory(std::uint32_t first, std::uint32_t pages) noexcept {
  // Relaxed: it only saves a call.
  if (!several_nodes() || cannot_make_memory_.load(std::memory_order_relaxed)) {
    return;
  }
  for (std::uint32_t page = first; page < first + pages;) {
    std::uint32_t run = 0;
    while (page + run < first + pages && !pages_[page + run].dropped && part_of(known_home(page + run)) == nullptr) {
      ++run;
    }
    if (run > 0 && ::madvise(contents(page), std::size_t{run} * kPageBytes, kPopulateWrite) != 0 && errno == EINVAL) {
      cannot_make_memory_.store(true, std::memory_order_relaxed);
      return;
    }
    page += run + 1;
  }
}

// Out of the file, and so out of both mappings.
void Pages::forget(const std::vector<std::uint32_t>& pages) noexcept {
  each_run(pages, [&](std::uint32_t first, std::uint32_t n) {
    (void)::madvise(contents(first), std::size_t{n} * kPageBytes, MADV_REMOVE);
  });
}

void Pages::settled() noexcept {
  forget(left_);
  left_.clear();
}

void Pages::set_renewal(std::uint32_t first, std::uint32_t pages, Renewal renewal) noexcept {
  const std::unique_lock order(order_);
  for (std::uint32_t page = first; page < first + pages; ++page) {
    pages_[page].renewal = renewal;
  }
}

}  // namespace weft::dsm
