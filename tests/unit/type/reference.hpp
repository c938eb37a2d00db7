// A datatype by the letter of the standard: the list of its elements, and rules that go through all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "type/make.hpp"

namespace weft::type {

inline constexpr Basic kByte{0, Kind::kBytes, 1, 1, 1, false, "MPI_BYTE"};
inline constexpr Basic kChar{1, Kind::kCharacter, 1, 1, 1, false, "MPI_CHAR"};
inline constexpr Basic kShort{2, Kind::kSigned, 2, 2, 2, false, "MPI_SHORT"};
inline constexpr Basic kInt{3, Kind::kSigned, 4, 4, 4, false, "MPI_INT"};
inline constexpr Basic kDouble{4, Kind::kReal, 8, 8, 8, false, "MPI_DOUBLE"};
inline constexpr Basic kLongDouble{5, Kind::kReal, 16, 16, 16, false, "MPI_LONG_DOUBLE"};

/// Entries of the type map, and its marks.
struct Map {
  struct Entry {
    const Basic* basic;
    std::int64_t at;
  };
  std::vector<Entry> entries;
  std::vector<std::int64_t> lbs;
  std::vector<std::int64_t> ubs;

  std::int64_t lb() const {
    if (!lbs.empty()) return *std::min_element(lbs.begin(), lbs.end());
    return true_lb();
  }
  std::int64_t ub() const {
    if (!ubs.empty()) return *std::max_element(ubs.begin(), ubs.end());
    if (entries.empty()) return lbs.empty() ? 0 : lb();
    std::int64_t ub = true_ub();
    while ((ub - lb()) > 0 && (ub - lb()) % alignment() != 0) ++ub;
    return ub;
  }
  std::int64_t extent() const { return ub() - lb(); }
  std::int64_t true_lb() const {
    std::int64_t low = entries.empty() ? 0 : entries[0].at;
    for (const Entry& entry : entries) low = std::min(low, entry.at);
    return low;
  }
  std::int64_t true_ub() const {
    std::int64_t high = entries.empty() ? 0 : entries[0].at + entries[0].basic->size;
    for (const Entry& entry : entries) high = std::max(high, entry.at + entry.basic->size);
    return high;
  }
  /// A receive must not have such a datatype.
  bool overlaps() const {
    std::vector<Entry> sorted = entries;
    std::sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      if (sorted[k].at < sorted[k - 1].at + sorted[k - 1].basic->size) return true;
    }
    return false;
  }
  std::int64_t alignment() const {
    std::int64_t most = 1;
    for (const Entry& entry : entries) most = std::max<std::int64_t>(most, entry.basic->alignment);
    return most;
  }
  std::int64_t size() const {
    std::int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += entry.basic->size;
    return bytes;
  }
  void add(const Map& other, std::int64_t at) {
    for (const Entry& entry : other.entries) entries.push_back({entry.basic, entry.at + at});
    for (const std::int64_t lb : other.lbs) lbs.push_back(lb + at);
    for (const std::int64_t ub : other.ubs) ubs.push_back(ub + at);
  }
};

struct Sample {
  Ref type;
  Map map;
};

inline Sample sample_of(const Basic& basic) { return {make_basic(basic), {{{&basic, 0}}, {}, {}}}; }

