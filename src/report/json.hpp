// The profile as JSON; its members are described in docs/profile.md.
#pragma once

#include <string>
#include <vector>

#include "report/model.hpp"

namespace weft::report {

/// version: of Weft.
std::string to_json(const Profile& profile, const std::vector<std::string>& hints, const std::string& version);

/// The events of the trace, in the format of Chrome and Perfetto.
std::string to_trace(const Profile& profile);

}  // namespace weft::report
