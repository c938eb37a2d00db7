// Code near the program's own that its places jump to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "omp/rewrite/carry.hpp"
#include "omp/sites/sites.hpp"

namespace weft::omp::rewrite {

inline constexpr std::size_t kMostStubBytes = 128;

/// Memory for stubs that code between the two addresses reaches, and its data; writable until closed.
class Stubs {
 public:
  base::Result<void> open(std::uintptr_t lo, std::uintptr_t hi, std::size_t stubs) noexcept;
  /// What is taken at the place, `bias` behind where its file has it, is done by the stub of that number. False: what
  /// the instruction names is too far away.
  bool add(const sites::Site& site, std::uintptr_t bias, std::uint64_t number, Place& place) noexcept;
  /// Where the last one begins.
  std::uintptr_t entry() const noexcept { return entry_; }
  /// From now on it is code.
  bool close() noexcept;

 private:
  void bytes(std::span<const std::uint8_t> all) noexcept;
  bool relative(std::uintptr_t target) noexcept;
  bool copy(const sites::Site& site, std::uintptr_t at) noexcept;
  bool move(const sites::Moved& moved, std::uintptr_t at, std::uintptr_t bias) noexcept;

  std::uint8_t* begin_ = nullptr;
  std::uint8_t* next_ = nullptr;
  std::size_t bytes_ = 0;
  std::uintptr_t entry_ = 0;
};

}  // namespace weft::omp::rewrite
