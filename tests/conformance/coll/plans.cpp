#include "plans.hpp"

#include <algorithm>
#include <cstring>

namespace suite {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{48} << 20;
constexpr std::size_t kKiB = 1024;

std::size_t several_megabytes() { return std::size_t{check_n <= 4 ? 4U : 2U} << 20; }

Arena& arena() {
  static Arena the_arena(kArenaBytes);
  return the_arena;
}

std::uint64_t seed_of(std::size_t operation, std::size_t who, std::size_t number) {
  return mix(operation * 1000003 + who * 10007 + number) >> 8;
}

const std::vector<Mover>& movers(const Who& who) { return who.active ? active_movers() : team_movers(); }

// Calls body(who, number) for all teams and active sets; the numbers are the same on all members.
template <class Body>
void for_all(Body&& body) {
  // Sets have fixed places in their list only by name, so the name makes the number.
  for (const std::vector<Who>* all : {&teams(), &active_sets()}) {
    for (const Who& who : *all) {
      std::size_t number = 0;
      for (char c : who.name) number = number * 131 + static_cast<unsigned char>(c);
      body(who, number % 9973);
    }
  }
}

// What is computed and moved grows with the square of the members: large teams meet large counts only now and then.
bool is_thorough(const Who& who) {
  return check_n <= 4 || (check_n <= 8 && (who.name == "reversed" || who.name == "set of all"));
}
std::vector<std::size_t> counts_of(const Who& who, std::size_t element) {
  return is_thorough(who) ? counts_for(element) : short_counts_for(element);
}
std::vector<std::size_t> counts_of_types(std::size_t type) {
  if (check_n <= 4) return {1, 7, 130};
  return {std::vector<std::size_t>{1, 7, 130}[type % 3]};
}

using BlockStep = Step (*)(const Who&, const Mover&, std::size_t count, std::uint64_t seed);

// Every type with a few sizes, then every team and set with every size, then one of several megabytes.
void blocks(std::size_t operation, BlockStep make) {
  for_all([&](const Who& who, std::size_t number) {
    Series series(who, arena(), seed_of(operation, number, 0));
    const std::vector<Mover>& types = movers(who);
    const bool every_type = who.name == "WORLD" || who.active;
    for (std::size_t t = 0; t < types.size() && every_type; ++t) {
      for (std::size_t count : counts_of_types(t)) {
        series.add(make(who, types[t], count, seed_of(operation, number, 1000 + t * 8 + count)));
      }
    }
    for (std::size_t c = 0; c < counts_of(who, 1).size(); ++c) {
      const Mover& mover = types[(number + c) % types.size()];
      series.add(make(who, mover, counts_of(who, mover.element)[c], seed_of(operation, number, c)));
    }
    if (who.name == "reversed" || who.name == "even set") {
      const std::size_t count = several_megabytes() / 8 / who.pes.size() + 3;
      series.add(make(who, types.back(), count, seed_of(operation, number, 900)));
    }
  });
}

void broadcasts() {
  for_all([&](const Who& who, std::size_t number) {
    Series series(who, arena(), seed_of(1, number, 0));
    const std::vector<Mover>& types = movers(who);
    const std::size_t n = who.pes.size();
    std::size_t at = 0;
    for (std::size_t t = 0; t < types.size() && (who.name == "WORLD" || who.active); ++t) {
      for (std::size_t count : counts_of_types(t)) {
        series.add(broadcast_step(who, types[t], count, static_cast<int>(at % n), seed_of(1, number, 1000 + at)));
        ++at;
      }
    }
    for (std::size_t c = 0; c < counts_of(who, 1).size(); ++c) {
      const Mover& mover = types[(number + c) % types.size()];
      const std::size_t count = counts_of(who, mover.element)[c];
      const std::size_t roots = count > 0 && (c < 4 || check_n <= 4) && count <= 1001 ? n : 1;
      for (std::size_t root = 0; root < roots; ++root) {
        series.add(broadcast_step(who, mover, count, static_cast<int>((root + c) % n), seed_of(1, number, ++at)));
      }
    }
    if (who.name == "reversed" || who.name == "set of all") {
      series.add(broadcast_step(who, types.back(), several_megabytes() / 8 + 3, static_cast<int>(n / 2),
                                seed_of(1, number, 900)));
    }
  });
}

// Equal blocks; blocks that grow with the member; nothing from some; something from one only.
std::vector<std::size_t> uneven(const Who& who, std::size_t count, std::size_t kind) {
  std::vector<std::size_t> counts;
  const std::size_t n = who.pes.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t choices[] = {count, count * k / n + k, (k + kind) % 3 == 0 ? 0 : count + k % 2,
                                   k == kind % n ? count : 0};
    counts.push_back(choices[kind % 4]);
  }
  return counts;
}

