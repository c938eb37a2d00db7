#include <algorithm>

#include "coll/barrier.hpp"
#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::kToAll;
using weft::coll::Party;
using weft::coll::Reduce;

// Not commutative: a run of members, which only its neighbour can be joined to. An element has one at each end, and
// which element of the vector it is: those of different ones do not join. How long it is only the state says.
struct Run {
  std::int8_t first;
  std::int8_t last;
  std::uint16_t place = 0;
};
static_assert(sizeof(Run) == 4);
constexpr std::size_t kPlaces = 65521;  // a prime, so that no two slices have the same ones

std::uint16_t place_of(std::size_t element) { return static_cast<std::uint16_t>(element % kPlaces + 1); }

void join(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept {
  const std::size_t element = *static_cast<const std::size_t*>(state);
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::size_t at : {k * element, (k + 1) * element - sizeof(Run)}) {
      Run left;
      Run right;
      std::memcpy(&left, static_cast<const std::byte*>(with) + at, sizeof left);
      std::memcpy(&right, static_cast<const std::byte*>(and_with) + at, sizeof right);
      const bool fits = right.first == left.last + 1 && left.place == right.place;
      const Run joined = fits ? Run{left.first, right.last, left.place} : Run{-5, -5};
      std::memcpy(static_cast<std::byte*>(into) + at, &joined, sizeof joined);
    }
  }
}

void put_runs(std::byte* at, std::size_t element, std::size_t count, Run run) {
  for (std::size_t k = 0; k < count; ++k) {
    run.place = place_of(k);
    std::memcpy(at + k * element, &run, sizeof run);
    std::memcpy(at + (k + 1) * element - sizeof run, &run, sizeof run);
  }
}
// Elements from number `begin` of the vector on; of nothing but zeros where there is no run.
void expect_runs(const std::byte* at, std::size_t element, std::size_t count, Run wanted, const char* what,
                 std::size_t begin = 0, bool zeros = false) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint16_t in_place = zeros ? std::uint16_t{0} : place_of(begin + k);
    for (const std::size_t place : {k * element, (k + 1) * element - sizeof(Run)}) {
      Run run;
      std::memcpy(&run, at + place, sizeof run);
      CHECK(run.first == wanted.first && run.last == wanted.last && run.place == in_place,
            "%s: element %zu of %zu, of %zu bytes, is %d to %d of %u, not %d to %d of %u", what, k, count, element,
            run.first, run.last, run.place, wanted.first, wanted.last, in_place);
    }
  }
}

struct Case {
  std::size_t element;
  std::size_t count;
  Reached reached;
  bool in_place;
};

Run own(const Team& team) {
  const auto number = static_cast<std::int8_t>(team.me);
  return {number, number};
}
Run up_to(int last) { return {0, static_cast<std::int8_t>(last)}; }

Reduce reduce_of(const Room& dest, const Room& source, Case& test) {
  return {
      test.in_place ? source.get() : dest.get(), source.get(), test.count, test.element, {join, &test.element}, true};
}

void test_reduce(Team& team, int root, Case test) {
  const std::size_t bytes = test.count * test.element;
  const Room source(test.reached, bytes);
  const Room dest(test.reached, bytes);
  put_runs(source.get(), test.element, test.count, own(team));
  const Reduce call = reduce_of(dest, source, test);
  {
    Party party(team);
    need_done(party, reduce_to(party, call, root, test.reached));
  }
  if (root == kToAll || root == team.me) {
    expect_runs(static_cast<std::byte*>(call.dest), test.element, test.count, up_to(team.members.size - 1), "reduce");
  }
}

void test_reduce_scatter(Team& team, Random& random, Case test) {
  const bool even = random() % 2 == 0;
  std::vector<std::size_t> counts;
  std::size_t begin = 0;
  std::size_t all = 0;
  for (int k = 0; k < team.members.size; ++k) {
    counts.push_back(even ? test.count : random() % 4 == 0 ? 0 : random() % (test.count + 1));
    begin += k < team.me ? counts.back() : 0;
    all += counts.back();
  }
  test.count = all;
  const Room source(test.reached, all * test.element);
  const Room dest(test.reached, all * test.element);
  put_runs(source.get(), test.element, all, own(team));
  const Reduce call = reduce_of(dest, source, test);
  {
    Party party(team);
    need_done(party, reduce_scatter(party, call, counts.data(), test.reached));
  }
  expect_runs(static_cast<std::byte*>(call.dest), test.element, counts[static_cast<std::size_t>(team.me)],
              up_to(team.members.size - 1), "reduce_scatter", begin);
}

