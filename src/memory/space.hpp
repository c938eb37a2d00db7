// This PE's window and the mappings of everybody else's.
//
//        lo                                                              lo + extent
//        |  symmetric heap  |   hole (text, constants, ...)   |  .data .bss  |        position-independent program
//        |  .data .bss  |   hole (room for brk)   |  symmetric heap          |        program at a fixed address
//
// The heap is placed as near the executable's data as its alignment allows, so that one range check and one addition
// serve both. The peers' windows are mapped in one reserved area, each laid out like ours (static data at our own
// distance from the heap, which differs from PE to PE under ASLR): so the addition is the same for heap and data.
// The hole is never accessible in a peer's copy: an address in it, which the range check alone would let pass,
// faults, and the fault is explained (memory/fault.hpp).
//
// Where a node has many PEs, a window of each costs too much: then all heaps are one mapping and all static data a
// second one, and the hole is longer than all of it (place_together; record 0133).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "os/executable.hpp"

namespace weft::memory {

struct Range {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  bool holds(std::uintptr_t at) const noexcept { return at >= lo && at < hi; }
  /// No bytes may lie at the end, too.
  bool holds_all(std::uintptr_t at, std::size_t bytes) const noexcept {
    // Behind the end the subtraction of `at` wraps; the first comparison has refused that.
    return at - lo <= hi - lo && bytes <= hi - at;
  }
  std::size_t bytes() const noexcept { return hi - lo; }
};

/// Where the job's memory lies. data_fd < 0: a job of one PE, whose heap is private memory.
struct Plan {
  int n_pes = 1;
  int me = 0;
  int data_fd = -1;
  std::uint64_t slot_bytes = 0;
  std::uint64_t static_offset = 0;
  std::uint64_t heap_bytes = 0;
  int heap_fd = -1;  // data_fd, unless the heaps lie in a file of their own
  std::uint64_t heap_slot_bytes = 0;
  bool advise_huge = false;  // ask for transparent huge pages
  /// Where the static data of each PE lies in a file of its own, from its beginning: this PE's, and what opens that of
  /// another one, for who closes it. -1: all of them lie in the data file.
  int statics_fd = -1;
  base::Result<int> (*open_statics)(int pe) = nullptr;
  /// The static data is to be symmetric.
  bool statics = true;
  /// Threads that run already and may write to static data: where it is not 0 the static data stays in its place, and
  /// is not symmetric.
  int threads = 0;
};

class Space {
 public:
  /// Before main: reserves the heap's and the peers' addresses and, where the plan says so, moves the static data into
  /// its file.
  base::Result<void> claim(const Plan& plan, const os::Executable& exe) noexcept;
  /// When the job starts, where the plan at claim could only say how many PEs and how large a heap there may be: what
  /// there is. Addresses stay as they are.
  base::Result<void> settle(const Plan& plan) noexcept;

  /// Back to before claim, where nothing is mapped yet.
  void give_back() noexcept;

  /// When the job starts: makes the heap and, after every PE has claimed, the peers usable.
  base::Result<void> map_heap() noexcept;
  base::Result<void> map_peers() noexcept;
  /// The static data of a PE that runs another program is none of ours: an access to it faults, and is explained.
  base::Result<void> hide_statics_of(int pe) noexcept;
  /// When the job ends: peers and heap go, the static data stays where it is. Their addresses stay reserved, for the
  /// next start and because programs may keep translated ones (include/weft/window.h).
  void unmap_all() noexcept;

  /// In a forked child: its static data becomes its own again. See memory/fork.cpp.
  void leave_job_after_fork(const void* saved) noexcept;
  /// After the descriptors were opened anew.
  void set_files(int data_fd, int heap_fd) noexcept {
    plan_.data_fd = data_fd;
    plan_.heap_fd = heap_fd;
    if (plan_.statics_fd < 0) {
      statics_fd_ = data_fd;
    }
  }
  /// The last bytes of the heap are the library's own: no operation of a program reaches them, and neither does a store
  /// that runs past the end of what is the program's, for the first `guard` of them are accessible to nobody on this
  /// node; to nobody by its own addresses where all heaps are one mapping. Called with the peers mapped.
  base::Result<void> keep_back(std::size_t bytes, std::size_t guard) noexcept;
  /// Copies the static data to `to`, which has room for statics().bytes().
  void save_statics(void* to) const noexcept;

