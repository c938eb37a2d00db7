// What a PE does in an interval, by the site that names it (dsm/order.hpp; of it and the one before a number is made):
// programs do the same again and again, but something else behind each barrier. Of each site that is which of the
// others' pages it misses, and which pages it writes; so these come, and become writable, as the interval begins, all
// at once and without faults.
//
// Reads of pages that are here go unseen. So a page of which a site is known to read it is left out now and then: who
// misses it shows that he does. Writes are seen by comparing, but where what was stored was there before: there a page
// is left out as well. And how long the program goes on in it is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::dsm::protocol {

using Site = std::uint64_t;  // 0: none that is known

/// What the interval that runs has shown; each list is sorted, with nothing twice.
struct Seen {
  std::span<const std::uint32_t> missed;   // had been dropped, and were wanted
  std::span<const std::uint32_t> faulted;  // a fault made them writable
  std::span<const std::uint32_t> changed;  // were written
  std::span<const std::uint32_t> unsure;   // were written, perhaps by others
  std::uint64_t ns = 0;                    // until what ends it began
};

class Habits {
 public:
  /// Bounds of what is remembered. Sites beyond have no habits; a site that has no room for more keeps what it has.
  static constexpr std::size_t kMostSites = 2048;
  static constexpr std::size_t kMostPages = std::size_t{1} << 20;  // of all sites together
  /// So often a page comes before it is left out once; twice as often each time that it is missed then.
  static constexpr std::uint16_t kVisits = 4;
  static constexpr std::uint8_t kMostDoublings = 6;
  /// So many pages, at most, an interval that has not run before is supposed to read.
  static constexpr std::size_t kMostSupposed = 16;
  /// So often a page is made writable in vain, as what was stored was there before or nothing was. Where only others
  /// may have written it, it is so many times as often.
  static constexpr std::uint16_t kVain = 1;
  static constexpr std::uint16_t kUnsure = 16;
  /// A page at home that was found changed so often running is believed to be written; of so many visits one shows it.
  static constexpr std::uint8_t kSure = 4;
  static constexpr std::uint8_t kShown = 64;

  /// The interval has shown that, as far as it has gone.
  void learn(const Seen& seen) noexcept;
  /// From now on the interval is one of that site.
  void begin(Site site) noexcept;
  bool has_site() const noexcept { return now_ < sites_.size(); }
  /// How long the program went on in it when it ran last, or the time before, whichever is less: one long one among
  /// many short ones tells nothing of the next. For ever, where that is not known.
  std::uint64_t took_ns() const noexcept {
    return has_site() ? std::min(sites_[now_].ns, sites_[now_].before_ns) : UINT64_MAX;
  }

  /// Others have changed these copies, in their order. An interval that runs for the first time is supposed to read
  /// them, if they are few: they cost less than one fault for what another node has.
  void suppose(std::span<const std::uint32_t> pages) noexcept;
  /// Others have changed the page. True: it is to come, as it is read here. False: it is not, or is left out this time.
  bool expects(std::uint32_t page) noexcept;
  /// Calls take(page) for each page that is to come, of those that are wanted(page).
  template <class Wanted, class Take>
  void each_expected(Wanted&& wanted, Take&& take) noexcept {
    if (!has_site()) {
      return;
    }
    for (Read& each : sites_[now_].reads) {
      if (wanted(each.page) && visit(each)) {
        take(each.page);
      }
    }
  }
  /// Calls take(page, sure) for each page that the interval writes, of those that are wanted(page). `sure`: it need not
  /// be compared; true: it is not.
  template <class Wanted, class Take>
  void each_written(Wanted&& wanted, Take&& take) noexcept {
    if (!has_site()) {
      return;
    }
    for (Write& each : sites_[now_].writes) {
      if (wanted(each.page) && visit(each)) {
        each.warmed = true;
        each.believed = take(each.page, each.sure >= kSure && each.sure < kShown);
      }
    }
  }
  std::size_t pages() const noexcept { return pages_; }

 private:
  struct Read {
    std::uint32_t page;
    std::uint16_t left;  // visits
    std::uint8_t doublings;
    bool left_out;  // since the interval began
  };
  struct Write {
    std::uint32_t page;
    std::uint16_t left;  // visits that do not show it, where others may have written it
    std::uint8_t doublings = 0;
    std::uint8_t sure = 0;  // visits running
    bool left_out = false;  // since the interval began
    bool warmed = false;
    bool believed = false;
  };
  // Both are sorted.
  struct Of {
    Site site;
    std::vector<Read> reads;
    std::vector<Write> writes;
    std::uint64_t ns = UINT64_MAX;
    std::uint64_t before_ns = UINT64_MAX;
  };
  static bool visit(Read& read) noexcept;
  static bool visit(Write& write) noexcept { return !(write.left_out = write.left == 0); }
  // It was left out, and missed.
  template <class Habit>
  static void double_visits(Habit& habit, std::uint16_t visits) noexcept {
    habit.doublings = static_cast<std::uint8_t>(std::min(habit.doublings + 1, int{kMostDoublings}));
    habit.left = static_cast<std::uint16_t>(visits << habit.doublings);
    habit.left_out = false;
  }
  void learn_reads(Of& of, std::span<const std::uint32_t> missed) noexcept;
  void learn_writes(Of& of, const Seen& seen) noexcept;
  template <class Habit>
  void add(std::vector<Habit>& to, const std::vector<Habit>& some) noexcept;

  std::vector<Of> sites_;  // by site
  std::size_t now_ = SIZE_MAX;
  std::size_t pages_ = 0;
};

}  // namespace weft::dsm::protocol
