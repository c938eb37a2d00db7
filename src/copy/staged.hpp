// Copies into memory that another processor has read since it was last written, as stages and boxes are.
#pragma once

#include <cstddef>

#include "copy/copy.hpp"

namespace weft::copy {

/// The same of kSmall bytes and more.
void copy_staged_large(void* to, const void* from, std::size_t bytes) noexcept;

/// As copy(). The target's lines are in another processor's cache, which copy() does not try: there the loop for
/// strings of an AMD processor of 2024 takes half of what loops of vector registers take, as it asks for no line's
/// contents, where it takes longer than these in the processor's own cache. So such copies find out by themselves: each
/// of the first ones tries a routine.
inline void copy_staged(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes >= kSmall) {
    copy_staged_large(to, from, bytes);
  } else if (bytes > 0) {
    copy_short(to, from, bytes);
  }
}

/// What such copies of a size take now: kAuto while they find out.
Choice chosen_staged(std::size_t bytes) noexcept;

}  // namespace weft::copy
