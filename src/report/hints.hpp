// What sticks out of a profile, in sentences. Only what its numbers show: each hint has them.
#pragma once

#include <string>
#include <vector>

#include "report/model.hpp"

namespace weft::report {

std::vector<std::string> hints(const Profile& profile);

}  // namespace weft::report
