// The tools of this front end: safe mode (src/check) and the profile (src/profile).
#pragma once

#include "job/tools.hpp"

namespace weft::shmem {

extern const job::Tool kTools[2];

constexpr job::Tools tools() noexcept { return kTools; }

}  // namespace weft::shmem
