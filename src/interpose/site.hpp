// Places in the program, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::interpose {

/// A return address in the program for one that may be in a library of Weft's, such as that for Fortran: where the
/// program called that. Of the calls that are under way in this thread only.
const void* program_site(const void* return_address) noexcept;

/// Of whatever this thread is in, a signal handler or a wait of the library: the place in the program, not in the C
/// library, that was running. Like a return address, it is behind the instruction it means.
const void* interrupted_site() noexcept;

/// A place in the executable as a number that means the same on every PE; 0 for one that is elsewhere. And back.
std::uintptr_t site_offset(const void* site) noexcept;
const void* site_at(std::uintptr_t offset) noexcept;

/// "solve at solver.c:88" for each return address, or "program+0x1234" where there is no debug information. One run of
/// weft-where answers for all of them, so ask for many at once.
std::vector<std::string> describe_sites(const std::vector<const void*>& sites);
std::string describe_site(const void* site);

}  // namespace weft::interpose
