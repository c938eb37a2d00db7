// Lists of pages, and the runs in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::dsm {

inline void sort_once(std::vector<std::uint32_t>* pages) noexcept {
  // Mostly they are in their order.
  if (std::adjacent_find(pages->begin(), pages->end(), std::greater_equal<>()) == pages->end()) {
    return;
  }
  std::sort(pages->begin(), pages->end());
  pages->erase(std::unique(pages->begin(), pages->end()), pages->end());
}

// Calls take(first, how many) for each run of pages in a sorted list.
template <class Take>
void each_run(std::span<const std::uint32_t> pages, Take&& take) noexcept {
  for (std::size_t begin = 0, end = 0; begin < pages.size(); begin = end) {
    for (end = begin + 1; end < pages.size() && pages[end] == pages[end - 1] + 1;) {
      ++end;
    }
    take(pages[begin], static_cast<std::uint32_t>(end - begin));
  }
}

}  // namespace weft::dsm
