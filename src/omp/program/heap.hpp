// malloc and its kin, by which a program's memory is shared (heap.cpp).
#pragma once

#include <cstddef>

namespace weft::omp::program {

/// From now on the program's memory is shared; before, and after share_no_more, it is the C library's.
void share_heap() noexcept;
void share_no_more() noexcept;
/// What the code at `caller` asks for is the threads' of all processes.
bool shares_with(const void* caller) noexcept;

}  // namespace weft::omp::program
