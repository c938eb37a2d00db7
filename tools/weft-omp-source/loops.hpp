// Loops behind a directive, as far as what they begin with and how they go on; and the clause of the directive.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weft::source {

/// Expressions, as they are written.
struct Loop {
  std::string variable;
  std::string begin;
  std::string step;
};
/// Of what stands between the brackets of for: `int i = 1; i < n; i++`.
base::Result<Loop> read_for(std::string_view inside);
/// Of a statement without label and name: `do j = 1, n`.
base::Result<Loop> read_do(std::string_view statement);

/// Whether the word stands in the directive, outside of brackets, in any case.
bool has_clause(std::string_view directive, std::string_view word);
/// Takes `schedule(affinity, ...)` out and says schedule(runtime) instead: what stands behind the comma; nothing: it
/// has no such clause.
std::string take_affinity(std::string& directive);

}  // namespace weft::source
