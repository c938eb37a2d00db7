#include "omp/arrays/plan.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::omp::arrays {
namespace {

using base::Error;
using base::Result;
using mapping::Mapping;
using mapping::Order;
using mapping::Share;
using mapping::Subscript;

enum class Stage : std::uint8_t { kNew, kUnderWay, kDone };

class Planner {
 public:
  Planner(const std::vector<Wish>& wishes, const std::vector<Known>& known, int processes)
      : wishes_(wishes), known_(known), processes_(static_cast<std::uint64_t>(processes)) {}

  Result<Plan> run() noexcept {
    stages_.resize(wishes_.size());
    done_.resize(wishes_.size());
    for (std::size_t k = 0; k < wishes_.size(); ++k) {
      if (const auto twice = look_for_twins(k); !twice) {
        return twice.error();
      }
    }
    Plan made;
    for (std::size_t k = 0; k < wishes_.size(); ++k) {
      if (const auto divided = divide(k); !divided) {
        return divided.error();
      }
      const auto pieces = pieces_of(wishes_[k], done_[k]);
      if (!pieces) {
        return pieces.error();
      }
      made.arrays.push_back({wishes_[k].array.at, wishes_[k].array.bytes, *pieces});
      made.known.push_back(done_[k]);
    }
    return made;
  }

 private:
  Error error_of(const Wish& wish, const char* text) const noexcept {
    return Error::make("%s: %s", wish.where.c_str(), text);
  }

  Result<void> look_for_twins(std::size_t k) const noexcept {
    for (std::size_t before = 0; before < k; ++before) {
      if (wishes_[before].array.at == wishes_[k].array.at) {
        return Error::make("%s: %.60s is mapped already, at %s; take one of the two out", wishes_[k].where.c_str(),
                           wishes_[k].mapping.array.name.c_str(), wishes_[before].where.c_str());
      }
    }
    return {};
  }

  Result<void> divide(std::size_t k) noexcept {
    const Wish& wish = wishes_[k];
    if (stages_[k] == Stage::kDone) {
      return {};
    }
    if (stages_[k] == Stage::kUnderWay) {
      return Error::make("%s: %.60s is aligned with %.60s, which leads back to it; map one of the arrays by itself",
                         wish.where.c_str(), wish.mapping.array.name.c_str(), wish.mapping.with.name.c_str());
    }
    stages_[k] = Stage::kUnderWay;
    const auto made = wish.mapping.aligned ? divide_like(wish) : divide_alone(wish);
    if (!made) {
      return made.error();
    }
    done_[k] = *made;
    stages_[k] = Stage::kDone;
    return {};
  }

  Result<void> check_dimensions(const Wish& wish, const mapping::Array& array, const Placed& placed) const noexcept {
    if (array.subscripts.size() == placed.extents.size()) {
      return {};
    }
    return Error::make(
        "%s: %.60s has %zu dimension%s, and the mapping says something of %zu; say *, block, cyclic or "
        "cyclic(n) for each",
        wish.where.c_str(), array.name.c_str(), placed.extents.size(), placed.extents.size() == 1 ? "" : "s",
        array.subscripts.size());
  }

  Result<Known> divide_alone(const Wish& wish) const noexcept {
    const auto& subscripts = wish.mapping.array.subscripts;
    if (const auto right = check_dimensions(wish, wish.mapping.array, wish.array); !right) {
      return right.error();
    }
    Known made{wish.array.at, -1, 0};
    for (std::size_t k = 0; k < subscripts.size(); ++k) {
      if (subscripts[k].share != Share::kWhole) {
        made.dimension = static_cast<int>(k);
        const std::uint64_t extent = wish.array.extents[k];
        made.together = subscripts[k].share == Share::kBlock ? (extent - 1) / processes_ + 1 : subscripts[k].many;
      }
    }
    return made;
  }

