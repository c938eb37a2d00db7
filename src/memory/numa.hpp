// On which NUMA nodes the heap's pages lie. hwloc knows the machine, in a library of its own: libweft_placement.so,
// which is loaded only when it has something to do (record 0013).
#pragma once

#include <cstddef>

#include "base/options.hpp"
#include "base/result.hpp"
#include "memory/space.hpp"

namespace weft::memory {

/// What libweft_placement.so exports, under the name kPlaceFunction. `how` is a base::Numa. Zero when all pages that
/// are touched from now on will lie as asked; else `why`, which has room for `room` characters, says what was wrong.
using PlaceFunction = int (*)(void* at, std::size_t bytes, int how, char* why, std::size_t room);
inline constexpr char kPlaceFunction[] = "weft_place";

/// For this PE's own heap, mapped and not touched yet by anybody. `hugetlb`: it has reserved huge pages, in a file that
/// others map too.
base::Result<void> place(const Range& heap, base::Numa how, bool hugetlb) noexcept;

}  // namespace weft::memory
