// Faults on closed pages: plain loads and stores of the program to memory that was freed.
#pragma once

namespace weft::check {

/// After shmem_init, so that this looks at a fault before libweft.so does.
void watch_faults() noexcept;

}  // namespace weft::check
