// Threads that the program makes itself: no message of a team holds them back (dsm/owed.hpp).
#pragma once

namespace weft::omp::program {

/// When what is told by messages may begin: some were made before that, by libraries as they were loaded.
void look_for_earlier_outsiders() noexcept;

}  // namespace weft::omp::program
