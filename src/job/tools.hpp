// Tools: libraries of Weft's own that stand between the program and a front end's library and see every call: safe mode
// (src/check). Such a library defines all routines, under both of their names, so it has to come before the front end's
// in the order in which the dynamic linker looks: linked (oshcc --safe) or preloaded.
#pragma once

#include <span>

#include "base/result.hpp"

namespace weft::job {

struct Tool {
  const char* library;   // beside the front end's own
  const char* asked_by;  // for messages
  bool (*asked_for)() noexcept;
  bool (*loaded)() noexcept;
};
/// Of one front end, in the order in which a call comes to them.
using Tools = std::span<const Tool>;

/// Called first of all, from the constructor of a front end's library. Where the environment asks for a tool that is
/// not there, the program is started anew with it preloaded, so nobody has to build or start anything differently.
/// Returns in the program that has its tools; else says why it cannot have them.
base::Result<void> load_tools(char* const* argv, Tools tools) noexcept;

/// Then inline bodies must hand each call on to the tool.
bool tool_is_loaded(Tools tools) noexcept;

/// When the front end begins: says so where a tool is loaded and this call has not come by it.
void tell_of_blind_tools(Tools tools) noexcept;

}  // namespace weft::job
