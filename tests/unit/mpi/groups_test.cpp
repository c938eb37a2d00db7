#include "mpi/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "mpi/errors.hpp"
#include "support/job_of_one.hpp"

namespace weft::mpi {
namespace {

constexpr int kMany = 5000;

std::vector<int> shuffled(unsigned seed) {
  std::vector<int> ranks(kMany);
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), std::minstd_rand(seed));
  return ranks;
}

// Groups of a job that is larger than the process that tests them: nothing of a group needs the others.
class Groups : public test::JobOfOne {
 protected:
  void SetUp() override {
    test::JobOfOne::SetUp();
    job::node().me = 17;
    world_.members = {0, 1, kMany};
  }
  void TearDown() override { job::node().me = 0; }

  static const Group& at(MPI_Group handle) { return *find<Group>(handle); }
  static std::vector<int> pes(MPI_Group handle) {
    std::vector<int> all;
    for (int rank = 0; rank < at(handle).members.size; ++rank) {
      all.push_back(at(handle).members.pe(rank));
    }
    return all;
  }
  MPI_Group of(const std::vector<int>& ranks) {
    MPI_Group made = MPI_GROUP_NULL;
    EXPECT_EQ(group_incl(world_, static_cast<int>(ranks.size()), ranks.data(), &made), MPI_SUCCESS);
    return made;
  }

  Group world_;
};

TEST_F(Groups, InAnyOrder) {
  const std::vector<int> order = shuffled(1);
  MPI_Group group = of(order);
  EXPECT_EQ(pes(group), order);
  int rank = -1;
  group_rank(at(group), &rank);
  EXPECT_EQ(order[static_cast<std::size_t>(rank)], 17);
  int result = -1;
  group_compare(at(group), world_, &result);
  EXPECT_EQ(result, MPI_SIMILAR);

  std::vector<int> all(kMany);
  std::vector<int> there(kMany);
  std::iota(all.begin(), all.end(), 0);
  group_translate_ranks(at(group), kMany, all.data(), world_, there.data());
  EXPECT_EQ(there, order);
  group_translate_ranks(world_, kMany, order.data(), at(group), there.data());
  EXPECT_EQ(there, all);
  EXPECT_EQ(group_free(&group), MPI_SUCCESS);
}

TEST_F(Groups, AsSets) {
  const std::vector<int> order = shuffled(2);
  const std::vector<int> first(order.begin(), order.begin() + 3000);
  const std::vector<int> second(order.begin() + 2000, order.end());
  MPI_Group one = of(first);
  MPI_Group other = of(second);
  MPI_Group made = MPI_GROUP_NULL;
  group_union(at(one), at(other), &made);
  EXPECT_EQ(pes(made), order);
  group_free(&made);
  group_intersection(at(one), at(other), &made);
  EXPECT_EQ(pes(made), std::vector<int>(order.begin() + 2000, order.begin() + 3000));
  group_free(&made);
  group_difference(at(one), at(other), &made);
  EXPECT_EQ(pes(made), std::vector<int>(order.begin(), order.begin() + 2000));
  int result = -1;
  group_compare(at(made), at(one), &result);
  EXPECT_EQ(result, MPI_UNEQUAL);
  group_free(&made);
  group_difference(at(one), at(one), &made);
  EXPECT_EQ(made, MPI_GROUP_EMPTY);
  group_free(&one);
  group_free(&other);
}

TEST_F(Groups, OfRanges) {
  const int ranges[3][3] = {{10, 20, 5}, {9, 1, -4}, {4999, 4999, 1}};
  MPI_Group made = MPI_GROUP_NULL;
  ASSERT_EQ(group_range_incl(world_, 3, ranges, &made), MPI_SUCCESS);
  EXPECT_EQ(pes(made), (std::vector<int>{10, 15, 20, 9, 5, 1, 4999}));
  group_free(&made);
  const int all_but[1][3] = {{4998, 0, -1}};
  ASSERT_EQ(group_range_excl(world_, 1, all_but, &made), MPI_SUCCESS);
  EXPECT_EQ(pes(made), std::vector<int>{4999});
  group_free(&made);
  const int all[1][3] = {{0, 4999, 1}};
  ASSERT_EQ(group_range_excl(world_, 1, all, &made), MPI_SUCCESS);
  EXPECT_EQ(made, MPI_GROUP_EMPTY);
}

}  // namespace
}  // namespace weft::mpi
