// From how many PEs of a node on their memory lies together.
#pragma once

namespace weft::memory {

/// So many have guards between their windows, each with mappings of its own. More have two mappings for all, where
/// nothing is in the way (Space::place_together; record 0133).
inline constexpr int kMostGuarded = 32;

}  // namespace weft::memory
