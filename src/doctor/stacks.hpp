// The calls that PEs are in which do not wait in Weft.
#pragma once

#include <string>
#include <vector>

#include "doctor/openmp_text.hpp"
#include "doctor/places.hpp"

namespace weft::doctor {

/// Looks them up, by `tool` (weft-where), of the first few that run: each is stopped for a moment. The result is a line
/// for people: of how many they are not shown, and why; "" when nothing is left to tell.
std::string look_up_stacks(const Job& job, const std::string& tool, std::vector<Pe>& pes);

/// The same of OpenMP threads that do not wait.
std::string look_up_stacks(const Job& job, const std::string& tool, const OpenMpView& view, ThreadStacks& stacks);

}  // namespace weft::doctor
