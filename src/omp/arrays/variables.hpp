// Static variables of the program by their names: what weft-where tells by debug information, and what symbols tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "omp/mapping/directive.hpp"

namespace weft::omp::arrays {

enum class Kind : std::uint8_t {
  kArray,
  kBytes,  // only their number is known
  kScalar,
  kPointer,
  kAllocated,
  kOfThreads,
};

struct Variable {
  std::string name;
  std::string scopes;    // "solver::", "/fields/"
  std::string place;     // "solve.c:12"; empty: it is a symbol's
  std::uint64_t at = 0;  // as it was linked for
  std::uint64_t bytes = 0;
  std::uint64_t element = 1;
  Kind kind = Kind::kBytes;
  mapping::Order order = mapping::Order::kUnsaid;
  std::vector<std::uint64_t> extents;  // as the program has them
};

/// What a name is without its file, scopes or COMMON block.
std::string_view last_name(std::string_view name) noexcept;

/// Lines of tools/weft-where/variables.hpp; what is none is left out.
std::vector<Variable> read_answers(std::string_view text) noexcept;
/// Symbols that may be the variable of that name, scopes and all.
std::vector<Variable> in_symbols(std::span<const std::byte> file, std::string_view name) noexcept;

/// `u`, `solve.c:u`, `solver::u` and `/fields/u` are names of variables called u.
bool is_called(const Variable& variable, std::string_view name) noexcept;

/// The one that a mapping means which has so many dimensions, 0: any number; or why there is none.
base::Result<Variable> choose(std::string_view name, const std::vector<Variable>& all, std::size_t dimensions) noexcept;

}  // namespace weft::omp::arrays
