#include "dsm/windows.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "dsm/heap.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/state.hpp"
#include "os/mapping.hpp"

namespace weft::dsm {

base::Result<void> add_window(void* at, void* block, std::size_t bytes) noexcept {
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block) - g.base;
  if (g.n_windows == kMostWindows) {
    return base::Error::make("more than %d pieces of memory at addresses of their own", kMostWindows);
  }
  // Of no old bytes: the same pages once more, at the other address.
  if (::mremap(block, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
    return base::Error::make("cannot map shared memory at %p: %s", at, std::strerror(errno));
  }
  if (g.way == Way::kMemory) {
    return {};
  }
  // As the first page was, which says nothing of the others.
  if (::mprotect(at, bytes, PROT_NONE) != 0) {
    return base::Error::make("cannot protect memory at %p: %s", at, std::strerror(errno));
  }
  g.windows[g.n_windows] = {reinterpret_cast<std::uintptr_t>(at), bytes, offset};
  ++g.n_windows;
  g_pages->move_view(static_cast<std::uint32_t>(offset / kPageBytes), static_cast<std::uint32_t>(bytes / kPageBytes));
  return {};
}

void* allocate_pinned(std::size_t bytes) noexcept {
  bytes = os::round_up(bytes, kPageBytes);
  void* block = allocate(bytes, kPageBytes);
  if (g.way == Way::kMemory) {
    return block;
  }
  // What was in use before may have pages that are at home elsewhere; it is kept until there is another one.
  std::vector<void*> unfit;
  while (block != nullptr &&
         !g_pages->pin(static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(block) - g.base) / kPageBytes),
                       static_cast<std::uint32_t>(bytes / kPageBytes))) {
    unfit.push_back(block);
    block = allocate(bytes, kPageBytes);
  }
  std::for_each(unfit.begin(), unfit.end(), release_block);
  return block;
}

std::byte* room_of_front_end(int pe) noexcept {
  const Part* const part = g.way == Way::kMemory ? nullptr : part_of(pe);
  return part == nullptr ? nullptr : part->room;
}

}  // namespace weft::dsm
