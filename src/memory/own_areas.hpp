// An area of each PE's own, beside the heap: all PEs of its node have it mapped, and only the PE itself allocates from
// it, whenever it wants and without the others. The book is in private memory, so that no peer can spoil it.
//
// The areas of a node lie one after another in the data file, behind the slots of the windows, equally large: a place
// in one is found by the PE's number on the node and an offset. The file is sparse, so an area costs what is touched of
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/result.hpp"
#include "memory/allocator.hpp"
#include "memory/space.hpp"

namespace weft::memory {

class OwnAreas {
 public:
  /// Sizes are multiples of this.
  static constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;

  struct Plan {
    int n_pes = 1;  // of the node
    int me = 0;
    int fd = -1;                         // the data file; -1: a job of one PE, whose area is private memory
    std::uint64_t offset = 0;            // where in it the first area begins
    std::uint64_t bytes = 0;             // of each area
    std::uint64_t in_core = UINT64_MAX;  // so much of this PE's, from its beginning, is in a core of it
    bool advise_huge = false;            // transparent huge pages are welcome
  };

  /// Maps the areas of all PEs. The file is long enough.
  base::Result<void> map(const Plan& plan) noexcept;
  /// All of them go, and what this PE's held.
  void unmap() noexcept;
  /// Then what this PE's held stays in the file: the program has it mapped (adopted.hpp).
  void keep_contents() noexcept { keeps_contents_ = true; }
  /// In a forked child, which is no PE and leaves its parent's as it is.
  void leave_after_fork() noexcept;

  bool mapped() const noexcept { return all_.lo != 0; }
  std::uint64_t bytes() const noexcept { return plan_.bytes; }
  /// This PE's, and all of the node.
  Range own() const noexcept { return range_of(plan_.me); }
  Range all() const noexcept { return all_; }

  /// The place in the area of a PE by its number on the node. Both exist.
  std::byte* at(int pe, std::uint64_t offset) const noexcept {
    return reinterpret_cast<std::byte*>(all_.lo + static_cast<std::uint64_t>(pe) * plan_.bytes + offset);
  }
  /// In the data file, of an offset in this PE's own.
  std::uint64_t place_in_file(std::uint64_t offset) const noexcept {
    return plan_.offset + static_cast<std::uint64_t>(plan_.me) * plan_.bytes + offset;
  }
  /// [offset, offset + bytes) lies in an area: for offsets that others have told of.
  bool holds(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return bytes <= plan_.bytes && offset <= plan_.bytes - bytes;
  }
  /// Blocks of kUnit and more are best aligned to it.
  bool wants_huge_pages() const noexcept { return plan_.advise_huge; }
  /// So much of this PE's, from its beginning, is in a core.
  std::uint64_t in_core() const noexcept { return plan_.in_core < plan_.bytes ? plan_.in_core : plan_.bytes; }
  /// Whose area an address is in, by the number on the node; -1: nobody's.
  int owner_of(std::uintptr_t address) const noexcept;

  /// An offset in this PE's area; empty where there is no room for it. What is there is not cleared. Any thread may
  /// call.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment = Allocator::kUnit) noexcept;
  /// False when nothing has been allocated there.
  bool release(std::uint64_t offset) noexcept;
  /// The same, and the memory of a block of at least `least` bytes goes back to the system, as far as it is whole
  /// pages.
  bool release_memory(std::uint64_t offset, std::uint64_t least) noexcept;
  std::uint64_t in_use() const noexcept;

 private:
  Range range_of(int pe) const noexcept {
    const std::uintptr_t lo = all_.lo + static_cast<std::uint64_t>(pe) * plan_.bytes;
    return all_.lo == 0 ? Range{} : Range{lo, lo + plan_.bytes};
  }

  Plan plan_{};
  Range all_{};
  bool keeps_contents_ = false;
  mutable std::mutex mutex_{};
  Allocator* book_ = nullptr;  // while mapped
};

}  // namespace weft::memory
