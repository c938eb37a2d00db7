// The page: one file with the profile, the script that draws it, and nothing from elsewhere.
#pragma once

#include <string>

namespace weft::report {

std::string to_page(const std::string& json);

}  // namespace weft::report
