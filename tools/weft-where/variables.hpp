// Static variables of a program, by its debug information: where they lie, and of which dimensions arrays are.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace weft::where {

/// Those of these names, which are names without scopes; those of Fortran in any case. A line for each, with tabs
/// between its parts:
///
///   name, scopes ("solver::", "/fields/", nothing), file and line, address as it was linked for, bytes, bytes of an
///   element, "rows", "columns", "pointer", "allocated", "thread" or "none", and for the first two the extents with
///   commas, in the order in which the program has them
std::vector<std::string> variables_named(const Session& session, const std::vector<std::string>& names);

}  // namespace weft::where
