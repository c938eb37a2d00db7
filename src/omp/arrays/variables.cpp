#include "omp/arrays/variables.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/demangle.hpp"
#include "omp/sites/file.hpp"

namespace weft::omp::arrays {
namespace {

using base::Error;
using base::Result;
using mapping::Order;
using sites::Bytes;
using sites::read;

constexpr std::size_t kMostNamed = 3;

int shown(std::string_view text) noexcept { return static_cast<int>(std::min<std::size_t>(text.size(), 60)); }
char small(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_small(std::string_view text) noexcept {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), small);
  return all;
}

template <class Number>
bool number(std::string_view text, Number& into, int base = 10) noexcept {
  const auto got = std::from_chars(text.data(), text.data() + text.size(), into, base);
  return got.ec == std::errc() && got.ptr == text.data() + text.size();
}

std::string_view next_part(std::string_view& rest, char by) noexcept {
  const std::size_t end = std::min(rest.find(by), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool read_kind(std::string_view word, Variable& into) noexcept {
  constexpr std::array<std::string_view, 6> kWords = {"rows", "columns", "none", "pointer", "allocated", "thread"};
  constexpr std::array kKinds = {Kind::kArray,   Kind::kArray,     Kind::kScalar,
                                 Kind::kPointer, Kind::kAllocated, Kind::kOfThreads};
  const auto* const found = std::find(kWords.begin(), kWords.end(), word);
  if (found == kWords.end()) {
    return false;
  }
  into.kind = kKinds[static_cast<std::size_t>(found - kWords.begin())];
  into.order = word == "columns" ? Order::kColumns : Order::kRows;
  return true;
}

bool read_answer(std::string_view line, Variable& into) noexcept {
  into.name = next_part(line, '\t');
  into.scopes = next_part(line, '\t');
  into.place = next_part(line, '\t');
  if (into.name.empty() || !number(next_part(line, '\t'), into.at, 16) || !number(next_part(line, '\t'), into.bytes) ||
      !number(next_part(line, '\t'), into.element) || !read_kind(next_part(line, '\t'), into)) {
    return false;
  }
  while (!line.empty()) {
    std::uint64_t extent = 0;
    if (!number(next_part(line, ','), extent)) {
      return false;
    }
    into.extents.push_back(extent);
  }
  // Of an array there are as many elements as it has bytes for.
  std::uint64_t bytes = into.element;
  for (const std::uint64_t extent : into.extents) {
    if (into.kind == Kind::kArray && __builtin_mul_overflow(bytes, extent, &bytes)) {
      return false;
    }
  }
  return into.kind != Kind::kArray || (!into.extents.empty() && bytes == into.bytes);
}

// "main" of "main::", "fields" of "/fields/": compared by whole names.
bool ends_with_scope(std::string_view scopes, std::string_view wanted) noexcept {
  return scopes.ends_with(wanted) &&
         (scopes.size() == wanted.size() || scopes[scopes.size() - wanted.size() - 1] == ':');
}

// What the compilers make of a name: a static variable of a function gets a number, one of a module of Fortran the
// module's name, and a COMMON block a line.
bool is_symbol_of(std::string_view symbol, std::string_view name) noexcept {
  const std::string_view plain = symbol.substr(0, symbol.find('.'));
  if (plain == name) {
    return true;
  }
  const std::string small_name = in_small(name);
  if (name.size() > 2 && name.front() == '/' && name.back() == '/') {
    return plain == small_name.substr(1, small_name.size() - 2) + "_";
  }
  if (plain.starts_with("__") && plain.find("_MOD_") != std::string_view::npos) {
    const std::size_t split = plain.find("_MOD_");
    const std::string_view module = plain.substr(2, split - 2);
    const std::string_view last = plain.substr(split + 5);
    return small_name == last || small_name == std::string(module) + "::" + std::string(last);
  }
  if (!plain.starts_with("_Z")) {
    return false;
  }
  const std::string demangled = base::demangled(std::string(symbol).c_str());
  return demangled == name || demangled.ends_with("::" + std::string(name));
}

std::string_view text_at(Bytes names, std::uint64_t at) noexcept {
  if (at >= names.size()) {
    return {};
  }
  const char* const begin = reinterpret_cast<const char*>(names.data()) + at;
  return {begin, ::strnlen(begin, names.size() - at)};
}

void add_symbols(const sites::File& file, const Elf64_Shdr& table, std::string_view name,
                 std::vector<Variable>& into) noexcept {
  Elf64_Shdr strings{};
  if (!file.section(table.sh_link, strings) || strings.sh_offset > file.bytes.size()) {
    return;
  }
  const Bytes names = file.bytes.subspan(
      strings.sh_offset, std::min<std::uint64_t>(strings.sh_size, file.bytes.size() - strings.sh_offset));
  Elf64_Sym symbol{};
  for (std::uint64_t n = 0; n < table.sh_size / sizeof symbol; ++n) {
    if (!read(file.bytes, table.sh_offset + n * sizeof symbol, symbol)) {
      return;
    }
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != STT_TLS && type != STT_COMMON)) {
      continue;
    }
    const std::string_view called = text_at(names, symbol.st_name);
    if (!is_symbol_of(called, name)) {
      continue;
    }
    Variable found;
    found.name = called;
    found.at = symbol.st_value;
    found.bytes = symbol.st_size;
    found.kind = type == STT_TLS ? Kind::kOfThreads : Kind::kBytes;
    const bool known = std::any_of(into.begin(), into.end(), [&](const Variable& each) { return each.at == found.at; });
    if (!known) {
      into.push_back(std::move(found));
    }
  }
}

std::string named(const Variable& variable) noexcept {
  return variable.scopes + variable.name + (variable.place.empty() ? "" : " (" + variable.place + ")");
}

Error ambiguous(std::string_view name, const std::vector<const Variable*>& found) noexcept {
  std::string all;
  for (std::size_t k = 0; k < std::min(found.size(), kMostNamed); ++k) {
    all += (k == 0 ? "" : ", ") + named(*found[k]);
  }
  return Error::make(
      "%.*s may be each of %zu variables: %.200s; say which by its file, function, module or block, as in "
      "solve.c:u, main::u, /fields/u",
      shown(name), name.data(), found.size(), all.c_str());
}

}  // namespace

