// In place of src/os/clock.hpp: time is that of the explorer.
#pragma once

#include <cstdint>

#include "models/explore.hpp"

namespace weft::os {
inline std::uint64_t now_ns() noexcept { return explore::now_ns(); }
}  // namespace weft::os