  Result<Known> find_target(const Wish& wish) noexcept {
    for (std::size_t k = 0; k < wishes_.size(); ++k) {
      if (wishes_[k].array.at == wish.with.at) {
        if (const auto divided = divide(k); !divided) {
          return divided.error();
        }
        return done_[k];
      }
    }
    const auto before =
        std::find_if(known_.rbegin(), known_.rend(), [&](const Known& each) { return each.at == wish.with.at; });
    if (before == known_.rend()) {
      return Error::make("%s: %.60s is to be like %.60s, which is not mapped; map that, too", wish.where.c_str(),
                         wish.mapping.array.name.c_str(), wish.mapping.with.name.c_str());
    }
    return *before;
  }

  Error sizes_differ(const Wish& wish, std::size_t left, std::size_t right) const noexcept {
    return Error::make(
        "%s: dimension %zu of %.60s has %llu elements, and dimension %zu of %.60s, with which it goes, has "
        "%llu; they must have as many",
        wish.where.c_str(), left + 1, wish.mapping.array.name.c_str(),
        static_cast<unsigned long long>(wish.array.extents[left]), right + 1, wish.mapping.with.name.c_str(),
        static_cast<unsigned long long>(wish.with.extents[right]));
  }

  // Which dimension of the array goes with that of the other one; none: -1.
  Result<int> dimension_of(const Wish& wish, std::size_t other) const noexcept {
    const auto& left = wish.mapping.array.subscripts;
    const auto& right = wish.mapping.with.subscripts;
    if (left.empty() && right.empty()) {
      return static_cast<int>(other);
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (!left[k].index.empty() && left[k].index == right[other].index) {
        return static_cast<int>(k);
      }
    }
    return -1;
  }

  Result<void> check_alignment(const Wish& wish) const noexcept {
    if (wish.mapping.array.subscripts.empty() && wish.mapping.with.subscripts.empty()) {
      if (wish.array.extents.size() != wish.with.extents.size()) {
        return Error::make(
            "%s: of %.60s and %.60s the first has %zu dimensions and the other one %zu; say which of them go together, "
            "as in f(i,j): like u(*,i,j)",
            wish.where.c_str(), wish.mapping.array.name.c_str(), wish.mapping.with.name.c_str(),
            wish.array.extents.size(), wish.with.extents.size());
      }
    } else if (const auto left = check_dimensions(wish, wish.mapping.array, wish.array); !left) {
      return left;
    } else if (const auto right = check_dimensions(wish, wish.mapping.with, wish.with); !right) {
      return right;
    }
    for (std::size_t k = 0; k < wish.with.extents.size(); ++k) {
      const auto own = dimension_of(wish, k);
      if (*own >= 0 && wish.array.extents[static_cast<std::size_t>(*own)] != wish.with.extents[k]) {
        return sizes_differ(wish, static_cast<std::size_t>(*own), k);
      }
    }
    return {};
  }

  Result<Known> divide_like(const Wish& wish) noexcept {
    if (const auto right = check_alignment(wish); !right) {
      return right.error();
    }
    const auto target = find_target(wish);
    if (!target) {
      return target;
    }
    Known made{wish.array.at, -1, target->together};
    if (target->dimension < 0) {
      return made;
    }
    const auto other = static_cast<std::size_t>(target->dimension);
    if (other >= wish.with.extents.size()) {
      return error_of(wish, "the two sides were mapped with different dimensions");
    }
    made.dimension = *dimension_of(wish, other);
    if (made.dimension < 0) {
      return Error::make("%s: %.60s is divided in dimension %zu, with which none of %.60s goes; name it on both sides",
                         wish.where.c_str(), wish.mapping.with.name.c_str(), other + 1,
                         wish.mapping.array.name.c_str());
    }
    return made;
  }

