// Tools: libraries of Weft's own that stand between the program and libweft.so and see every call: safe mode
// (src/check). Such a library defines all routines, under both of their names, so it has to come before libweft.so in
// the order in which the dynamic linker looks: linked (oshcc --safe) or preloaded.
#pragma once

#include "base/result.hpp"

namespace weft::job {

/// Called first of all, from this library's constructor. Where the environment asks for a tool that is not there, the
/// program is started anew with it preloaded, so nobody has to build or start anything differently. Returns in the
/// program that has its tools; else says why it cannot have them.
base::Result<void> load_tools(char* const* argv) noexcept;

/// Then inline bodies must hand each call on to the tool.
bool tool_is_loaded() noexcept;

/// In shmem_init: says so where a tool is loaded and this call has not come by it.
void tell_of_blind_tools() noexcept;

}  // namespace weft::job
