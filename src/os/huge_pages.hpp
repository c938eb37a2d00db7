// Huge pages for shared memory: asking for them, and finding out what was got.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace weft::os {

/// A memory file backed by the pool of reserved 2 MiB pages, with all of its pages reserved: touching them later
/// cannot fail. The error says how many pages are missing and what to do.
base::Result<int> make_hugetlb_file(const char* name, std::uint64_t bytes) noexcept;

/// Gives all of a writable mapping of such a file, which nobody has touched yet, its pages now. An error where the NUMA
/// nodes that the mapping is bound to have too few: they are reserved for the machine, not for a node.
base::Result<void> take_hugetlb_pages(std::uintptr_t at, std::size_t bytes) noexcept;

/// Transparent huge pages are welcome here.
void advise_huge(std::uintptr_t at, std::size_t bytes) noexcept;

/// Whether the kernel's settings let advised memory have transparent huge pages; the error says what to change.
base::Result<void> transparent_huge_pages(bool shared) noexcept;

struct HugeUse {
  std::size_t resident = 0;  // bytes in memory
  std::size_t huge = 0;      // of them on huge pages
};
/// Of the mapping that begins at `at`.
HugeUse huge_use(std::uintptr_t at) noexcept;

}  // namespace weft::os
