// PEs of one machine find each other by names: each has a socket that nobody speaks to, and the kernel lists them all.
// A name is a hint: what it leads to is proven (evidence.hpp).
#pragma once

#include <cstdint>

#include "base/result.hpp"

namespace weft::pmi {

/// Takes the name of this PE of the job that the manager calls so. The descriptor keeps it; an error where another
/// process has it, or there are no such names here.
base::Result<int> take_name(const char* job, int pe) noexcept;

/// PEs of the job that have one on this machine, ascending.
struct Named {
  std::int32_t* pes = nullptr;
  int n = 0;
};
/// The kernel's list of all names; an error where this PE cannot look.
base::Result<int> open_names() noexcept;
/// In that list, which is closed then: PEs below `most`. drop_array() takes them back.
base::Result<Named> find_named(int names, const char* job, int most) noexcept;

/// From what the kernel lists: the PE that a line of it names, -1 for none. `job` as name_of_job() made it.
int pe_in_line(const char* line, const char* job) noexcept;
struct JobName {
  char text[32];
};
JobName name_of_job(const char* job) noexcept;

}  // namespace weft::pmi
