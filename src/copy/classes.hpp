// Classes of sizes, each of which copies find out for by itself, and the names of the routines.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "copy/copy.hpp"

namespace weft::copy {

inline constexpr int kChoices = 1
#define WEFT_COPY(name, text) +1
#include "../../api/algorithms.def"
    ;

// A class for each power of two, the last one without an end. Those below kSmall are not used.
inline constexpr std::size_t kLarge = std::size_t{16} << 20;
inline constexpr int kLastClass = std::bit_width(kLarge);
inline constexpr int kClasses = kLastClass + 1;

inline int class_number(std::size_t bytes) noexcept {
  return std::min(static_cast<int>(std::bit_width(bytes)), kLastClass);
}
/// The first class has nothing but 0.
inline std::size_t least_of_class(int number) noexcept { return number < 1 ? 0 : std::size_t{1} << (number - 1); }

/// What trials of one size took, of each routine that was tried: the least time, and the next one. 0: none. By whatever
/// measure, which is the same for all.
struct Times {
  double least[kChoices] = {};
  double next[kChoices] = {};

  void note(Choice choice, double time) noexcept;
};

struct Verdict {
  Choice choice = Choice::k_libc;
  int programs = 1;  // that this one counts as, see found.hpp
};

/// The fastest; or what was taken before, where that is nearly as fast.
Verdict judge(const Times& times, Choice before) noexcept;

/// As WEFT_COPY has it.
const char* name_of(Choice choice) noexcept;

/// kAuto: it is none of those.
Choice choice_of(Routine used) noexcept;

/// WEFT_COPY names one.
bool is_named() noexcept;

/// This processor has it, and it makes sense for so many bytes.
bool suits(Choice choice, std::size_t bytes) noexcept;

}  // namespace weft::copy
