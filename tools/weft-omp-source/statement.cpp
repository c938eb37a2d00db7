#include "statement.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weft::source {
namespace {

// In fixed form blanks may be missing: a word begins with one of these.
constexpr std::array<std::string_view, 45> kSpecifications = {
    "integer",  "real",       "doubleprecision", "double",    "complex",   "logical",  "character",   "type",
    "class",    "byte",       "dimension",       "parameter", "save",      "common",   "equivalence", "data",
    "external", "intrinsic",  "implicit",        "use",       "include",   "namelist", "pointer",     "allocatable",
    "target",   "private",    "public",          "optional",  "intent",    "value",    "volatile",    "asynchronous",
    "bind",     "contiguous", "protected",       "import",    "procedure", "enum",     "enumerator",  "entry",
    "format",   "sequence",   "structure",       "record",    "generic"};
constexpr std::array<std::string_view, 12> kPrefixes = {"recursive", "pure",    "elemental", "impure",
                                                        "module",    "integer", "real",      "double",
                                                        "complex",   "logical", "character", "type"};
constexpr std::array<std::string_view, 5> kOtherEnds = {"enum", "structure", "union", "map", "procedure"};

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  std::size_t end = 0;
  while (end < text.size() && is_word_char(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  skip_blanks(text);
  return word;
}

void skip_brackets(std::string_view& text) {
  if (text.empty() || text[0] != '(') return;
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (depth == 0) {
      text.remove_prefix(k + 1);
      skip_blanks(text);
      return;
    }
  }
}

template <class List>
bool is_in(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// `name = ...`, `name(...)%part = ...`: whatever the name is.
bool is_assignment(std::string_view text) {
  if (take_word(text).empty()) return false;
  for (;;) {
    skip_brackets(text);
    if (text.empty() || text[0] != '%') break;
    text.remove_prefix(1);
    (void)take_word(text);
  }
  return text.starts_with("=") && !text.starts_with("==");
}

// `pure real(8) function f(x)`.
bool begins_procedure(std::string_view text) {
  for (;;) {
    const std::string_view word = take_word(text);
    if (word == "subroutine" || word == "function") return !text.empty() && is_word_char(text[0]);
    if (!is_in(kPrefixes, word)) return false;
    if (word == "double") (void)take_word(text);
    if (text.starts_with("*")) {
      text.remove_prefix(1);
      (void)take_word(text);
    }
    skip_brackets(text);
  }
}

Statement ending(std::string_view behind) {
  const std::string_view what = take_word(behind);
  if (what == "interface" || what == "type") return Statement::kEndInner;
  if (is_in(kOtherEnds, what)) return Statement::kSpecification;
  constexpr std::array<std::string_view, 6> kUnits = {"", "program", "subroutine", "function", "module", "submodule"};
  return is_in(kUnits, what) || what == "blockdata" || (what == "block" && behind.starts_with("data"))
             ? Statement::kEnd
             : Statement::kExecutable;
}

}  // namespace

std::string in_small(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return all;
}

Statement statement_of(std::string_view written) {
  const std::string small = in_small(written);
  std::string_view text = small;
  if (is_assignment(text)) return Statement::kExecutable;
  if (begins_procedure(text)) return Statement::kUnit;
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  if (word == "end") return ending(rest);
  if (word.starts_with("end")) return ending(word.substr(3));
  if (word == "contains") return Statement::kContains;
  if (word == "program") return Statement::kUnit;
  if (word == "module" || word == "submodule" || word == "blockdata" || (word == "block" && rest.starts_with("data"))) {
    return rest.starts_with("procedure") ? Statement::kUnit : Statement::kModule;
  }
  if (word == "interface" || (word == "abstract" && rest.starts_with("interface"))) return Statement::kInner;
  if (word == "type" && !rest.starts_with("(")) {
    const bool is_case = rest.starts_with("is ") || rest.starts_with("is(");  // of select type
    return is_case ? Statement::kExecutable : Statement::kInner;
  }
  const bool is_specification = std::any_of(
      kSpecifications.begin(), kSpecifications.end(),
      [word](std::string_view each) { return word == each || (each.size() > 4 && word.starts_with(each)); });
  return is_specification ? Statement::kSpecification : Statement::kExecutable;
}

}  // namespace weft::source
