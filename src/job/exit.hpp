// One PE ends the job for all.
#pragma once

namespace weft::job {

/// Asks the launcher to end everybody with this status; the first PE that asks counts. The caller ends this process.
void ask_all_to_exit(int status) noexcept;

/// Where another launcher than oshrun started the job: tells it to end everybody, and why.
void end_managed_job(int status, const char* why) noexcept;

/// Asks all to exit and ends this process, without its exit handlers: they may wait for others.
[[noreturn]] void end_all_now(int status) noexcept;

}  // namespace weft::job
