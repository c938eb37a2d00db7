// What people are told of the pages of the heap and of this PE's own area: their size, and on which NUMA nodes they
// lie.
#pragma once

namespace weft::job {

/// When a front end starts: transparent huge pages were asked for, and the kernel's own setting rules them out.
void warn_of_huge_pages() noexcept;

/// With SHMEM_DEBUG, once memory has been touched.
void report_pages() noexcept;
/// The same of this PE's own area, which has the memory of windows.
void report_own_pages() noexcept;

}  // namespace weft::job
