// Cancellation: who says that a construct is over, and who asks.
#pragma once

#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

enum class Construct : std::uint8_t { kParallel, kWork, kTaskgroup };

/// Whether threads are to leave it. Never, unless OMP_CANCELLATION says that there is such a thing.
bool is_cancelled(const Thread& self, Construct which) noexcept;
/// The innermost one is over. False: there is no cancellation.
bool cancel(Thread& self, Construct which) noexcept;

/// Whether threads are to leave the region, in whichever process it was cancelled. In sequentially consistent order,
/// for those that sleep.
bool region_is_over(const Team& team) noexcept;
/// A region over several processes begins, which may be cancelled in another one.
void listen(Team& team) noexcept;

/// Whether the innermost group, or the region, was cancelled.
bool tasks_cancelled(const Team& team, const Taskgroup* group) noexcept;

}  // namespace weft::omp
