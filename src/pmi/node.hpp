// The files of a node of a job that somebody else's launcher has started: its first PE makes them, the others open
// them.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/enter.hpp"
#include "pmi/identity.hpp"
#include "pmi/manager.hpp"

namespace weft::pmi {

// Memory for as long as the process lives; the library has no exceptions to tell that there is none.
template <class T>
T* make_array(int n) noexcept {
  void* at = ::mmap(nullptr, static_cast<std::size_t>(n) * sizeof(T), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<T*>(at);
}
template <class T>
void drop_array(T* array, int n) noexcept {
  (void)::munmap(array, static_cast<std::size_t>(n) * sizeof(T));
}
inline base::Error no_memory(int n) noexcept { return base::Error::make("no memory for what is known of %d PEs", n); }

/// The lowest PE that is proven to be on this machine; this one itself if it is the lowest.
base::Result<int> find_leader(Manager& manager, const Identity& own) noexcept;

/// As the first PE of its node: asks for all that is known of the job, and tells the others where the files are.
base::Result<boot::Attachment> make_node(Manager& manager, const base::Options& options) noexcept;

/// As any other PE, when the leader has told.
base::Result<boot::Attachment> open_node(Manager& manager, int leader) noexcept;

}  // namespace weft::pmi
