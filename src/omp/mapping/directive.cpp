#include "omp/mapping/directive.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace weft::omp::mapping {
namespace {

using base::Error;
using base::Result;

constexpr std::string_view kForms = "what becomes of a dimension is *, block, cyclic or cyclic(n)";

int shown(std::string_view text) noexcept { return static_cast<int>(std::min<std::size_t>(text.size(), 60)); }

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
char small(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

// Keywords are those of Fortran as well: in any case.
bool is_word(std::string_view text, std::string_view word) noexcept {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return small(a) == b; });
}

bool read_number(std::string_view text, std::uint64_t& number) noexcept {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number > 0;
}

// The bracket that closes the one at `open`; npos: none does. Brackets of all kinds nest, quotes are not looked at.
std::size_t closing(std::string_view text, std::size_t open) noexcept {
  constexpr std::size_t kDeepest = 64;
  std::array<char, kDeepest> wanted{};
  std::size_t depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '(' || c == '[' || c == '{') {
      if (depth == kDeepest) {
        return std::string_view::npos;
      }
      wanted[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0 || wanted[depth - 1] != c) {
        return std::string_view::npos;
      }
      if (--depth == 0) {
        return k;
      }
    }
  }
  return std::string_view::npos;
}

// The first such character that is in no brackets; of colons one that is alone, as C++ has pairs of them.
std::size_t find_outside(std::string_view text, char wanted) noexcept {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '(' || c == '[' || c == '{') {
      k = closing(text, k);
      if (k == std::string_view::npos) {
        return k;
      }
    } else if (c == wanted) {
      if (wanted != ':' || k + 1 == text.size() || text[k + 1] != ':') {
        return k;
      }
      ++k;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string_view> divided(std::string_view text, char by) noexcept {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = find_outside(text, by);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

Result<Subscript> parse_share(std::string_view text) noexcept {
  Subscript found;
  const std::size_t open = text.find('(');
  const std::string_view word = trimmed(text.substr(0, open));
  if (text == "*") {
    return found;
  }
  if (is_word(text, "block")) {
    found.share = Share::kBlock;
    return found;
  }
  if (is_word(word, "cyclic")) {
    found.share = Share::kCyclic;
    if (open == std::string_view::npos) {
      return found;
    }
    if (text.back() != ')' || !read_number(trimmed(text.substr(open + 1, text.size() - open - 2)), found.many)) {
      return Error::make("\"%.*s\": cyclic takes a number from 1 on, of elements that go together, as in cyclic(4)",
                         shown(text), text.data());
    }
    return found;
  }
  if (is_identifier(text)) {
    found.share = Share::kIndex;
    found.index = text;
    return found;
  }
  return Error::make("\"%.*s\": %s", shown(text), text.data(), kForms.data());
}

// `extent: share`, or one of them: numbers are extents.
Result<Subscript> parse_subscript(std::string_view text) noexcept {
  const std::size_t colon = find_outside(text, ':');
  std::uint64_t number = 0;
  if (colon == std::string_view::npos && read_number(text, number)) {
    Subscript found;
    found.extent = text;
    return found;
  }
  auto found = parse_share(colon == std::string_view::npos ? text : trimmed(text.substr(colon + 1)));
  if (found && colon != std::string_view::npos) {
    found->extent = trimmed(text.substr(0, colon));
    if (found->extent.empty()) {
      return Error::make("\"%.*s\": before the colon stands how many elements the dimension has", shown(text),
                         text.data());
    }
  }
  return found;
}

Result<void> add_subscript(Array& to, std::string_view text) noexcept {
  if (to.subscripts.size() == kMostDimensions) {
    return Error::make("%.60s has more than %zu dimensions", to.name.c_str(), kMostDimensions);
  }
  const auto found = parse_subscript(text);
  if (!found) {
    return found.error();
  }
  to.subscripts.push_back(*found);
  return {};
}

// `[a][b]` or `(a,b)`.
Result<void> parse_subscripts(std::string_view text, Array& into) noexcept {
  into.order = text[0] == '(' ? Order::kColumns : Order::kRows;
  while (!text.empty()) {
    const std::size_t end = closing(text, 0);
    const bool is_more = into.order == Order::kColumns && !into.subscripts.empty();
    if ((text[0] != '[' && text[0] != '(') || (text[0] == '(') != (into.order == Order::kColumns) || is_more ||
        end == std::string_view::npos) {
      return Error::make("\"%.*s\" is no list of subscripts: write [a][b] in C and C++, (a,b) in Fortran", shown(text),
                         text.data());
    }
    const std::string_view inside = text.substr(1, end - 1);
    if (into.order == Order::kRows) {
      if (const auto added = add_subscript(into, trimmed(inside)); !added) {
        return added;
      }
    } else {
      for (const std::string_view each : divided(inside, ',')) {
        if (const auto added = add_subscript(into, each); !added) {
          return added;
        }
      }
    }
    text = trimmed(text.substr(end + 1));
  }
  return {};
}

Result<Array> parse_array(std::string_view text) noexcept {
  Array found;
  // In C an array may be named by an expression with calls in it, but not in Fortran.
  std::size_t begin = text.find('[');
  if (begin == std::string_view::npos) {
    begin = text.find('(');
  }
  found.name = trimmed(text.substr(0, begin));
  if (found.name.empty()) {
    return Error::make("\"%.*s\": the name of an array is missing", shown(text), text.data());
  }
  if (begin != std::string_view::npos) {
    if (const auto parsed = parse_subscripts(text.substr(begin), found); !parsed) {
      return parsed.error();
    }
  }
  return found;
}

bool has(const Array& array, Share share) noexcept {
  return std::any_of(array.subscripts.begin(), array.subscripts.end(),
                     [share](const Subscript& each) { return each.share == share; });
}

// Both sides of an alignment say by names which dimension goes with which, or neither says anything.
Result<void> check_alignment(const Mapping& mapping) noexcept {
  for (const Array* array : {&mapping.array, &mapping.with}) {
    if (has(*array, Share::kBlock) || has(*array, Share::kCyclic)) {
      return Error::make("%.60s is aligned with %.60s, so its subscripts are names and *, as in f[i][*] like u[*][i]",
                         mapping.array.name.c_str(), mapping.with.name.c_str());
    }
    for (std::size_t a = 0; a < array->subscripts.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!array->subscripts[a].index.empty() && array->subscripts[a].index == array->subscripts[b].index) {
          return Error::make("%.60s has %.60s twice among its subscripts", array->name.c_str(),
                             array->subscripts[a].index.c_str());
        }
      }
    }
  }
  if (has(mapping.array, Share::kIndex) != has(mapping.with, Share::kIndex)) {
    return Error::make(
        "which dimensions of %.60s and %.60s go together is said on both sides, as in f[i][*] like u[*][i]",
        mapping.array.name.c_str(), mapping.with.name.c_str());
  }
  return {};
}

