// Address space: reserving, mapping, copying between mappings and files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace weft::os {

inline constexpr std::size_t kPage = 4096;  // x86-64; checked against sysconf at attach

constexpr std::uintptr_t round_down(std::uintptr_t value, std::uintptr_t to) noexcept { return value & ~(to - 1); }
constexpr std::uintptr_t round_up(std::uintptr_t value, std::uintptr_t to) noexcept {
  return (value + to - 1) & ~(to - 1);
}

/// Takes [at, at + bytes) without access rights. False when anything is mapped there already.
bool reserve_at(std::uintptr_t at, std::size_t bytes) noexcept;

/// Takes bytes anywhere, without access rights and without promising memory.
base::Result<std::uintptr_t> reserve(std::size_t bytes) noexcept;

/// Addresses that were reserved, for whoever wants them next.
void give_back(std::uintptr_t at, std::size_t bytes) noexcept;

/// Maps a part of a file, shared, over what is at `at`.
base::Result<void> map_shared_at(std::uintptr_t at, std::size_t bytes, int fd, std::uint64_t offset) noexcept;

/// Maps a file, shared, anywhere.
base::Result<std::uintptr_t> map_shared(std::size_t bytes, int fd) noexcept;

/// Maps a part of a file over what is at `at`, with pages of this process's own where it writes.
base::Result<void> map_copied_at(std::uintptr_t at, std::size_t bytes, int fd, std::uint64_t offset) noexcept;

/// Private zeroed memory anywhere.
base::Result<std::uintptr_t> map_private(std::size_t bytes) noexcept;

/// Private zeroed memory over what is at `at`.
base::Result<void> map_private_at(std::uintptr_t at, std::size_t bytes) noexcept;

/// Back to reserved: contents and access are gone, the addresses stay taken.
base::Result<void> forget_at(std::uintptr_t at, std::size_t bytes) noexcept;

/// A mapping goes over what is at `to`, at once: whoever looks finds the one or the other.
base::Result<void> move_over(std::uintptr_t at, std::size_t bytes, std::uintptr_t to) noexcept;

/// Gives the memory behind a shared mapping back to the file; it reads as zero afterwards. By the mapping and not by
/// the descriptor, which the program may have closed and another file may have by now.
void drop_contents(std::uintptr_t at, std::size_t bytes) noexcept;

/// Leaves the range out of core dumps.
void leave_out_of_core(std::uintptr_t at, std::size_t bytes) noexcept;

/// Gives the memory of a part of a shared file back; it reads as zero afterwards.
void punch_hole(int fd, std::uint64_t offset, std::size_t bytes) noexcept;

}  // namespace weft::os