std::string_view last_name(std::string_view name) noexcept {
  const std::size_t end = name.find_last_of(":/");
  return end == std::string_view::npos ? name : name.substr(end + 1);
}

std::vector<Variable> read_answers(std::string_view text) noexcept {
  std::vector<Variable> all;
  while (!text.empty()) {
    Variable variable;
    if (read_answer(next_part(text, '\n'), variable)) {
      all.push_back(std::move(variable));
    }
  }
  return all;
}

std::vector<Variable> in_symbols(std::span<const std::byte> bytes, std::string_view name) noexcept {
  std::vector<Variable> found;
  sites::File file{bytes};
  // A symbol of a file's own source has no scopes.
  const std::size_t of_file = name.find(':');
  if (of_file != std::string_view::npos && name.substr(of_file, 2) != "::") {
    name = name.substr(of_file + 1);
  }
  if (!file.open() || name.empty()) {
    return found;
  }
  Elf64_Shdr section{};
  for (const std::uint32_t wanted : {std::uint32_t{SHT_SYMTAB}, std::uint32_t{SHT_DYNSYM}}) {
    for (unsigned k = 0; found.empty() && file.section(k, section); ++k) {
      if (section.sh_type == wanted) {
        add_symbols(file, section, name, found);
        break;  // there is one of each kind
      }
    }
  }
  return found;
}

bool is_called(const Variable& variable, std::string_view name) noexcept {
  const bool any_case = variable.order == Order::kColumns || variable.scopes.starts_with('/');
  const auto same = [any_case](std::string_view text) { return any_case ? in_small(text) : std::string(text); };
  const std::string_view last = last_name(name);
  if (same(variable.name) != same(last)) {
    return false;
  }
  std::string_view before = name.substr(0, name.size() - last.size());
  if (before.empty()) {
    return true;
  }
  const std::size_t colon = before.find(':');
  if (colon != std::string_view::npos && before.substr(colon, 2) != "::") {
    if (variable.place.substr(0, variable.place.rfind(':')) != before.substr(0, colon)) {
      return false;
    }
    before = before.substr(colon + 1);
  }
  return before.empty() || ends_with_scope(same(variable.scopes), same(before));
}

Result<Variable> choose(std::string_view name, const std::vector<Variable>& all, std::size_t dimensions) noexcept {
  std::vector<const Variable*> found;
  for (const Variable& each : all) {
    // Several units that know one variable, some of them by other dimensions, mean the same.
    const auto same = std::find_if(found.begin(), found.end(), [&](const Variable* other) {
      return other->at == each.at && each.kind != Kind::kOfThreads;
    });
    if (same == found.end()) {
      found.push_back(&each);
    } else if (each.extents.size() == dimensions && (*same)->extents.size() != dimensions) {
      *same = &each;
    }
  }
  if (found.empty()) {
    return Error::make(
        "the program has no static variable %.*s; memory that it allocates is mapped by a directive in its "
        "source",
        shown(name), name.data());
  }
  if (found.size() > 1) {
    return ambiguous(name, found);
  }
  switch (found[0]->kind) {
    case Kind::kPointer:
    case Kind::kAllocated:
      return Error::make(
          "%.160s is %s; map it by a directive in the source, where it has been allocated", named(*found[0]).c_str(),
          found[0]->kind == Kind::kPointer ? "a pointer, and no array" : "allocated when the program runs");
    case Kind::kOfThreads:
      return Error::make("%.160s is each thread's own; only what all share has a place to be mapped to",
                         named(*found[0]).c_str());
    default: return *found[0];
  }
}

}  // namespace weft::omp::arrays
