// Who is home of which page: a table that PE 0 has, beside the book. Who is there first becomes it, and stays.
#pragma once

#include <cstdint>

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

}  // namespace weft::dsm
