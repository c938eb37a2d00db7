// A front end for tests that stands on the core alone: no symmetric heap, no moved static data; an area of each PE's
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace toy {

/// All PEs begin, and end. False, with a line said, where this one cannot.
bool begin();
void end();

int me();
int n_pes();

/// In this PE's own area.
std::optional<std::uint64_t> allocate(std::uint64_t bytes);
bool release(std::uint64_t offset);
/// A place in the area of any PE of the node.
std::byte* at(int pe, std::uint64_t offset);

/// All PEs have come here, and see what the others did before.
void meet();

/// The symmetric memory that other front ends have brought is mapped, as far as the job knows.
bool symmetric_memory();
/// The address lies in memory that a file of the job backs, by the kernel's own account.
bool in_a_file_of_the_job(const void* address);

}  // namespace toy
