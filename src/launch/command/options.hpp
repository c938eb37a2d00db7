// The options of oshrun, in one table: from it come the parser, the help text and the guess at a mistyped word.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "launch/command/arguments.hpp"

namespace weft::launch::command {

/// An option as the user wrote it: `-n`, `-np` and `--np` are one option, and messages repeat the user's spelling.
struct Given {
  std::string_view spelling;
  std::string_view value;
};

struct Option {
  std::string_view name;      // with its dashes
  std::string_view spelling;  // what the help text shows: all ways to write it, and the value
  std::string_view value;     // what the value is called; empty: it has none; "[=VALUE]": it may be left out
  std::string_view help;      // empty: one for few users, which only the manual tells of
  bool value_is_optional() const { return value.starts_with("[="); }  // then it is a part of the word
  base::Result<void> (*take)(const Given& given, Arguments& arguments);
};

std::span<const Option> options();

/// The option of this name (`-v`, `--verbose`), nullptr when there is none.
const Option* find_option(std::string_view name);

/// The same of a word with one dash in place of two, as other launchers have it: `-wdir`.
const Option* find_long_option(std::string_view name);

base::Error no_such_option(std::string_view name);

}  // namespace weft::launch::command
