// Parts of arrays by hand, and what is refused; samples of both are in the other tests.
#include <gtest/gtest.h>

#include "reference.hpp"
#include "type/cursor.hpp"

namespace weft::type {
namespace {

std::vector<int> gathered(const Ref& type, const std::vector<int>& array) {
  type->commit();
  std::vector<int> got(static_cast<std::size_t>(type->size()) / sizeof(int));
  Cursor(*type, 1).pack(array.data(), 0, got.data(), got.size() * sizeof(int));
  return got;
}

TEST(Subarray, TakesAPartOfAMatrix) {
  Problem problem;
  std::vector<int> matrix(20);
  for (int k = 0; k < 20; ++k) matrix[static_cast<std::size_t>(k)] = k;
  const std::int64_t sizes[] = {4, 5};
  const std::int64_t parts[] = {2, 3};
  const std::int64_t starts[] = {1, 2};
  EXPECT_EQ(gathered(make_subarray(&problem, {sizes, parts, starts, Order::kC}, make_basic(kInt)), matrix),
            (std::vector<int>{7, 8, 9, 12, 13, 14}));
  EXPECT_EQ(gathered(make_subarray(&problem, {sizes, parts, starts, Order::kFortran}, make_basic(kInt)), matrix),
            (std::vector<int>{9, 10, 13, 14, 17, 18}));
}

TEST(Darray, DealsCardsInTurn) {
  Problem problem;
  std::vector<int> cards(10);
  for (int k = 0; k < 10; ++k) cards[static_cast<std::size_t>(k)] = k;
  const std::int64_t sizes[] = {10};
  const Deal deals[] = {Deal::kCyclic};
  const std::int64_t two[] = {2};
  const std::int64_t three[] = {3};
  EXPECT_EQ(gathered(make_darray(&problem, {3, 0, sizes, deals, two, three, Order::kC}, make_basic(kInt)), cards),
            (std::vector<int>{0, 1, 6, 7}));
  EXPECT_EQ(gathered(make_darray(&problem, {3, 1, sizes, deals, two, three, Order::kC}, make_basic(kInt)), cards),
            (std::vector<int>{2, 3, 8, 9}));
  EXPECT_EQ(gathered(make_darray(&problem, {3, 2, sizes, deals, two, three, Order::kC}, make_basic(kInt)), cards),
            (std::vector<int>{4, 5}));
}

TEST(Arrays, RefuseWhatDoesNotFit) {
  Problem problem;
  const Ref of = make_basic(kInt);
  const std::int64_t sizes[] = {4};
  const std::int64_t parts[] = {3};
  const std::int64_t starts[] = {2};
  EXPECT_FALSE(make_subarray(&problem, {sizes, parts, starts, Order::kC}, of));
  EXPECT_EQ(problem, Problem::kOutside);
  EXPECT_FALSE(make_subarray(&problem, {{}, {}, {}, Order::kC}, of));
  EXPECT_EQ(problem, Problem::kNegative);
  const Deal block[] = {Deal::kBlock};
  const Deal none[] = {Deal::kNone};
  const std::int64_t one[] = {1};
  const std::int64_t two[] = {2};
  EXPECT_FALSE(make_darray(&problem, {2, 0, sizes, block, one, two, Order::kC}, of));  // 2 blocks of 1 for 4
  EXPECT_EQ(problem, Problem::kDistribution);
  EXPECT_FALSE(make_darray(&problem, {2, 0, sizes, none, one, two, Order::kC}, of));
  EXPECT_EQ(problem, Problem::kDistribution);
  EXPECT_FALSE(make_darray(&problem, {3, 0, sizes, block, two, two, Order::kC}, of));  // a grid of 2
  EXPECT_EQ(problem, Problem::kDistribution);
  EXPECT_FALSE(make_darray(&problem, {2, 2, sizes, block, two, two, Order::kC}, of));
  EXPECT_EQ(problem, Problem::kOutside);
}

TEST(Arrays, HoldWhatIsHuge) {
  Problem problem;
  const std::int64_t sizes[] = {std::int64_t{1} << 50};
  const Deal deals[] = {Deal::kCyclic};
  const std::int64_t argument[] = {INT64_MAX};
  const std::int64_t processes[] = {3};
  const Ref first = make_darray(&problem, {3, 0, sizes, deals, argument, processes, Order::kC}, make_basic(kInt));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size(), std::int64_t{1} << 52);
  const Ref second = make_darray(&problem, {3, 1, sizes, deals, argument, processes, Order::kC}, make_basic(kInt));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->size(), 0);
  EXPECT_EQ(second->extent(), std::int64_t{1} << 52);
}

}  // namespace
}  // namespace weft::type
