// From what people said of arrays to the pieces of memory that processes have at home. Arithmetic alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "dsm/pieces.hpp"
#include "omp/mapping/directive.hpp"

namespace weft::omp::arrays {

/// An array of the program. The extents are in the order of its subscripts, as the program writes them.
struct Placed {
  std::uintptr_t at = 0;
  std::uint64_t bytes = 0;
  std::uint64_t element = 1;
  std::vector<std::uint64_t> extents;
};

struct Wish {
  std::string where;  // "u.map:3", for messages
  mapping::Mapping mapping;
  mapping::Order order = mapping::Order::kRows;  // of the array's elements
  Placed array;
  Placed with;  // where it is aligned
};

struct Planned {
  std::uintptr_t at = 0;
  std::uint64_t bytes = 0;
  dsm::Pieces pieces;
};

/// In their order. Those that are `known` may be aligned with, and come before. The error begins with the place of the
/// wish that it is about.
struct Known {
  std::uintptr_t at;
  int dimension;           // that is divided, as the program counts; -1: none is
  std::uint64_t together;  // indexes of it
};
struct Plan {
  std::vector<Planned> arrays;
  std::vector<Known> known;  // of all, for later
};
base::Result<Plan> plan(const std::vector<Wish>& wishes, const std::vector<Known>& known, int processes) noexcept;

/// With the extents that a mapping has said, numbers all of them: the array has as many elements. Without, an array of
/// which only the bytes are known has one dimension.
base::Result<Placed> place(const mapping::Array& array, std::uintptr_t at, std::uint64_t bytes, std::uint64_t element,
                           const std::vector<std::uint64_t>& extents) noexcept;

/// A mapping as people write it: "u (*,block)".
std::string text_of(const mapping::Mapping& mapping) noexcept;

}  // namespace weft::omp::arrays
