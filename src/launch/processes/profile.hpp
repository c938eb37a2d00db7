// oshrun's part of a profile: the folder before the job, and its summary behind it. The PEs record by themselves
// (src/profile), and weft-profile reads what they leave.
#pragma once

#include <string>

#include "base/result.hpp"

namespace weft::launch::processes {

/// A name for the folder of this job, which nobody has used.
std::string new_profile_folder();

/// Makes the folder, without what an earlier recording left in it. Gives back its absolute path, by which the PEs find
/// it wherever they go.
base::Result<std::string> prepare_profile(const std::string& folder);

/// Runs weft-profile, which prints the summary on our standard error. To be called when the job is over.
base::Result<void> show_profile(const std::string& folder);

}  // namespace weft::launch::processes
