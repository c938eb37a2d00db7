#include "base/option_table.hpp"

#include <locale.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace weft::base {
namespace {

// Keeps n_pes * (heap + static part) far inside a file offset.
constexpr std::uint64_t kLargestHeap = std::uint64_t{1} << 48;

struct Found {
  const char* name = nullptr;  // the variable that was set
  const char* value = nullptr;
};

Found find_value(const OptionText& option, Lookup lookup) noexcept {
  if (const char* value = lookup(option.name)) return {option.name, value};
  if (option.older[0] != '\0') {
    if (const char* value = lookup(option.older)) return {option.older, value};
  }
  return {};
}

int suffix_shift(char letter) noexcept {
  switch (letter) {
    case 'k':
    case 'K': return 10;
    case 'm':
    case 'M': return 20;
    case 'g':
    case 'G': return 30;
    case 't':
    case 'T': return 40;
    default: return -1;
  }
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

const char* in_environment(const char* name) noexcept { return ::secure_getenv(name); }

const char* const* OptionTable::choices_of(const char* identifier) const noexcept {
  for (const OptionChoices& each : choices) {
    if (std::strcmp(each.identifier, identifier) == 0) return each.words;
  }
  return nullptr;
}

option_kind::Debug parse_debug(const char* text) noexcept {
  option_kind::Debug debug;
  if (text == nullptr) return debug;
  std::string_view rest = text;
  do {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (word == "check") {
      debug.check = true;
    } else if (word == "unchecked") {
      debug.check = false;
    } else if (word == "continue") {
      debug.carry_on = true;
    } else if (word == "leaks") {
      debug.leaks = true;
    } else {
      debug.on = true;
    }
    rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : rest.size());
  } while (!rest.empty());
  return debug;
}

Result<std::uint64_t> parse_size(const char* name, const char* text) noexcept {
  const auto wrong = [&](const char* what) {
    return Error::make("%s=%.60s %s; give a positive number and at most one of k, m, g, t, such as 512m or 1.5g", name,
                       text, what);
  };
  // strtod would follow the program's locale and take "inf", "nan" and "0x10". The first characters rule those words
  // out. from_chars knows no locale, but brings libm and a part of libstdc++ into every PE: 60 us of its start.
  const char* begin = *text == '+' ? text + 1 : text;
  if (*text == '\0') return wrong("is empty");
  if (*text == '-') return wrong("is negative");
  const bool number = is_digit(begin[0]) || (begin[0] == '.' && is_digit(begin[1]));
  if (!number || (begin[0] == '0' && (begin[1] | 0x20) == 'x')) return wrong("is not a number");

  // Most are whole numbers, the defaults that each PE reads among them: without what strtod touches of the C library.
  std::uint64_t count = 0;
  const auto [behind, error] = std::from_chars(begin, text + std::strlen(text), count);
  const int by = error != std::errc{} ? -1 : *behind == '\0' ? 0 : suffix_shift(*behind);
  if (by >= 0) {
    if (count == 0) return wrong("is zero");
    if (count > kLargestHeap >> by) return wrong("is too large (the limit is 256t)");
    return count << by;
  }

  char* stop = nullptr;
  const locale_t plain = ::newlocale(LC_NUMERIC_MASK, "C", nullptr);
  if (plain == nullptr) return wrong("could not be read: no memory");
  const double value = ::strtod_l(begin, &stop, plain);
  ::freelocale(plain);
  const int shift = *stop == '\0' ? 0 : suffix_shift(*stop);
  if (shift < 0) return wrong("does not end in a known letter");
  // A power of two scales a double without rounding, so what is rounded up is the exact product of what was parsed.
  const double bytes = value * static_cast<double>(std::uint64_t{1} << shift);
  if (bytes <= 0) return wrong("is zero");
  if (bytes > static_cast<double>(kLargestHeap)) return wrong("is too large (the limit is 256t)");
  const auto whole = static_cast<std::uint64_t>(bytes);
  return static_cast<double>(whole) < bytes ? whole + 1 : whole;
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Size* into) noexcept {
  const OptionText& option = table.options[index];
  const Found found = find_value(option, lookup);
  const bool given = found.value != nullptr;
  Result<std::uint64_t> size = given ? parse_size(found.name, found.value) : parse_size(option.name, option.fallback);
  if (!size) return size.error();
  *into = {*size, given};
  return {};
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Flag* into) noexcept {
  into->on = find_value(table.options[index], lookup).value != nullptr;
  return {};
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Text* into) noexcept {
  const char* value = find_value(table.options[index], lookup).value;
  into->value = value != nullptr && *value != '\0' ? value : nullptr;
  return {};
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup,
                         option_kind::Debug* into) noexcept {
  *into = parse_debug(find_value(table.options[index], lookup).value);
  return {};
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup,
                         option_kind::Count* into) noexcept {
  const OptionText& option = table.options[index];
  const Found found = find_value(option, lookup);
  const char* text = found.value != nullptr ? found.value : option.fallback;
  if (std::strcmp(text, "auto") == 0) {
    into->value = kAuto;
    return {};
  }
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, into->value);
  if (error != std::errc{} || stop != end || into->value < 0) {
    return Error::make("%s=%s is not a whole number; give a number from 0 up, or auto", found.name, text);
  }
  return {};
}

Result<void> read_option(const OptionTable& table, std::size_t index, Lookup lookup, option_kind::Word* into) noexcept {
  const OptionText& option = table.options[index];
  const char* given = find_value(option, lookup).value;
  const char* text = given != nullptr ? given : option.fallback;
  const char* const* words = table.choices_of(option.identifier);
  if (words == nullptr) return Error::make("%s: no choices are listed for it", option.name);
  char list[160] = {};
  for (std::uint8_t i = 0; words[i] != nullptr; ++i) {
    if (std::strcmp(words[i], text) == 0) {
      into->choice = i;
      return {};
    }
    const std::size_t used = std::strlen(list);
    (void)std::snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
  }
  return Error::make("%s=%.60s is not known; choose one of: %s", option.name, text, list);
}

namespace {

template <class Kind>
Result<void> check_as(const OptionTable& table, std::size_t index, Lookup lookup) noexcept {
  Kind unused;
  return read_option(table, index, lookup, &unused);
}

}  // namespace

// What is not listed has no wrong value.
Result<void> check_options(const OptionTable& table, Lookup lookup) noexcept {
  for (std::size_t k = 0; k < table.options.size(); ++k) {
    const std::string_view kind = table.options[k].kind;
    const Result<void> checked = kind == "size"    ? check_as<option_kind::Size>(table, k, lookup)
                                 : kind == "count" ? check_as<option_kind::Count>(table, k, lookup)
                                 : kind == "word" || kind == "algorithm" ? check_as<option_kind::Word>(table, k, lookup)
                                                                         : Result<void>();
    if (!checked) return checked;
  }
  return {};
}

}  // namespace weft::base
