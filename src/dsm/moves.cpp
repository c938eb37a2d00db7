// Pages that move to the PE that writes them (pages.hpp, protocol/place.hpp).
#include <sched.h>

#include <algorithm>
#include <deque>

#include "dsm/counts.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/pages.hpp"
#include "dsm/questions.hpp"
#include "dsm/runs.hpp"

namespace weft::dsm {
namespace {

// What comes from other nodes together: memory for so many pages.
constexpr std::size_t kMostAtATime = 256;

}  // namespace

// What changed in them is at their homes. Where copies are bounded, so is how much more memory homes take by this.
void Pages::take_homes() noexcept {
  std::vector<Far> far;
  sort_once(&wanted_);
  for (const std::uint32_t page : wanted_) {
    if (g.most_copies != 0 && taken_ + far.size() >= g.most_copies) {
      break;
    }
    const int pe = known_home(page);
    const Part* const home = part_of(pe);
    Place before;
    if (home == nullptr) {
      far.push_back({page, pe});
    } else if (home->places.change(page, &Place::close, &before)) {
      take(page, home->contents + std::size_t{page} * kPageBytes);
      home->places.change(page, [](Place& place) noexcept { return place.pass_on(g.me); });
    } else if ((before.stays & kFixed) != 0) {
      on_refused(pages_[page]);
    }
  }
  wanted_.clear();
  for (std::size_t k = 0; k < far.size(); k += kMostAtATime) {
    take_from_afar({far.data() + k, std::min(kMostAtATime, far.size() - k)});
  }
}

void Pages::take_from_afar(std::span<const Far> pages) noexcept {
  struct Asked {
    std::uint32_t first;
    std::uint32_t pages;
    transport::Reply given;
  };
  std::deque<Asked> asked;
  std::vector<std::byte> contents(pages.size() * kPageBytes);
  Batch batch;
  for (std::size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    const auto [first, home] = pages[begin];
    for (end = begin; end < pages.size() && end - begin < kPagesOfMessage && pages[end].page - first == end - begin &&
                      pages[end].home == home;
         ++end) {
      places_.change(pages[end].page, &Place::expect);
    }
    asked.push_back({first, static_cast<std::uint32_t>(end - begin), {}});
    batch.take(home, first, asked.back().pages, contents.data() + begin * kPageBytes, &asked.back().given);
  }
  batch.wait();
  const std::byte* room = contents.data();
  for (const Asked& each : asked) {
    const std::byte* fresh = room;
    for (std::uint32_t k = 0; k < each.pages; ++k) {
      if ((each.given.a >> k & 1) != 0) {
        take(each.first + k, fresh);
        fresh += kPageBytes;
      } else {
        places_.change(each.first + k, &Place::stay_away);
        if ((each.given.b >> k & 1) != 0) {
          on_refused(pages_[each.first + k]);
        }
      }
    }
    room += std::size_t{each.pages} * kPageBytes;
  }
}

// It has been closed where it was at home, with these contents.
void Pages::take(std::uint32_t page, const std::byte* fresh) noexcept {
  merge(contents(page), twin(page), fresh);
  on_taken(pages_[page]);
  {
    const std::scoped_lock lock(lists_);
    keep_no_longer(page);
    ++taken_;
  }
  learn_home(page, static_cast<std::uint16_t>(g.me + 1));
  places_.change(page, &Place::open);
  count(Count::kMigrations);
}

// If another PE has taken the page, what is here is a copy; true: so it is now. The lock of the page is held, or all is
// this thread's.
bool Pages::notice_move(std::uint32_t page) noexcept {
  if (!is_home(pages_[page].state)) {
    return false;
  }
  const Place place = places_.look(page);
  if (place.found() != Found::kGone) {
    return false;
  }
  on_moved(pages_[page]);
  if (!homes_of_all_) {
    learn_home(page, place.to);
  }
  const std::scoped_lock lock(lists_);
  taken_ -= taken_ > 0 ? 1 : 0;
  return true;
}

// Before the program may write pages that are at home here and in one state. Of how many that is so now: those from the
// first one on that nobody has taken. 0: look again.
std::uint32_t Pages::heat(std::uint32_t first, std::uint32_t pages) noexcept {
  std::uint32_t hot = 0;
  while (hot < pages && places_.change(first + hot, &Place::heat)) {
    ++hot;
  }
  if (hot == 0) {
    ::sched_yield();  // it is being taken just now
  }
  return hot;
}

// The program may not write them any more.
void Pages::cool(std::uint32_t page) noexcept { places_.change(page, &Place::cool); }

// Its home, where it stays from now on. The page's lock is held.
int Pages::fixed_home(std::uint32_t page) noexcept {
  if (fixed_[page] == 0) {
    (void)settle_home(page, 1, true);
  }
  while (fixed_[page] == 0) {
    const int home = known_home(page);
    const Part* const part = part_of(home);
    Place before;
    if (part != nullptr ? part->places.change(page, &Place::fix, &before) : fix_elsewhere(home, page, &before.to)) {
      fixed_[page] = static_cast<std::uint16_t>(home + 1);
    } else if (before.to != 0) {
      learn_home(page, before.to);
    } else {
      ::sched_yield();
    }
  }
  return fixed_[page] - 1;
}

}  // namespace weft::dsm