Step uneven_collect(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed) {
  return collect_step(who, mover, uneven(who, count, seed % 64), seed);
}

Step some_alltoalls(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed) {
  constexpr std::ptrdiff_t kStrides[][2] = {{1, 1}, {2, 1}, {1, 3}, {3, 2}, {5, 5}};
  const std::ptrdiff_t* const strides = kStrides[count > 20000 ? 0 : seed % 5];
  return alltoalls_step(who, mover, count, strides[0], strides[1], seed);
}

void collects() { blocks(2, uneven_collect); }
void fcollects() { blocks(3, fcollect_step); }
void alltoalls_once() { blocks(4, alltoall_step); }
void strided_alltoalls() { blocks(5, some_alltoalls); }

// Every routine with a few sizes, every team and set with every size, in place and not.
void combine(std::size_t operation, const Who& who, std::size_t number, const std::vector<Combiner>& all) {
  Series series(who, arena(), seed_of(operation, number, 0));
  const bool every_type = who.name == "WORLD" || who.name == "set of all";
  for (std::size_t t = 0; t < all.size() && every_type; ++t) {
    for (std::size_t count : {3 + t % 5, 130 + t % 2}) {
      if (check_n > 4 && (t + count) % 2 == 1) continue;  // half of them, in place and not
      series.add(
          combine_step(who, all[t], count, (t / 2 + count) % 2 == 0, seed_of(operation, number, 2000 + t + count)));
    }
  }
  const std::size_t sizes = counts_of(who, 1).size();
  for (std::size_t c = 0; c < sizes * 2; ++c) {
    const Combiner& one = all[(number + c * 5) % all.size()];
    const std::size_t count = counts_of(who, one.element)[c % sizes];
    if (who.active && count > kMostActive) continue;
    series.add(combine_step(who, one, count, (c + c / sizes) % 2 == 0, seed_of(operation, number, c)));
  }
  if (who.name == "reversed") {
    for (bool in_place : {false, true}) {
      series.add(combine_step(who, all[all.size() / 2 + 3], check_n <= 4 ? 300001 : 100001, in_place,
                              seed_of(operation, number, 900)));
    }
  }
}

void reductions() {
  for_all([&](const Who& who, std::size_t number) {
    combine(6, who, number, who.active ? active_reductions() : team_reductions());
    if (who.active) return;
    Series series(who, arena(), seed_of(6, number, 1));
    for (const Rounding& rounding : rounding_sums()) {
      for (std::size_t count : {1, 3, 100, 3001}) {
        series.add(rounding_step(who, rounding, count, count == 100, seed_of(6, number, 3000 + count)));
      }
    }
  });
}

void all_scans() {
  for_all([&](const Who& who, std::size_t number) {
    if (!who.active) combine(7, who, number, scans());
  });
}

}  // namespace

std::vector<std::size_t> counts_for(std::size_t element) {
  std::vector<std::size_t> counts = {0, 1, 2, 3, 7, 8, 64 / element, 64 / element + 1, 1001};
  for (std::size_t bytes : {4 * kKiB, 8 * kKiB, 64 * kKiB}) {
    const std::size_t piece = bytes / element;
    counts.insert(counts.end(), {piece - 1, piece, piece + 1});
  }
  counts.push_back(3 * 64 * kKiB / element + 5);
  return counts;
}

std::vector<std::size_t> short_counts_for(std::size_t element) {
  return {0, 1, 2, 3, 7, 8, 64 / element + 1, 1001 / element, 4 * kKiB / element + 1, 8 * kKiB / element - 1};
}

Plan plan_of(const char* operation) {
  static const struct {
    const char* name;
    Plan plan;
  } plans[] = {{"broadcast", broadcasts},
               {"collect", collects},
               {"fcollect", fcollects},
               {"alltoall", alltoalls_once},
               {"alltoalls", strided_alltoalls},
               {"reduce", reductions},
               {"scan", all_scans},
               {"barrier", barriers},
               {"threads", threads}};
  for (const auto& each : plans) {
    if (std::strcmp(each.name, operation) == 0) return each.plan;
  }
  return nullptr;
}

}  // namespace suite
