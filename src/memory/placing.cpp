// Where a PE's heap, and its mappings of the others' memory, find their addresses.
#include "memory/placing.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/words.hpp"
#include "memory/space.hpp"
#include "os/mapping.hpp"
#include "os/memory_info.hpp"

namespace weft::memory {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Between the end of a program at a fixed address and the heap: what brk may grow by before malloc turns to mmap.
// Address space only.
// The smaller ones serve where something large lies there (AddressSanitizer's shadow begins just below 2 GiB).
constexpr std::size_t kRoomsForBrk[] = {std::size_t{16} << 30, std::size_t{1} << 30, std::size_t{64} << 20};

// After each peer's window: an access that runs off its end faults instead of reaching the next PE.
constexpr std::size_t kGuard = kHugePage;

// The heap begins at a multiple of its own size rounded up to a power of two, on every PE: so the offsets that
// shmem_align computes are right on all of them, for every alignment that can be had at all.
std::uintptr_t heap_alignment(std::uint64_t bytes) noexcept {
  return std::max(std::bit_ceil(static_cast<std::uintptr_t>(bytes)), kHugePage);
}

}  // namespace

base::Result<void> Space::place_heap(const os::Executable& exe) noexcept {
  const std::uintptr_t align = heap_alignment(plan_.heap_bytes);
  // Nearest below the program first (position-independent programs lie high), then above it; farther away when
  // something is in the way.
  for (std::uintptr_t tries = 0; tries < 64; ++tries) {
    const std::uintptr_t distance = plan_.heap_bytes + tries * align;
    if (exe.lowest > distance + align) {
      const std::uintptr_t at = os::round_down(exe.lowest - distance, align);
      if (os::reserve_at(at, plan_.heap_bytes)) {
        heap_ = {at, at + plan_.heap_bytes};
        return {};
      }
    }
  }
  for (const std::size_t room : kRoomsForBrk) {
    for (std::uintptr_t tries = 0; tries < 16; ++tries) {
      const std::uintptr_t at = os::round_up(exe.highest + room + tries * align, align);
      if (os::reserve_at(at, plan_.heap_bytes)) {
        heap_ = {at, at + plan_.heap_bytes};
        return {};
      }
    }
  }
  return base::Error::make(
      "no room for a symmetric heap of %llu MiB near the program in the address space; lower %s or "
      "raise `ulimit -v`",
      static_cast<unsigned long long>(plan_.heap_bytes >> 20), base::words().heap_option);
}

// Heaps together, and static data together: the addresses between one PE's object and the next one's are the distance
// of their slots in the file, so one mapping has the heaps of all PEs and a second one their static data. The two must
// not meet, so this PE's own heap lies farther below its static data than all slots are long. What is between there is
// ours too, and accessible to nobody. It takes three times the addresses of all slots; where they cannot be had, or the
// program is not above (malloc's memory would be in the hole), each PE has a window with guards.
bool Space::place_together(const os::Executable& exe) noexcept {
  const bool in_one_file = plan_.data_fd >= 0 && plan_.heap_fd == plan_.data_fd && plan_.statics_fd < 0;
  if (plan_.n_pes <= kMostGuarded || !in_one_file || os::address_limit() != UINT64_MAX) {
    return false;
  }
  const std::size_t all = plan_.slot_bytes * static_cast<std::size_t>(plan_.n_pes);
  const std::uintptr_t align = heap_alignment(plan_.heap_bytes);
  const std::uintptr_t top = os::round_down(exe.lowest, os::kPage);
  if (top <= all + align) {
    return false;
  }
  const std::uintptr_t at = os::round_down(top - all, align);
  if (!os::reserve_at(at, top - at)) {
    return false;
  }
  heap_ = {at, at + plan_.heap_bytes};
  set_extent();
  const std::size_t total = (statics_.bytes() > 0 ? statics_.lo - heap_.lo : 0) + all + kHugePage;
  const auto area = os::reserve(total);
  if (!area) {
    os::give_back(at, top - at);
    return false;
  }
  hole_hi_ = top;
  stride_ = plan_.slot_bytes;
  peers_area_ = {*area, *area + total};
  peers_ = {os::round_up(*area, kHugePage), *area + total};
  return true;
}

void Space::set_extent() noexcept {
  const bool moves = statics_.bytes() > 0;
  lo_ = moves ? std::min(heap_.lo, statics_.lo) : heap_.lo;
  extent_ = (moves ? std::max(heap_.hi, statics_.hi) : heap_.hi) - lo_;
}

base::Result<void> Space::reserve_peers() noexcept {
  // Slots keep the heap's alignment modulo a huge page, and each ends with a guard.
  stride_ = os::round_up(extent_ + kGuard, kHugePage);
  const std::size_t lead = (lo_ - heap_.lo) & (kHugePage - 1);
  const std::size_t total = stride_ * static_cast<std::size_t>(plan_.n_pes) + 2 * kHugePage;
  const auto area = os::reserve(total);
  if (!area) {
    return area.error();
  }
  peers_area_ = {*area, *area + total};
  peers_ = {os::round_up(*area, kHugePage) + lead, *area + total};
  return {};
}

}  // namespace weft::memory
