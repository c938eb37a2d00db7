#include "dsm/windows.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/lines.hpp"
#include "dsm/counts.hpp"
#include "dsm/heap.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"
#include "os/mapping.hpp"

namespace weft::dsm {

// All but what is pinned.
void Pages::deny_all() noexcept {
  const auto deny = [](std::uintptr_t at, std::uint64_t bytes) {
    if (bytes != 0 && ::mprotect(reinterpret_cast<void*>(at), bytes, PROT_NONE) != 0) {
      base::fail(job::current_call(), "cannot protect the shared memory: %s", std::strerror(errno));
    }
  };
  std::uint64_t from = 0;
  for (const Run& run : pinned_) {
    const std::uint64_t to = std::uint64_t{run.first} * kPageBytes;
    deny(g.base + from, to - from);
    from = to + std::uint64_t{run.pages} * kPageBytes;
  }
  deny(g.base + from, g.bytes - from);
  for (int k = 0; k < g.n_windows; ++k) {
    deny(g.windows[k].at, g.windows[k].bytes);
  }
}

bool Pages::pin(std::uint32_t first, std::uint32_t pages) noexcept {
  const std::unique_lock order(order_);
  for (std::uint32_t k = 0; k < pages;) {
    const std::uint32_t known = settle_home(first + k, std::min(pages - k, kMostHomes), true);
    for (const std::uint32_t end = k + known; k < end; ++k) {
      // Those behind one whose home was known may have theirs still to find.
      if (homes_[first + k].load(std::memory_order_relaxed) == 0) {
        break;
      }
      (void)notice_move(first + k);
      if (!is_home(pages_[first + k].state) || !places_.change(first + k, &Place::fix)) {
        return false;
      }
    }
  }
  for (std::uint32_t page = first; page < first + pages; ++page) {
    Page& here = pages_[page];
    if (here.shared || here.state != State::kShut) {
      marks_.set(page);  // others may have copies, which are as old as any
    }
    here.state = State::kOpen;
    here.pinned = true;
    fixed_[page] = static_cast<std::uint16_t>(g.me + 1);
  }
  const Run run{first, pages};
  pinned_.insert(std::upper_bound(pinned_.begin(), pinned_.end(), run,
                                  [](const Run& a, const Run& b) { return a.first < b.first; }),
                 run);
  return protect(first, pages, Access::kWrite);
}

bool Pages::has_pinned(std::uint32_t first, std::uint32_t pages) noexcept {
  const std::unique_lock order(order_);
  return std::any_of(pinned_.begin(), pinned_.end(),
                     [&](const Run& run) { return run.first < first + pages && first < run.first + run.pages; });
}

void Pages::move_view(std::uint32_t first, std::uint32_t pages) noexcept {
  const std::unique_lock order(order_);
  (void)::mprotect(reinterpret_cast<void*>(g.base + std::uint64_t{first} * kPageBytes), std::size_t{pages} * kPageBytes,
                   PROT_NONE);
  for (std::uint32_t page = first; page < first + pages; ++page) {
    if (const Access access = access_of(pages_[page].state); access != Access::kNone) {
      (void)protect(page, 1, access);
    }
  }
}

base::Result<void> add_window(void* at, void* block, std::size_t bytes) noexcept {
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(block) - g.base;
  if (g.n_windows == kMostWindows) {
    return base::Error::make("more than %d pieces of memory at addresses of their own", kMostWindows);
  }
  // Of no old bytes: the same pages once more, at the other address.
  if (::mremap(block, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
    return base::Error::make("cannot map shared memory at %p: %s", at, std::strerror(errno));
  }
  record_window(reinterpret_cast<std::uintptr_t>(at), bytes, offset);
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
  std::for_each(unfit.begin(), unfit.end(), [](void* each) { (void)release_block(each); });
  return block;
}

std::byte* room_of_front_end(int pe) noexcept {
  const Part* const part = g.way == Way::kMemory ? nullptr : part_of(pe);
  return part == nullptr ? nullptr : part->room;
}

}  // namespace weft::dsm
