// What is told of a job that hangs, or is thought to.
#pragma once

#include <string>
#include <vector>

#include "doctor/places.hpp"

namespace weft::doctor {

/// What each PE does, and below that what is wrong as far as can be seen. `living` says of each PE whether its process
/// is there, `tool` is the path of weft-where.
std::vector<std::string> examine(const Job& job, const std::vector<bool>& living, const std::string& tool);

}  // namespace weft::doctor