Result<void> check_shares(const Array& array) noexcept {
  int shared = 0;
  for (const Subscript& each : array.subscripts) {
    if (each.share == Share::kIndex) {
      return Error::make("\"%.60s\" of %.60s: %s; names are for an alignment, as in f[i][*] like u[*][i]",
                         each.index.c_str(), array.name.c_str(), kForms.data());
    }
    shared += each.share != Share::kWhole ? 1 : 0;
  }
  if (shared > 1) {
    return Error::make("%.60s is divided in %d dimensions; divide it in one and write * for the others",
                       array.name.c_str(), shared);
  }
  if (array.subscripts.empty()) {
    return Error::make("%.60s: say what becomes of each dimension: *, block, cyclic or cyclic(n)", array.name.c_str());
  }
  return {};
}

// Behind a blank; a name does not begin with one.
std::size_t find_like(std::string_view text) noexcept {
  constexpr std::string_view kLike = "like";
  for (std::size_t k = 1; k + kLike.size() < text.size(); ++k) {
    const bool before = is_blank(text[k - 1]) || text[k - 1] == ']' || text[k - 1] == ')';
    if (before && is_word(text.substr(k, kLike.size()), kLike) && is_blank(text[k + kLike.size()])) {
      return k;
    }
  }
  return std::string_view::npos;
}

Result<Mapping> parse_alignment(std::string_view array, std::string_view with) noexcept {
  Mapping mapping;
  mapping.aligned = true;
  const auto left = parse_array(array);
  if (!left) {
    return left.error();
  }
  const auto right = parse_array(with);
  if (!right) {
    return right.error();
  }
  mapping.array = *left;
  mapping.with = *right;
  if (const auto checked = check_alignment(mapping); !checked) {
    return checked.error();
  }
  return mapping;
}

// Where what a line says of its array begins: behind the colon before one of the words.
std::size_t find_colon(std::string_view line) noexcept {
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != ':') {
      continue;
    }
    const std::string_view rest = trimmed(line.substr(k + 1));
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t,("));
    if (rest.starts_with('*') || is_word(word, "block") || is_word(word, "cyclic") || is_word(word, "like")) {
      return k;
    }
  }
  return std::string_view::npos;
}

