// The environment of a program to be started: what it will find in a variable, and what comes before that.
#pragma once

#include <string>
#include <string_view>

#include "launch/processes/starter.hpp"

namespace weft::launch::processes {

/// The part's own value, of which the last counts, or this process's; empty: neither.
std::string value_of(const ProgramPart& part, std::string_view variable);

/// Of a list with colons: the value comes before what the program would have found there.
void put_first(ProgramPart& part, std::string_view variable, const std::string& value);

}  // namespace weft::launch::processes
