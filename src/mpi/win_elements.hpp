// Windows: elements of accumulates, and what operations do with them.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/datatypes.hpp"
#include "mpi/ops.hpp"
#include "win/elements.hpp"

namespace weft::mpi {

/// The one predefined datatype that another one is made of.
struct Element {
  const Datatype* type = nullptr;
  std::size_t bytes = 0;      // in a row
  std::size_t in_memory = 0;  // from one to the next, as an operation's loop has them

  bool is_plain() const noexcept { return bytes == in_memory; }
};
/// Without a type: there is no such one.
Element element_of(const Datatype& type) noexcept;

/// What the operation does with such elements. False: there is no such.
bool change_of(const Op& op, const Datatype& element, win::Change* change) noexcept;

/// Of elements at a time, in bytes.
inline constexpr std::size_t kMostElements = 4096;
/// Rows of at most so many bytes: `into` becomes what the operation makes of both.
void combine(const Element& element, const win::Change& change, const std::byte* with, std::byte* into,
             std::size_t count) noexcept;

/// What members of other nodes ask for is carried out here.
void set_up_far_elements() noexcept;

}  // namespace weft::mpi