// What a line says behind the colon belongs to the array's dimensions, of which it may have said how large they are.
Result<Mapping> with_shares(Array array, std::string_view text) noexcept {
  const std::vector<std::string_view> shares = divided(text, ',');
  if (has(array, Share::kIndex) || (!array.subscripts.empty() && array.subscripts.size() != shares.size())) {
    return Error::make(
        "%.60s: in brackets stand %zu numbers, of elements in each dimension, and behind the colon as many shares",
        array.name.c_str(), shares.size());
  }
  array.subscripts.resize(std::min(shares.size(), kMostDimensions + 1));
  if (array.subscripts.size() > kMostDimensions) {
    return Error::make("%.60s has more than %zu dimensions", array.name.c_str(), kMostDimensions);
  }
  for (std::size_t k = 0; k < shares.size(); ++k) {
    auto parsed = parse_share(shares[k]);
    if (!parsed) {
      return parsed.error();
    }
    parsed->extent = array.subscripts[k].extent;
    array.subscripts[k] = *parsed;
  }
  if (const auto checked = check_shares(array); !checked) {
    return checked.error();
  }
  return Mapping{std::move(array), false, {}};
}

}  // namespace

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Result<Mapping> parse_line(std::string_view line) noexcept {
  const std::size_t colon = find_colon(line);
  if (colon == std::string_view::npos) {
    return Error::make("\"%.*s\" is no mapping; one is as u: *,block or u: *,cyclic(4) or f: like u", shown(line),
                       line.data());
  }
  const std::string_view before = trimmed(line.substr(0, colon));
  const std::string_view behind = trimmed(line.substr(colon + 1));
  constexpr std::size_t kLike = 4;
  if (is_word(behind.substr(0, kLike), "like") && (behind.size() == kLike || is_blank(behind[kLike]))) {
    return parse_alignment(before, trimmed(behind.substr(kLike)));
  }
  const auto array = parse_array(before);
  return array ? with_shares(*array, behind) : array.error();
}

Result<std::vector<Mapping>> parse_directive(std::string_view text, bool columns) noexcept {
  std::vector<Mapping> all;
  const std::vector<std::string_view> items = divided(text, ',');
  for (std::size_t k = 0; k < items.size(); ++k) {
    const std::size_t like = find_like(items[k]);
    Mapping mapping;
    if (like != std::string_view::npos) {
      const auto aligned = parse_alignment(trimmed(items[k].substr(0, like)), trimmed(items[k].substr(like + 4)));
      if (!aligned) {
        return aligned.error();
      }
      mapping = *aligned;
    } else {
      const auto array = parse_array(items[k]);
      if (!array) {
        return array.error();
      }
      mapping.array = *array;
      if (has(*array, Share::kIndex) && k + 1 < items.size()) {  // `f[i][*], u[*][i]`
        const auto aligned = parse_alignment(items[k], items[k + 1]);
        if (!aligned) {
          return aligned.error();
        }
        mapping = *aligned;
        ++k;
      } else if (const auto checked = check_shares(*array); !checked) {
        return checked.error();
      }
    }
    const Order order = columns ? Order::kColumns : Order::kRows;
    for (const Array* array : {&mapping.array, &mapping.with}) {
      if (!array->subscripts.empty() && array->order != order) {
        return Error::make("%.60s: write its subscripts %s", array->name.c_str(),
                           columns ? "as Fortran does, as in u(*,block)" : "as C does, as in u[*][block]");
      }
    }
    all.push_back(std::move(mapping));
  }
  return all;
}

Result<Array> parse_affinity(std::string_view text, bool columns) noexcept {
  auto array = parse_array(trimmed(text));
  if (!array) {
    return array;
  }
  int indexes = 0;
  for (const Subscript& each : array->subscripts) {
    indexes += each.share == Share::kIndex ? 1 : 0;
    if ((each.share != Share::kIndex && each.share != Share::kWhole) || !each.extent.empty()) {
      indexes = -static_cast<int>(kMostDimensions);
    }
  }
  const bool right = array->order == (columns ? Order::kColumns : Order::kRows);
  if (indexes != 1 || !right) {
    return Error::make("affinity(%.*s): one subscript is the variable of the loop and the others are *, as in %s",
                       shown(text), text.data(), columns ? "affinity(u(*,j))" : "affinity(u[i][*])");
  }
  return array;
}

}  // namespace weft::omp::mapping
