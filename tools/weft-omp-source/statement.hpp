// What kind of statement of Fortran a line begins with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::source {

enum class Statement : std::uint8_t {
  kSpecification,
  kExecutable,
  kUnit,    // a program, subroutine or function begins
  kModule,  // or what has no statements of its own
  kContains,
  kEnd,    // of such a unit
  kInner,  // an interface or type begins, whose lines are not the unit's
  kEndInner,
};

/// Without blanks around it and labels before it, of any case.
Statement statement_of(std::string_view text);

/// In small letters.
std::string in_small(std::string_view text);

}  // namespace weft::source
