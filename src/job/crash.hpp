// What a PE tells of itself when it is about to end in error: from where a call was made that fails, and which calls it
// was in when a signal killed it.
#pragma once

namespace weft::job {

/// Before main.
void tell_where_calls_fail() noexcept;

/// From shmem_init on: signals that kill a program with a fault of its own are preceded by its stack. Of the first PE
/// of a job only: mostly all crash at the same place. A program's own handlers stay.
void tell_of_crashes() noexcept;

/// After a line that ends the program: shows the stack when it was about a fault.
void after_failure() noexcept;

}  // namespace weft::job
