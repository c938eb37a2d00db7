// Call sites as lines of the source.
#pragma once

#include <string>

#include "report/load.hpp"
#include "report/model.hpp"

namespace weft::report {

/// Asks weft-where, the program at this path, for the places where most time went; without it, and for places it does
/// not know, they stay "program+0x1234".
void describe_places(Profile& profile, const std::string& weft_where);

/// The same for memory whose pages moved: variables, where a page is of the one at its beginning, and where the program
/// got blocks.
void describe_moved(const Raw& raw, Profile& profile, const std::string& weft_where);

}  // namespace weft::report
