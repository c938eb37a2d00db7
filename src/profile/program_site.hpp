// Where the program made a call that came to us through the libraries for Fortran.
#pragma once

namespace weft::profile {

/// Looks whether they are loaded.
void find_fortran() noexcept;

/// For a return address in them, where the program called them; else the same.
const void* place_in_program(const void* return_address) noexcept;

}  // namespace weft::profile
