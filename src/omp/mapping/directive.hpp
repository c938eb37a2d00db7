// What a mapping says, as people write it: in a file of mappings (`u: *,block`), and in directives (`u[*][block]`). No
// system calls; any text may come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft::omp::mapping {

enum class Share : std::uint8_t {
  kWhole,   // *: the dimension is not divided
  kBlock,   // as many blocks as processes
  kCyclic,  // `many` at a time, by turns
  kIndex,   // of an alignment: a name that stands for it
};

struct Subscript {
  Share share = Share::kWhole;
  std::uint64_t many = 1;
  std::string index;
  std::string extent;  // where it is said: how many elements, of a file a number, of a directive an expression
};

/// In which order the elements lie: the last subscript counts fastest, or the first.
enum class Order : std::uint8_t { kUnsaid, kRows, kColumns };

struct Array {
  std::string name;
  std::vector<Subscript> subscripts;  // none: an alignment that says nothing of them
  Order order = Order::kUnsaid;
};

struct Mapping {
  Array array;
  bool aligned = false;
  Array with;  // then
};

inline constexpr std::size_t kMostDimensions = 15;

/// Of a file's line, without comment and blanks around it: `u: *,block`, `u[64][64]: block,*`, `f(i,j): like u(*,i,j)`.
base::Result<Mapping> parse_line(std::string_view line) noexcept;

/// What stands in the parentheses of `mapping(...)`: `u[*][block], f[i][*] like u[*][i]`. `columns`: Fortran's, with
/// round brackets.
base::Result<std::vector<Mapping>> parse_directive(std::string_view text, bool columns) noexcept;

/// What stands in those of `affinity(...)`: `u[i][*]`, one subscript of which is the variable of a loop.
base::Result<Array> parse_affinity(std::string_view text, bool columns) noexcept;

std::string_view trimmed(std::string_view text) noexcept;

}  // namespace weft::omp::mapping
