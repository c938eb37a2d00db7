// Whose files are: a FILE, and with it a stream of C++, is of the process that has opened it, and each process has its
// FILEs at addresses of its own. A thread of another process that uses one faults there, and is told of both places.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace weft::omp::program {

/// After the shared memory has begun; all processes call. Where it cannot be, nothing is told.
void begin_files() noexcept;

/// A name may lie in pages that are not here, which the kernel does not fetch (dsm/libc). Null, and what is longer than
/// names are, stay what they are.
const char* name_here(const char* name, char (&copy)[PATH_MAX]) noexcept;

/// For a FILE that the calling thread opens, where that is what the C library wants memory for; null: it is not, or
/// there are too many.
void* room_for_file(std::size_t bytes, const void* caller) noexcept;
/// True: it was such a room, and is free now.
bool free_file(void* room) noexcept;

/// A sentence about a fault at such a room; null: there is none.
const char* whose_file(std::uintptr_t at) noexcept;

}  // namespace weft::omp::program