  // Elements of C lie so that the last subscript counts fastest, those of Fortran the first.
  Result<dsm::Pieces> pieces_of(const Wish& wish, const Known& made) const noexcept {
    dsm::Pieces pieces;
    pieces.piece = UINT64_MAX;
    if (made.dimension < 0) {
      return pieces;
    }
    const auto divided = static_cast<std::size_t>(made.dimension);
    const auto& extents = wish.array.extents;
    std::uint64_t inner = wish.array.element;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const bool counts_faster = wish.order == Order::kColumns ? k < divided : k > divided;
      inner *= counts_faster ? extents[k] : 1;
    }
    pieces.period = inner * extents[divided];
    if (__builtin_mul_overflow(inner, made.together, &pieces.piece)) {
      pieces.piece = pieces.period;
    }
    pieces.pes = static_cast<int>(processes_);
    return pieces;
  }

  const std::vector<Wish>& wishes_;
  const std::vector<Known>& known_;
  std::uint64_t processes_;
  std::vector<Stage> stages_;
  std::vector<Known> done_;
};

Error not_as_many(const mapping::Array& array, std::uint64_t bytes) noexcept {
  return Error::make(
      "%.60s has %llu bytes, which is no multiple of the numbers in its brackets; they are how many "
      "elements each dimension has",
      array.name.c_str(), static_cast<unsigned long long>(bytes));
}

}  // namespace

Result<Plan> plan(const std::vector<Wish>& wishes, const std::vector<Known>& known, int processes) noexcept {
  return Planner(wishes, known, processes).run();
}

Result<Placed> place(const mapping::Array& array, std::uintptr_t at, std::uint64_t bytes, std::uint64_t element,
                     const std::vector<std::uint64_t>& extents) noexcept {
  Placed placed{at, bytes, element, extents};
  const bool has_numbers = std::any_of(array.subscripts.begin(), array.subscripts.end(),
                                       [](const Subscript& each) { return !each.extent.empty(); });
  if (bytes == 0 || element == 0 || bytes > INT64_MAX) {
    return Error::make("%.60s has no elements", array.name.c_str());
  }
  if (!has_numbers) {
    // Of bytes blocks can be made; how many of them are an element nobody knows.
    const bool needs_element = std::any_of(array.subscripts.begin(), array.subscripts.end(),
                                           [](const Subscript& each) { return each.share == Share::kCyclic; });
    if (extents.empty() && (array.subscripts.size() != 1 || needs_element)) {
      return Error::make(
          "%.60s: nothing tells its dimensions; compile the program with -g, or write them: %.60s[64][64] in "
          "C, %.60s(64,64) in Fortran",
          array.name.c_str(), array.name.c_str(), array.name.c_str());
    }
    placed.extents = extents.empty() ? std::vector<std::uint64_t>{bytes / element} : extents;
    return placed;
  }
  placed.extents.clear();
  std::uint64_t elements = 1;
  for (const Subscript& each : array.subscripts) {
    std::uint64_t extent = 0;
    const char* const end = each.extent.data() + each.extent.size();
    const auto read = std::from_chars(each.extent.data(), end, extent);
    if (read.ec != std::errc() || read.ptr != end || extent == 0 ||
        __builtin_mul_overflow(elements, extent, &elements)) {
      return Error::make("%.60s: in its brackets stand numbers, of elements in each dimension", array.name.c_str());
    }
    placed.extents.push_back(extent);
  }
  if (elements > bytes || bytes % elements != 0) {
    return not_as_many(array, bytes);
  }
  placed.element = bytes / elements;
  return placed;
}

std::string text_of(const Mapping& mapping) noexcept {
  std::string text = mapping.array.name + " (";
  if (mapping.aligned) {
    return text + "like " + mapping.with.name + ")";
  }
  for (std::size_t k = 0; k < mapping.array.subscripts.size(); ++k) {
    const Subscript& each = mapping.array.subscripts[k];
    text += k == 0 ? "" : ",";
    text += each.share == Share::kBlock    ? "block"
            : each.share == Share::kCyclic ? "cyclic(" + std::to_string(each.many) + ")"
                                           : "*";
  }
  return text + ")";
}

}  // namespace weft::omp::arrays
