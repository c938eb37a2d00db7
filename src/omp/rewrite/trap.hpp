// Places without room for a jump.
#pragma once

#include "base/result.hpp"

namespace weft::omp::rewrite {

/// From now on SIGTRAP of a place is carried out; another one goes to who handled the signal before.
base::Result<void> catch_traps() noexcept;

}  // namespace weft::omp::rewrite
