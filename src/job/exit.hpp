// One PE ends the job for all.
#pragma once

namespace weft::job {

/// Asks the launcher to end everybody with this status; the first PE that asks counts. The caller ends this process.
void ask_all_to_exit(int status) noexcept;

}  // namespace weft::job
