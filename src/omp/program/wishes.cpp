#include "omp/program/wishes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include "omp/arrays/lines.hpp"
#include "omp/arrays/variables.hpp"
#include "omp/program/statics.hpp"
#include "omp/sites/file.hpp"
#include "omp/sites/mapped.hpp"
#include "os/executable.hpp"
#include "os/where.hpp"

namespace weft::omp::program {
namespace {

using arrays::Line;
using arrays::Variable;
using arrays::Wish;
using base::Error;
using base::Result;

constexpr const char* kOption = "WEFT_OMP_MAP";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
// Of include/weft/omp_directives.h.
constexpr std::string_view kSection = "weft_omp_maps";

Result<std::string> contents_of(const char* path) noexcept {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Error::make(
        "%s=%.300s cannot be read: %s; it is a file of mappings such as u: *,block, or such mappings "
        "themselves",
        kOption, path, std::strerror(errno));
  }
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while (text.size() <= kMostBytes && (got = ::read(fd, buffer, sizeof buffer)) != 0) {
    if (got > 0) {
      text.append(buffer, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      break;
    }
  }
  const int error = errno;
  (void)::close(fd);
  if (got < 0) {
    return Error::make("%s=%.300s cannot be read: %s", kOption, path, std::strerror(error));
  }
  if (text.size() > kMostBytes) {
    return Error::make("%s=%.300s has more than %zu bytes, and is no file of mappings", kOption, path, kMostBytes);
  }
  return text;
}

Result<std::vector<Line>> lines_of(const char* option) noexcept {
  if (arrays::is_inline(option)) {
    return arrays::read_inline(option, kOption);
  }
  const auto text = contents_of(option);
  return text ? arrays::read_lines(*text, option) : Result<std::vector<Line>>(text.error());
}

// By the debug information of the program, where there is some.
std::vector<Variable> described(const std::vector<Line>& lines) noexcept {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) {
    return {};
  }
  path[length] = '\0';
  std::vector<std::string> words = {"weft-where", "-v", path};
  for (const Line& line : lines) {
    words.emplace_back(arrays::last_name(line.mapping.array.name));
    words.emplace_back(arrays::last_name(line.mapping.with.name));
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    if (!word.empty()) {
      arguments.push_back(word.data());
    }
  }
  arguments.push_back(nullptr);
  std::string text;
  const auto take = [](const char* piece, std::size_t bytes, void* into) {
    static_cast<std::string*>(into)->append(piece, bytes);
  };
  (void)os::ask_where(arguments.data(), take, &text);
  return arrays::read_answers(text);
}

bool has_extents(const mapping::Array& array) noexcept {
  return std::any_of(array.subscripts.begin(), array.subscripts.end(),
                     [](const mapping::Subscript& each) { return !each.extent.empty(); });
}

class Finder {
 public:
  explicit Finder(const std::vector<Line>& lines) : known_(described(lines)), file_("/proc/self/exe") {}

  Result<Variable> find(const mapping::Array& array) const noexcept {
    std::vector<Variable> candidates;
    std::copy_if(known_.begin(), known_.end(), std::back_inserter(candidates),
                 [&](const Variable& each) { return arrays::is_called(each, array.name); });
    const std::string_view last = arrays::last_name(array.name);
    const bool is_described = std::any_of(known_.begin(), known_.end(),
                                          [last](const Variable& each) { return arrays::is_called(each, last); });
    if (!is_described && file_) {
      candidates = arrays::in_symbols(file_.bytes(), array.name);
    }
    auto chosen = arrays::choose(array.name, candidates, array.subscripts.size());
    if (chosen && chosen->kind == arrays::Kind::kScalar && !has_extents(array)) {
      return Error::make("%.60s (%.60s) is no array; only arrays can be mapped", array.name.c_str(),
                         chosen->place.c_str());
    }
    return chosen;
  }

  Result<arrays::Placed> place(const mapping::Array& array, const Variable& variable) const noexcept {
    const std::uintptr_t at = bias_ + variable.at;
    auto placed = arrays::place(array, at, variable.bytes, variable.element, variable.extents);
    if (placed && (!is_shared_static(reinterpret_cast<void*>(at)) ||
                   !is_shared_static(reinterpret_cast<void*>(at + variable.bytes - 1)))) {
      return Error::make(
          "%.60s does not lie in memory that the processes share; it may be constant, or a copy of a "
          "library's variable",
          array.name.c_str());
    }
    return placed;
  }

