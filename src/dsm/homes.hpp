// Who is home of which page: a table that PE 0 has, beside the book. Who is there first becomes it. Pages move
// (protocol/place.hpp), and nobody tells the table: it says who was home once, and he knows where the page has gone.
#pragma once

#include <atomic>
#include <cstdint>

#include "dsm/parts.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

inline constexpr std::uint32_t kMostHomes = 64;

struct Homes {
  std::uint32_t pages = 0;               // of those asked for, from the first on: in use
  std::uint64_t claimed = 0;             // a bit for each that is at home at who asked since this call
  std::uint16_t homes[kMostHomes] = {};  // PEs from 1 on; 0: none
};

/// Of at most kMostHomes pages; those without a home become this PE's if `claim`.
Homes ask_homes(std::uint32_t first, std::uint32_t pages, bool claim) noexcept;
/// The same where the table is, on behalf of a PE.
Homes settle_homes(std::uint32_t first, std::uint32_t pages, int pe, bool claim) noexcept;

/// As it was when this node's table, or this PE's, heard of it last; -1: it has not, or there is none.
inline int known_home(std::uint32_t page) noexcept {
  // Relaxed: nothing else is told by it.
  return known_homes()[page].load(std::memory_order_relaxed) - 1;
}
/// Where the page has gone, from 1 on. What is no PE is not believed, and changes nothing.
inline void learn_home(std::uint32_t page, std::uint16_t home) noexcept {
  if (home != 0 && home <= g.n_pes) {
    known_homes()[page].store(home, std::memory_order_relaxed);
  }
}

}  // namespace weft::dsm
