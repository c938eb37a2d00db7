// Looking into a job that another oshrun runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "doctor/places.hpp"

namespace weft::doctor {

/// The job of the oshrun with this process id. It is only read.
base::Result<Job> look_in(int launcher);

/// Which PEs have a process.
std::vector<bool> living(const Job& job);

/// Process ids of the oshruns whose jobs we may look into.
std::vector<int> jobs();

}  // namespace weft::doctor
