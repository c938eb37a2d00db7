// What PEs have recorded of windows of MPI (profile/window_record.hpp): put together, and told to people.
#pragma once

#include <string>

#include "report/load.hpp"
#include "report/model.hpp"

namespace weft::report {

/// When all that is of calls is in the profile, and before its places are sorted.
void merge_windows(const Raw& raw, Profile* profile);

/// "window 3", or with the program's name for it.
std::string name_of(const Window& window);
/// Nothing where there were none.
std::string windows_table(const Profile& profile);
/// "": nothing sticks out.
std::string windows_hint(const Profile& profile);

}  // namespace weft::report