 private:
  std::vector<Variable> known_;
  sites::Mapped file_;
  std::uintptr_t bias_ = os::find_executable().bias;
};

// In which order the elements lie: as the brackets say that hold how many there are, or as the program is written.
mapping::Order order_of(const Variable& variable, const mapping::Array& array) noexcept {
  if (has_extents(array)) {
    return array.order;
  }
  return variable.order != mapping::Order::kUnsaid ? variable.order : mapping::Order::kRows;
}

Result<Wish> wish_of_line(const Line& line, const Finder& finder) noexcept {
  Wish wish{line.where, line.mapping, mapping::Order::kRows, {}, {}};
  const auto look_up = [&](const mapping::Array& array, arrays::Placed& into) -> Result<Variable> {
    auto found = finder.find(array);
    if (!found) {
      return Error::make("%s: %s", line.where.c_str(), found.error().text());
    }
    const auto placed = finder.place(array, *found);
    if (!placed) {
      return Error::make("%s: %s", line.where.c_str(), placed.error().text());
    }
    into = *placed;
    return found;
  };
  const auto variable = look_up(wish.mapping.array, wish.array);
  if (!variable) {
    return variable.error();
  }
  wish.order = order_of(*variable, wish.mapping.array);
  if (wish.mapping.aligned) {
    if (const auto target = look_up(wish.mapping.with, wish.with); !target) {
      return target.error();
    }
  }
  return wish;
}

struct Range {
  std::uintptr_t from, to;
};

// Where the compiler has put what directives say; empty: there are none.
Range table_of(const os::Executable& executable) noexcept {
  const sites::Mapped mapped("/proc/self/exe");
  sites::File file{mapped ? mapped.bytes() : sites::Bytes()};
  Elf64_Shdr names{};
  Elf64_Shdr section{};
  if (!file.open() || !file.section(file.header.e_shstrndx, names)) {
    return {};
  }
  for (unsigned k = 0; file.section(k, section); ++k) {
    char name[kSection.size() + 1] = {};
    if (sites::read(file.bytes, names.sh_offset + section.sh_name, name) && name == kSection) {
      const std::uintptr_t from = executable.bias + section.sh_addr;
      const Range range{from, from + section.sh_size};
      const bool is_ours =
          section.sh_size > 0 && range.to > from && from >= executable.data_lo && range.to <= executable.data_hi;
      return is_ours ? range : Range{};
    }
  }
  return {};
}

Result<arrays::Placed> placed_of(const weft_omp_array& array) noexcept {
  arrays::Placed placed{reinterpret_cast<std::uintptr_t>(array.at), array.element, array.element, {}};
  const bool is_some = array.dimensions > 0 && array.dimensions <= WEFT_OMP_MOST_DIMENSIONS && array.element > 0;
  for (unsigned long long k = 0; is_some && k < array.dimensions; ++k) {
    placed.extents.push_back(array.extents[k]);
    if (array.extents[k] == 0 || __builtin_mul_overflow(placed.bytes, array.extents[k], &placed.bytes) ||
        placed.bytes > INT64_MAX) {
      return Error::make("dimension %llu has %llu elements, and an array of such dimensions cannot be", k + 1,
                         array.extents[k]);
    }
  }
  return is_some ? Result<arrays::Placed>(placed) : Result<arrays::Placed>(Error::make("it has no elements"));
}

}  // namespace

Result<std::vector<Wish>> wishes_of_option(const char* option) noexcept {
  const auto lines = lines_of(option);
  if (!lines) {
    return lines.error();
  }
  std::vector<Wish> wishes;
  const Finder finder(*lines);
  for (const Line& line : *lines) {
    const auto wish = wish_of_line(line, finder);
    if (!wish) {
      return wish.error();
    }
    wishes.push_back(*wish);
  }
  return wishes;
}

Result<Wish> wish_of(const weft_omp_mapping& directive) noexcept {
  const std::string where = std::string(directive.file) + ":" + std::to_string(directive.line);
  const bool columns = directive.columns != 0;
  const auto parsed = mapping::parse_directive(directive.text, columns);
  if (!parsed || parsed->size() != 1) {
    return Error::make("%s: %s", where.c_str(), parsed ? "one mapping at a time" : parsed.error().text());
  }
  Wish wish{where, (*parsed)[0], columns ? mapping::Order::kColumns : mapping::Order::kRows, {}, {}};
  const auto array = placed_of(directive.array);
  if (!array) {
    return Error::make("%s: %.60s: %s", where.c_str(), wish.mapping.array.name.c_str(), array.error().text());
  }
  wish.array = *array;
  if (wish.mapping.aligned) {
    const auto with = placed_of(directive.with);
    if (!with) {
      return Error::make("%s: %.60s: %s", where.c_str(), wish.mapping.with.name.c_str(), with.error().text());
    }
    wish.with = *with;
  }
  return wish;
}

Result<std::vector<Wish>> wishes_of_program() noexcept {
  const Range table = table_of(os::find_executable());
  std::vector<Wish> wishes;
  // Linkers may leave room between what objects have in the table.
  for (std::uintptr_t at = table.from; at + sizeof(weft_omp_mapping) <= table.to;) {
    const auto& directive = *reinterpret_cast<const weft_omp_mapping*>(at);
    if (directive.magic != WEFT_OMP_MAPPING_MAGIC) {
      at += sizeof directive.magic;
      continue;
    }
    const auto wish = wish_of(directive);
    if (!wish) {
      return wish.error();
    }
    if (!is_shared_static(reinterpret_cast<void*>(wish->array.at))) {
      return Error::make(
          "%s: %.60s does not lie in memory that the processes share; it may be constant, or a library's",
          wish->where.c_str(), wish->mapping.array.name.c_str());
    }
    wishes.push_back(*wish);
    at += sizeof directive;
  }
  return wishes;
}

}  // namespace weft::omp::program
