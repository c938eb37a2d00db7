// How a lock is held.
#pragma once

#include <cstdint>

namespace weft::lock {

/// By many who only look, or by one who changes something.
enum class Mode : std::uint8_t { kShared, kExclusive };

}  // namespace weft::lock
