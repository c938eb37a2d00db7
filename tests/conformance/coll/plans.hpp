// What is run for each operation: which types, sizes, teams, roots and placements meet.
#ifndef WEFT_TESTS_CONFORMANCE_COLL_PLANS_HPP
#define WEFT_TESTS_CONFORMANCE_COLL_PLANS_HPP

#include "operations.hpp"

namespace suite {

using Plan = void (*)();
/// nullptr: there is no such operation.
Plan plan_of(const char* operation);

void barriers();
void threads();

/// Numbers of elements around everything an algorithm could treat apart: none, one, less than members, a cache line,
/// the 64 bytes of a station's words, pieces of 4, 8 and 64 KiB.
std::vector<std::size_t> counts_for(std::size_t element);
/// A few of them, for many PEs.
std::vector<std::size_t> short_counts_for(std::size_t element);

}  // namespace suite

#endif
