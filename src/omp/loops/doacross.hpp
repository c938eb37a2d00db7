// Loops whose iterations wait for certain others: ordered(n) with depend, or doacross.
#pragma once

#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

/// For a loop that is set up, of n nested ones with so many iterations each; the work is in chunks of the first.
void make_doacross(Work& work, unsigned n, const std::uint64_t* counts, int team) noexcept;
void free_doacross(Work& work) noexcept;
/// This iteration's part that others wait for is over.
void post(Thread& self, const std::uint64_t* at) noexcept;
/// Until that iteration's is.
void await(Thread& self, const std::uint64_t* at, const void* site) noexcept;
/// How many numbers an iteration has in the loop at hand; 0: none is there.
unsigned doacross_numbers(const Thread& self) noexcept;

}  // namespace weft::omp
