// Tables of environment variables. What all of Weft and OpenSHMEM read is one (options.hpp); another front end has one
// of its own, of which tools/gen makes such a table and the function that reads it (api/interfaces.toml).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"

#ifndef WEFT_SAFE
#define WEFT_SAFE 0
#endif

namespace weft::base {

inline constexpr std::int64_t kAuto = -1;

namespace option_kind {
struct Size {
  std::uint64_t value = 0;
  bool given = false;  // set by the user, not the default
};
struct Flag {
  bool on = false;
};
struct Count {
  std::int64_t value = kAuto;
};
struct Word {
  std::uint8_t choice = 0;
};
struct Text {
  const char* value = nullptr;  // null: not set, or empty
};
struct Debug {
  bool on = false;         // messages of what the library decides
  bool check = WEFT_SAFE;  // safe mode; a Weft that was built with WEFT_SAFE begins with it
  bool carry_on = false;   // which goes on after a report
  bool leaks = false;      // and at the end tells of all that was not given back
};
using size = Size;
using flag = Flag;
using count = Count;
using word = Word;
using debug = Debug;
using text = Text;
/// Choice 0 is auto; the others are in the order of api/algorithms.def.
using algorithm = Word;
}  // namespace option_kind

/// One line of a table as text.
struct OptionText {
  const char* identifier;
  const char* kind;
  const char* name;
  const char* older;  // "" where there is none
  const char* fallback;
  const char* text;
};

/// What an option of the kinds word and algorithm may be, a null pointer at the end.
struct OptionChoices {
  const char* identifier;
  const char* const* words;
};

struct OptionTable {
  const char* interface;  // whose they are, as people call it
  std::span<const OptionText> options;
  std::span<const OptionChoices> choices;

  /// Null: it is an option of another kind.
  const char* const* choices_of(const char* identifier) const noexcept;
};

/// Where values come from: getenv, or a test's own table. The newer name wins where both are set.
using Lookup = const char* (*)(const char* name);
/// The environment, as far as this process may trust it.
const char* in_environment(const char* name) noexcept;

/// The value of an option of the table, or one line that says what is wrong with what was given. The kind is the
/// table's.
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Size* into) noexcept;
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Flag* into) noexcept;
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Count* into) noexcept;
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Word* into) noexcept;
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Text* into) noexcept;
Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Debug* into) noexcept;

/// The first value of the table that is wrong, for who reads a front end's table without being it.
Result<void> check_options(const OptionTable& table, Lookup lookup) noexcept;

/// The value of SHMEM_DEBUG; null: not set.
option_kind::Debug parse_debug(const char* text) noexcept;

/// A positive integer or decimal number and at most one of k, m, g, t; what follows that letter is ignored. The value
/// is rounded up to a whole number of bytes. `name` is the variable, for the message.
Result<std::uint64_t> parse_size(const char* name, const char* text) noexcept;

}  // namespace weft::base
