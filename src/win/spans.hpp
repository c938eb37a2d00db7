// Where a window's changes of elements are under way at members of other nodes. Those of the same elements are made in
// the order of their calls, and so one waits for the other; all others go together (record 0167).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::win {

/// Of a member, from `low` up to `high`.
struct Span {
  int rank = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// A few of them: what one covers is changed somewhere in it, and nothing outside of all of them is.
class Spans {
 public:
  bool meet(const Span& one) const noexcept {
    return are_full_ || std::any_of(all_.begin(), all_.begin() + count_, [&](const Span& each) {
             return each.rank == one.rank && each.low < one.high && one.low < each.high;
           });
  }
  void add(const Span& one) noexcept {
    // What goes on where another one ended, as the parts of a long row do.
    const auto goes_on = [&](const Span& each) { return each.rank == one.rank && each.high == one.low; };
    Span* const end = all_.data() + count_;
    if (Span* const before = std::find_if(all_.data(), end, goes_on); before != end) {
      before->high = one.high;
    } else if (count_ < kMost) {
      all_[count_++] = one;
    } else if (Span* const nearest = nearest_to(one); nearest != nullptr) {
      *nearest = both(*nearest, one);
    } else {
      are_full_ = true;
    }
  }
  void clear() noexcept {
    count_ = 0;
    are_full_ = false;
  }

 private:
  static constexpr std::size_t kMost = 8;

  // With what lies between them, of which others wait without need.
  static Span both(const Span& one, const Span& other) noexcept {
    return {one.rank, std::min(one.low, other.low), std::max(one.high, other.high)};
  }
  // Null: the member has none.
  Span* nearest_to(const Span& one) noexcept {
    Span* nearest = nullptr;
    std::uint64_t least = 0;
    for (Span& each : all_) {
      const Span grown = both(each, one);
      const std::uint64_t more = (grown.high - grown.low) - (each.high - each.low);
      if (each.rank == one.rank && (nearest == nullptr || more < least)) {
        nearest = &each;
        least = more;
      }
    }
    return nearest;
  }

  std::array<Span, kMost> all_{};
  std::uint32_t count_ = 0;
  bool are_full_ = false;  // and something is changed somewhere, at whatever member
};

}  // namespace weft::win
