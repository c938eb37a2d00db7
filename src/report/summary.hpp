// The profile on one screen of a terminal.
#pragma once

#include <string>
#include <vector>

#include "report/model.hpp"

namespace weft::report {

std::string summary(const Profile& profile, const std::vector<std::string>& hints);

}  // namespace weft::report
