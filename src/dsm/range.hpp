// Addresses of the shared memory: the same on all PEs, so all try the same places and take the first that is free
// everywhere. Other software has addresses of its own liking too.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

std::uintptr_t place(int number) noexcept;
/// Takes all places at which there is room for so many bytes. A bit for each.
std::uint64_t take_places(std::uint64_t bytes) noexcept;
/// Gives back those of `taken` but for number `kept`; -1: all.
void give_places_back(std::uint64_t taken, int kept, std::uint64_t bytes) noexcept;

}  // namespace weft::dsm