void test_scan(Team& team, bool inclusive, Case test) {
  const std::size_t bytes = test.count * test.element;
  const Room source(test.reached, bytes);
  const Room dest(test.reached, bytes);
  put_runs(source.get(), test.element, test.count, own(team));
  weft::coll::team_barrier(team);  // others may write to what lies at the same place
  const weft::coll::Scan call{reduce_of(dest, source, test), inclusive};
  {
    Party party(team);
    need_done(party, scan_over(party, call, test.reached));
  }
  const int last = team.me - (inclusive ? 0 : 1);
  expect_runs(static_cast<std::byte*>(call.dest), test.element, test.count, last < 0 ? Run{0, 0} : up_to(last),
              inclusive ? "scan" : "exclusive scan", 0, last < 0);
}

// The calls that OpenSHMEM has, too, over members in any order.
void test_symmetric(Team& team, Case test) {
  const auto n = static_cast<std::size_t>(team.members.size);
  const std::size_t bytes = test.count * test.element;
  const Room source(Reached::kSymmetric, bytes * n);
  const Room dest(Reached::kSymmetric, bytes * n);
  put_runs(source.get(), test.element, test.count, own(team));
  weft::coll::team_barrier(team);  // others write to this one's target
  {
    Party party(team);
    need_done(party, fcollect(party, dest.get(), source.get(), bytes));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto number = static_cast<std::int8_t>(k);
    expect_runs(dest.get() + k * bytes, test.element, test.count, {number, number}, "fcollect");
  }
  weft::coll::team_barrier(team);
  {
    Party party(team);
    need_done(party, broadcast(party, {dest.get(), source.get(), bytes, team.members.size - 1}));
  }
  if (team.me != team.members.size - 1) {
    const auto number = static_cast<std::int8_t>(n - 1);
    expect_runs(dest.get(), test.element, test.count, {number, number}, "broadcast");
  }
  weft::coll::team_barrier(team);
  for (std::size_t k = 0; k < n; ++k) put_runs(source.get() + k * bytes, test.element, test.count, own(team));
  weft::coll::team_barrier(team);
  {
    Party party(team);
    need_done(party, alltoall(party, {dest.get(), source.get(), test.count, test.element}));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto number = static_cast<std::int8_t>(k);
    expect_runs(dest.get() + k * bytes, test.element, test.count, {number, number}, "alltoall");
  }
  weft::coll::team_barrier(team);
  test.reached = Reached::kSymmetric;
  {
    Party party(team);
    need_done(party, reduce(party, reduce_of(dest, source, test)));
  }
  expect_runs(test.in_place ? source.get() : dest.get(), test.element, test.count, up_to(team.members.size - 1),
              "reduce");
  weft::coll::team_barrier(team);
}

void all_combines(Team& team, Random random) {
  const auto n = static_cast<unsigned>(team.members.size);
  for (const std::size_t element : {8U, 12U, 24U, 100U, 9000U}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{8000} / element + 1,
                                    std::size_t{70000} / element + 1}) {
      for (const Reached reached : {Reached::kStaged, Reached::kSymmetric, Reached::kShown}) {
        const Case test{element, count, reached, random() % 2 == 0};
        test_reduce(team, kToAll, test);
        const int root = static_cast<int>(random() % n);
        const bool at_root = random() % 2 == 0;
        test_reduce(team, root, {element, count, reached, at_root && team.me == root});
        test_reduce_scatter(team, random, test);
        test_scan(team, true, test);
        test_scan(team, false, test);
      }
      test_symmetric(team, {element, count, Reached::kSymmetric, random() % 2 == 0});
    }
  }
  // Many slices of each share, where they go so.
  for (const std::size_t element : {8U, 24U}) {
    for (const bool in_place : {false, true}) {
      const Case test{element, std::size_t{300000} / element, Reached::kShown, in_place};
      test_reduce(team, kToAll, test);
      test_scan(team, true, test);
      test_scan(team, false, test);
      test_reduce_scatter(team, random, {element, test.count / n, Reached::kShown, in_place});
    }
  }
}

}  // namespace

void combines() {
  Random random(23);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const auto seed = static_cast<unsigned>(random());
    if (Team* team = team_of(some_pes(random), round); team != nullptr) {
      all_combines(*team, Random(seed));
      weft::coll::destroy_team(*team);
    }
  }
}

}  // namespace forms
