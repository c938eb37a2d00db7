#include "omp/program/mapping.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/lines.hpp"
#include "dsm/advice.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "job/node.hpp"
#include "omp/arrays/lines.hpp"
#include "omp/arrays/plan.hpp"
#include "omp/arrays/variables.hpp"
#include "omp/program/statics.hpp"
#include "omp/sites/mapped.hpp"
#include "os/executable.hpp"
#include "os/where.hpp"

namespace weft::omp::program {
namespace {

using arrays::Known;
using arrays::Line;
using arrays::Plan;
using arrays::Planned;
using arrays::Variable;
using arrays::Wish;
using base::Error;
using base::Result;

constexpr const char* kName = "OpenMP";
constexpr const char* kOption = "WEFT_OMP_MAP";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// What all know of the arrays that are mapped, in the order in which they were.
struct Mapped {
  std::uintptr_t at;
  dsm::Homed homed;
};
constinit std::vector<Mapped>* g_mapped = nullptr;
constinit std::vector<Known>* g_known = nullptr;  // of process 0

// In shared memory, for the others.
struct Told {
  std::size_t count;
  Planned arrays[1];  // as many as they are
};

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

Result<Wish> wish_of(const Line& line, const Finder& finder) noexcept {
  Wish wish{line.where, line.mapping, mapping::Order::kRows, {}, {}};
  const auto look_up = [&](const mapping::Array& array, arrays::Placed& into) -> Result<Variable> {
    const auto found = finder.find(array);
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

Result<std::vector<Wish>> wishes_of(const char* option) noexcept {
  const auto lines = lines_of(option);
  if (!lines) {
    return lines.error();
  }
  std::vector<Wish> wishes;
  const Finder finder(*lines);
  for (const Line& line : *lines) {
    const auto wish = wish_of(line, finder);
    if (!wish) {
      return wish.error();
    }
    wishes.push_back(*wish);
  }
  return wishes;
}

// What a mapping became: whole pages. Only where that is not what it said.
void tell(const Wish& wish, const Planned& planned) noexcept {
  const dsm::Homed homed{planned.at % dsm::kPageBytes, planned.bytes, planned.pieces};
  const std::uint64_t pages = homed.page_of(planned.bytes - 1) + 1;
  std::vector<std::uint64_t> of_each(static_cast<std::size_t>(planned.pieces.pes));
  for (std::uint64_t k = 0; k < pages;) {
    const std::uint64_t next = std::min(homed.next_page(k), pages);
    of_each[static_cast<std::size_t>(homed(k) - planned.pieces.from)] += next - k;
    k = next;
  }
  const auto [least, most] = std::minmax_element(of_each.begin(), of_each.end());
  const bool is_fine = planned.pieces.pes > 1 && planned.pieces.piece < dsm::kPageBytes;
  const std::string text = arrays::text_of(wish.mapping);
  if (is_fine) {
    base::say(
        kName,
        "%s: %.100s: its pieces have %llu bytes, and a page has %zu: each of its %llu pages is at home at the process "
        "that has its middle, %llu to %llu pages at each of %d processes",
        wish.where.c_str(), text.c_str(), static_cast<unsigned long long>(planned.pieces.piece), dsm::kPageBytes,
        static_cast<unsigned long long>(pages), static_cast<unsigned long long>(*least),
        static_cast<unsigned long long>(*most), planned.pieces.pes);
  } else {
    base::debug("%s: %.100s: %llu to %llu of its %llu pages at each of %d processes", wish.where.c_str(), text.c_str(),
                static_cast<unsigned long long>(*least), static_cast<unsigned long long>(*most),
                static_cast<unsigned long long>(pages), planned.pieces.pes);
  }
}

// All that is wished; null: nothing is.
Told* plan_for_all(const std::vector<Wish>& wishes) noexcept {
  const auto made = arrays::plan(wishes, *g_known, job::node().n_pes);
  if (!made) {
    base::fail(kName, "%s", made.error().text());
  }
  if (made->arrays.empty()) {
    return nullptr;
  }
  const std::size_t count = made->arrays.size();
  auto* const told = static_cast<Told*>(dsm::allocate(sizeof(Told) + count * sizeof(Planned), alignof(Told)));
  if (told == nullptr) {
    base::fail(kName, "no shared memory is left for %zu mappings; raise WEFT_SHARED_SIZE", count);
  }
  told->count = count;
  std::copy(made->arrays.begin(), made->arrays.end(), told->arrays);
  g_known->insert(g_known->end(), made->known.begin(), made->known.end());
  for (std::size_t k = 0; k < count && !dsm::has_one_memory(); ++k) {
    tell(wishes[k], made->arrays[k]);
  }
  return told;
}

// In all processes.
void carry_out(const Told& told) noexcept {
  for (std::size_t k = 0; k < told.count; ++k) {
    // Before it is mapped: what is told may be in the way.
    const Planned planned = told.arrays[k];
    dsm::map_pieces(reinterpret_cast<void*>(planned.at), planned.bytes, planned.pieces);
    g_mapped->push_back({planned.at, {planned.at % dsm::kPageBytes, planned.bytes, planned.pieces}});
  }
}

}  // namespace

void map_arrays(const char* option) noexcept {
  // They stay as long as the process.
  g_mapped = new std::vector<Mapped>();
  g_known = new std::vector<Known>();
  Told* mine = nullptr;
  if (job::node().me == 0 && option != nullptr) {
    const auto wishes = wishes_of(option);
    if (!wishes) {
      base::fail(kName, "%s", wishes.error().text());
    }
    mine = plan_for_all(*wishes);
  }
  const auto* const told = static_cast<const Told*>(dsm::from(0, mine));
  if (told == nullptr) {
    return;
  }
  carry_out(*told);
  if (mine != nullptr) {
    (void)dsm::release_block(mine);
  }
}

int home_of(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto found = std::find_if(g_mapped->rbegin(), g_mapped->rend(),
                                  [at](const Mapped& each) { return at - each.at < each.homed.bytes; });
  return found == g_mapped->rend() ? -1 : found->homed.of_byte(at - found->at);
}

}  // namespace weft::omp::program