  /// Whose copy an address among peers() is in, by its number here, and the address in our own window that reaches it.
  struct Place {
    int number = 0;
    std::uintptr_t local = 0;
  };
  Place place_of(std::uintptr_t at) const noexcept;

  bool mapped() const noexcept { return mapped_; }
  const Plan& plan() const noexcept { return plan_; }
  Range heap() const noexcept { return heap_; }
  /// What of it programs may use.
  Range blocks() const noexcept { return {heap_.lo, heap_.hi - kept_back_}; }
  Range statics() const noexcept { return statics_; }
  /// The static data that is not symmetric because so many threads ran already; empty, and 0, where it is.
  Range private_statics() const noexcept { return private_statics_; }
  int threads_at_claim() const noexcept { return threads_at_claim_; }
  /// The whole area of the peers' windows, guard pages included. Empty in a job of one PE.
  Range peers() const noexcept { return peers_; }
  std::size_t stride() const noexcept { return stride_; }
  std::uintptr_t lo() const noexcept { return lo_; }
  std::size_t extent() const noexcept { return extent_; }

  /// [address, address + bytes) is symmetric: within the heap or within the static data.
  bool symmetric(std::uintptr_t address, std::size_t bytes) const noexcept {
    return mapped_ && (blocks().holds_all(address, bytes) || in_pieces(address, bytes));
  }
  bool is_static(std::uintptr_t address, std::size_t bytes) const noexcept;
  /// Address of pe's copy. The address is symmetric and pe exists.
  std::uintptr_t peer(std::uintptr_t address, int pe) const noexcept {
    return peers_.lo == 0 ? address : peers_.lo + (address - lo_) + static_cast<std::size_t>(pe) * stride_;
  }

 private:
  // Each call that is given memory comes here, often with static data: a plain loop.
  bool in_pieces(std::uintptr_t address, std::size_t bytes) const noexcept {
    for (const Range *piece = pieces_, *const end = pieces_ + n_pieces_; piece != end; ++piece) {
      if (piece->holds_all(address, bytes)) {
        return true;
      }
    }
    return false;
  }
  void leave_statics(const os::Executable& exe, int threads) noexcept;
  base::Result<void> place_heap(const os::Executable& exe) noexcept;
  bool place_together(const os::Executable& exe) noexcept;
  void set_extent() noexcept;
  base::Result<void> find_pieces(const os::Executable& exe) noexcept;
  base::Result<void> share_statics() noexcept;
  base::Result<void> map_together() noexcept;
  base::Result<void> map_statics_of(int pe) noexcept;
  base::Result<void> reserve_peers() noexcept;
  void forget_peers() noexcept;
  base::Result<void> map_heap_of(int pe, std::uintptr_t at) const noexcept;
  std::uint64_t slot(int pe) const noexcept { return static_cast<std::uint64_t>(pe) * plan_.slot_bytes; }

  bool statics_file_is_open() const noexcept;

  Plan plan_;
  Range heap_;
  Range statics_;
  // The writable parts of the static data, in order. Only these are shared: some layouts (gcc's medium model) have
  // constants between them.
  Range pieces_[os::Executable::kMaxWritable];
  int n_pieces_ = 0;
  std::size_t kept_back_ = 0;
  Range private_statics_;
  int threads_at_claim_ = 0;
  // Where the static data of this PE lies, once it is shared.
  int statics_fd_ = -1;
  std::uint64_t statics_inode_ = 0;
  std::uint64_t statics_offset_ = 0;
  Range peers_;
  std::uintptr_t lo_ = 0;
  std::size_t extent_ = 0;
  std::size_t stride_ = 0;
  Range peers_area_;  // all that is reserved for peers_
  // All heaps are in one mapping and all static data in another; and where the hole between our own ends, from the
  // heap on.
  bool together_ = false;
  std::uintptr_t hole_hi_ = 0;
  bool mapped_ = false;
};

}  // namespace weft::memory
