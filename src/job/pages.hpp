// What people are told of the heap's pages: their size, and on which NUMA nodes they lie.
#pragma once

namespace weft::job {

/// In shmem_init: transparent huge pages were asked for, and the kernel's own setting rules them out.
void warn_of_huge_pages() noexcept;

/// With SHMEM_DEBUG, once memory has been touched.
void report_pages() noexcept;

}  // namespace weft::job