/// Any datatype, made of at most `levels` constructors.
class Samples {
 public:
  explicit Samples(std::uint64_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  Sample any(int levels) {
    if (levels == 0) {
      static constexpr const Basic* kAll[] = {&kByte, &kChar, &kShort, &kInt, &kDouble, &kLongDouble};
      return sample_of(*kAll[number(0, 5)]);
    }
    const Sample of = any(levels - 1);
    switch (number(0, 9)) {
      case 0: return contiguous(of);
      case 1:
      case 2: return vector(of);
      case 3: return scattered(of, number(0, 1) == 0, number(0, 1) == 0);
      case 4: return scattered(of, number(0, 1) == 0, number(0, 1) == 0);
      case 5: return structure(of, levels);
      case 6: return resized(of);
      case 7: return {make_dup(of.type), of.map};
      case 8: return subarray(of);
      default: return darray(of);
    }
  }

  Sample contiguous(const Sample& of) {
    Problem problem;
    const std::int64_t count = number(0, 4);
    Sample made{make_contiguous(&problem, count, of.type), {}};
    for (std::int64_t k = 0; k < count; ++k) made.map.add(of.map, k * of.map.extent());
    return made;
  }

  Sample vector(const Sample& of) {
    Problem problem;
    const Vector form{number(0, 4), number(0, 3), number(-5, 9)};
    const bool in_bytes = number(0, 1) == 0;
    const std::int64_t unit = in_bytes ? 1 : of.map.extent();
    Sample made{in_bytes ? make_hvector(&problem, form, of.type) : make_vector(&problem, form, of.type), {}};
    for (std::int64_t k = 0; k < form.count; ++k) {
      for (std::int64_t n = 0; n < form.length; ++n) {
        made.map.add(of.map, k * form.stride * unit + n * of.map.extent());
      }
    }
    return made;
  }

  Sample scattered(const Sample& of, bool in_bytes, bool equal) {
    Problem problem;
    const auto count = static_cast<std::size_t>(number(0, 5));
    std::vector<std::int64_t> lengths(count);
    std::vector<std::int64_t> places(count);
    const std::int64_t same = number(0, 3);
    std::int64_t next = number(-3, 3);
    for (std::size_t k = 0; k < count; ++k) {
      lengths[k] = equal ? same : number(0, 3);
      places[k] = next;
      next += number(0, 2) == 0 ? number(-9, 20) : lengths[k];  // often side by side
    }
    const std::int64_t unit = in_bytes ? 1 : of.map.extent();
    Sample made;
    if (equal) {
      made.type = in_bytes ? make_hindexed_block(&problem, same, places, of.type)
                           : make_indexed_block(&problem, same, places, of.type);
    } else {
      made.type = in_bytes ? make_hindexed(&problem, lengths, places, of.type)
                           : make_indexed(&problem, lengths, places, of.type);
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (std::int64_t n = 0; n < lengths[k]; ++n) made.map.add(of.map, places[k] * unit + n * of.map.extent());
    }
    return made;
  }

  Sample structure(const Sample& of, int levels) {
    Problem problem;
    const auto count = static_cast<std::size_t>(number(0, 4));
    std::vector<std::int64_t> lengths(count);
    std::vector<std::int64_t> places(count);
    std::vector<Ref> types(count);
    Sample made;
    for (std::size_t k = 0; k < count; ++k) {
      const Sample part = number(0, 1) == 0 ? of : any(levels - 1);
      lengths[k] = number(0, 3);
      places[k] = number(-16, 64);
      types[k] = part.type;
      for (std::int64_t n = 0; n < lengths[k]; ++n) made.map.add(part.map, places[k] + n * part.map.extent());
    }
    made.type = make_struct(&problem, lengths, places, types);
    return made;
  }

  Sample resized(const Sample& of) {
    Problem problem;
    const std::int64_t lb = number(-8, 8);
    const std::int64_t extent = number(-4, 64);
    Sample made{make_resized(&problem, lb, extent, of.type), of.map};
    made.map.lbs = {lb};
    made.map.ubs = {lb + extent};
    return made;
  }

  Sample subarray(const Sample& of) {
    Problem problem;
    const auto dimensions = static_cast<std::size_t>(number(1, 3));
    std::vector<std::int64_t> sizes(dimensions);
    std::vector<std::int64_t> subsizes(dimensions);
    std::vector<std::int64_t> starts(dimensions);
    for (std::size_t k = 0; k < dimensions; ++k) {
      sizes[k] = number(1, 4);
      subsizes[k] = number(1, sizes[k]);
      starts[k] = number(0, sizes[k] - subsizes[k]);
    }
    const Order order = number(0, 1) == 0 ? Order::kC : Order::kFortran;
    Sample made{make_subarray(&problem, {sizes, subsizes, starts, order}, of.type), {}};
    made.map = array(of.map, sizes, order, [&](std::size_t k, std::int64_t index) {
      return index >= starts[k] && index < starts[k] + subsizes[k];
    });
    return made;
  }

  Sample darray(const Sample& of) {
    Problem problem;
    const auto dimensions = static_cast<std::size_t>(number(1, 3));
    std::vector<std::int64_t> sizes(dimensions);
    std::vector<Deal> deals(dimensions);
    std::vector<std::int64_t> arguments(dimensions);
    std::vector<std::int64_t> processes(dimensions);
    std::int64_t all = 1;
    for (std::size_t k = 0; k < dimensions; ++k) {
      sizes[k] = number(1, 7);
      deals[k] = static_cast<Deal>(number(0, 2));
      processes[k] = deals[k] == Deal::kNone ? 1 : number(1, 3);
      const std::int64_t enough = (sizes[k] + processes[k] - 1) / processes[k];
      arguments[k] = number(0, 1) == 0          ? kDefaultArgument
                     : deals[k] == Deal::kBlock ? enough + number(0, 2)
                                                : number(1, 4);
      all *= processes[k];
    }
    const std::int64_t rank = number(0, all - 1);
    const Order order = number(0, 1) == 0 ? Order::kC : Order::kFortran;
    Sample made{make_darray(&problem, {all, rank, sizes, deals, arguments, processes, order}, of.type), {}};
    made.map = array(of.map, sizes, order, [&](std::size_t k, std::int64_t index) {
      std::int64_t below = 1;
      for (std::size_t n = k + 1; n < dimensions; ++n) below *= processes[n];
      const std::int64_t mine = rank / below % processes[k];
      const std::int64_t block = arguments[k] != kDefaultArgument ? arguments[k]
                                 : deals[k] == Deal::kBlock       ? (sizes[k] + processes[k] - 1) / processes[k]
                                                                  : 1;
      return deals[k] == Deal::kNone || index / block % processes[k] == mine;
    });
    return made;
  }

 private:
  /// Elements of an array whose index is the part's in each dimension, in the order of memory.
  template <class IsIn>
  static Map array(const Map& of, const std::vector<std::int64_t>& sizes, Order order, IsIn is_in) {
    std::int64_t all = 1;
    for (const std::int64_t size : sizes) all *= size;
    Map made;
    for (std::int64_t place = 0; place < all; ++place) {
      std::int64_t rest = place;
      bool in = true;
      for (std::size_t n = 0; n < sizes.size(); ++n) {
        const std::size_t k = order == Order::kFortran ? n : sizes.size() - 1 - n;
        in = in && is_in(k, rest % sizes[k]);
        rest /= sizes[k];
      }
      if (in) made.add(of, place * of.extent());
    }
    made.lbs = {0};
    made.ubs = {all * of.extent()};
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace weft::type
