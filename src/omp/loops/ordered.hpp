// Loops with ordered regions: chunks have tickets, by their iterations, and run their ordered regions by turns.
#pragma once

#include "omp/loops/loops.hpp"

namespace weft::omp {

/// The next chunk, when the ordered regions of this thread's last one are over; it waits for its turn to say so.
bool next_ordered_chunk(Thread& self, Chunk& chunk, const void* site) noexcept;
/// Waits until the ordered regions of all earlier chunks are over.
void wait_for_turn(Thread& self, const void* site) noexcept;

}  // namespace weft::omp
