// From the recordings of the PEs to the profile of the job.
#pragma once

#include "report/load.hpp"
#include "report/model.hpp"

namespace weft::report {

Profile merge(const Raw& raw);

}  // namespace weft::report
