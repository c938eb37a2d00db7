#include <algorithm>

#include "coll/barrier.hpp"
#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::kToAll;
using weft::coll::Party;
using weft::coll::Reduce;

// Not commutative: a run of members, which only its neighbour can be joined to. An element has one at each end, and
// which element of the buffer it is. How long it is only the state says.
struct Run {
  std::int16_t first;
  std::int16_t last;
};
static_assert(sizeof(Run) == 4);

void join(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept {
  const std::size_t element = *static_cast<const std::size_t*>(state);
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::size_t at : {k * element, (k + 1) * element - sizeof(Run)}) {
      Run left;
      Run right;
      std::memcpy(&left, static_cast<const std::byte*>(with) + at, sizeof left);
      std::memcpy(&right, static_cast<const std::byte*>(and_with) + at, sizeof right);
      const Run joined = right.first == left.last + 1 ? Run{left.first, right.last} : Run{-5, -5};
      std::memcpy(static_cast<std::byte*>(into) + at, &joined, sizeof joined);
    }
  }
}

void put_runs(std::byte* at, std::size_t element, std::size_t count, Run run) {
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(at + k * element, &run, sizeof run);
    std::memcpy(at + (k + 1) * element - sizeof run, &run, sizeof run);
  }
}
void expect_runs(const std::byte* at, std::size_t element, std::size_t count, Run wanted, const char* what) {
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::size_t place : {k * element, (k + 1) * element - sizeof(Run)}) {
      Run run;
      std::memcpy(&run, at + place, sizeof run);
      CHECK(run.first == wanted.first && run.last == wanted.last,
            "%s: element %zu of %zu, of %zu bytes, is %d to %d, not %d to %d", what, k, count, element, run.first,
            run.last, wanted.first, wanted.last);
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
  const auto number = static_cast<std::int16_t>(team.me);
  return {number, number};
}
Run up_to(int last) { return {0, static_cast<std::int16_t>(last)}; }

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
  std::vector<std::size_t> counts;
  std::size_t all = 0;
  for (int k = 0; k < team.members.size; ++k) {
    counts.push_back(random() % 4 == 0 ? 0 : random() % (test.count + 1));
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
              up_to(team.members.size - 1), "reduce_scatter");
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
              inclusive ? "scan" : "exclusive scan");
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
    const auto number = static_cast<std::int16_t>(k);
    expect_runs(dest.get() + k * bytes, test.element, test.count, {number, number}, "fcollect");
  }
  weft::coll::team_barrier(team);
  {
    Party party(team);
    need_done(party, broadcast(party, {dest.get(), source.get(), bytes, team.members.size - 1}));
  }
  if (team.me != team.members.size - 1) {
    const auto number = static_cast<std::int16_t>(n - 1);
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
    const auto number = static_cast<std::int16_t>(k);
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
