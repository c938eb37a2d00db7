#include "dsm/protocol/habits.hpp"

#include <algorithm>
#include <utility>

namespace weft::dsm::protocol {
namespace {

// Looks pages up in a sorted list, where they are asked for in their order: both are gone through once, as intervals
// that write thousands of pages end as often as others.
class InOrder {
 public:
  explicit InOrder(std::span<const std::uint32_t> sorted) noexcept : left_(sorted) {}
  bool has(std::uint32_t page) noexcept {
    while (!left_.empty() && left_.front() < page) {
      left_ = left_.subspan(1);
    }
    return !left_.empty() && left_.front() == page;
  }

 private:
  std::span<const std::uint32_t> left_;
};

template <class Habit>
Habit* find(std::vector<Habit>& all, std::uint32_t page) noexcept {
  const auto at = std::lower_bound(all.begin(), all.end(), page,
                                   [](const Habit& each, std::uint32_t wanted) { return each.page < wanted; });
  return at != all.end() && at->page == page ? &*at : nullptr;
}

}  // namespace

bool Habits::visit(Read& read) noexcept {
  if (read.left == 0) {
    read.left_out = true;
    return false;
  }
  --read.left;
  return true;
}

bool Habits::expects(std::uint32_t page) noexcept {
  if (!has_site()) {
    return false;
  }
  Read* const read = find(sites_[now_].reads, page);
  return read != nullptr && visit(*read);
}

void Habits::suppose(std::span<const std::uint32_t> pages) noexcept {
  if (has_site() && sites_[now_].ns == UINT64_MAX && pages.size() <= kMostSupposed) {
    learn_reads(sites_[now_], pages);
  }
}

void Habits::begin(Site site) noexcept {
  const auto at = std::lower_bound(sites_.begin(), sites_.end(), site,
                                   [](const Of& each, Site wanted) { return each.site < wanted; });
  now_ = static_cast<std::size_t>(at - sites_.begin());
  if (at != sites_.end() && at->site == site) {
    return;
  }
  if (site == 0 || sites_.size() == kMostSites) {
    now_ = SIZE_MAX;
    return;
  }
  sites_.insert(at, Of{.site = site, .reads = {}, .writes = {}});
}

// Of both lists together it becomes one, as far as there is room.
template <class Habit>
void Habits::add(std::vector<Habit>& to, const std::vector<Habit>& some) noexcept {
  const std::size_t room = kMostPages - std::min(pages_, kMostPages);
  const auto old = static_cast<std::ptrdiff_t>(to.size());
  const std::size_t fit = std::min(room, some.size());
  if (fit == 0) {
    return;
  }
  to.insert(to.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(fit));
  std::inplace_merge(to.begin(), to.begin() + old, to.end(),
                     [](const Habit& a, const Habit& b) { return a.page < b.page; });
  pages_ += fit;
}

void Habits::learn_reads(Of& of, std::span<const std::uint32_t> missed) noexcept {
  if (of.reads.empty() && missed.empty()) {
    return;
  }
  std::vector<Read> fresh;
  for (const std::uint32_t page : missed) {
    Read* const read = find(of.reads, page);
    if (read == nullptr) {
      fresh.push_back({page, kVisits, 0, false});
    } else if (read->left_out) {
      double_visits(*read, kVisits);
    }
  }
  // Who was left out and is not missed is not read there any more.
  pages_ -= std::erase_if(of.reads, [](const Read& each) { return each.left_out; });
  add(of.reads, fresh);
}

void Habits::learn_writes(Of& of, const Seen& seen) noexcept {
  InOrder in_faulted(seen.faulted);
  InOrder in_changed(seen.changed);
  InOrder in_unsure(seen.unsure);
  pages_ -= std::erase_if(of.writes, [&](Write& each) {
    const bool faulted = in_faulted.has(each.page);
    const bool changed = in_changed.has(each.page);
    const bool unsure = in_unsure.has(each.page);
    const bool warmed = std::exchange(each.warmed, false);
    const bool believed = std::exchange(each.believed, false);
    if (believed && faulted) {
      each.sure = 0;  // it is written behind a release, too
    } else if (believed) {
      ++each.sure;
    } else if (changed) {
      each.left = static_cast<std::uint16_t>(kVain * kUnsure << each.doublings);
      each.left_out = false;
      each.sure = static_cast<std::uint8_t>(each.sure == kShown ? kSure : each.sure + 1);
    } else if (each.left_out && faulted) {
      double_visits(each, kVain * kUnsure);
    } else if (warmed) {
      each.sure = 0;
      each.left -= std::min(each.left, unsure ? std::uint16_t{1} : kUnsure);
    }
    return each.left_out;
  });
  if (seen.changed.empty() && seen.faulted.empty()) {
    return;
  }
  std::vector<Write> fresh;
  const auto note = [&](std::span<const std::uint32_t> pages) {
    fresh.clear();
    auto known = of.writes.cbegin();
    for (const std::uint32_t page : pages) {
      known = std::find_if(known, of.writes.cend(), [page](const Write& each) { return each.page >= page; });
      if (known == of.writes.cend() || known->page != page) {
        fresh.push_back({page, kVain * kUnsure});
      }
    }
    add(of.writes, fresh);
  };
  note(seen.changed);
  note(seen.faulted);
}

void Habits::learn(const Seen& seen) noexcept {
  if (!has_site()) {
    return;
  }
  learn_reads(sites_[now_], seen.missed);
  learn_writes(sites_[now_], seen);
  sites_[now_].before_ns = std::exchange(sites_[now_].ns, seen.ns);
}

}  // namespace weft::dsm::protocol
