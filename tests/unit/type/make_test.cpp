// The constructors: what is known of what they make, and what they refuse.
#include <gtest/gtest.h>

#include <thread>

#include "reference.hpp"

namespace weft::type {
namespace {

void expect_same(const Sample& sample, std::uint64_t seed) {
  ASSERT_TRUE(sample.type) << seed;
  const Datatype& type = *sample.type;
  const Map& map = sample.map;
  const std::string which = type.text() + ", seed " + std::to_string(seed);
  EXPECT_EQ(type.size(), map.size()) << which;
  EXPECT_EQ(type.elements(), static_cast<std::int64_t>(map.entries.size())) << which;
  EXPECT_EQ(type.bounds().lb, map.lb()) << which;
  EXPECT_EQ(type.bounds().ub, map.ub()) << which;
  EXPECT_EQ(type.bounds().true_lb, map.true_lb()) << which;
  EXPECT_EQ(type.bounds().true_ub, map.true_ub()) << which;
  Signature signature;
  for (const Map::Entry& entry : map.entries) signature = signature.then(Signature::of(*entry.basic));
  EXPECT_EQ(type.signature().hash, signature.hash) << which;
  EXPECT_EQ(type.signature().any, signature.any) << which;
}

TEST(Make, AgreesWithTheStandardsRules) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Samples samples(seed);
    expect_same(samples.any(static_cast<int>(seed % 4)), seed);
  }
}

TEST(Make, LeavesRoomBehindTheLastMemberOfAStruct) {
  Problem problem;
  const std::int64_t lengths[] = {1, 1};
  const std::int64_t places[] = {0, 8};
  const Ref types[] = {make_basic(kDouble), make_basic(kChar)};
  const Ref made = make_struct(&problem, lengths, places, types);
  EXPECT_EQ(made->extent(), 16);
  EXPECT_EQ(made->size(), 9);
  EXPECT_EQ(made->bounds().true_ub, 9);
  const Ref exact = make_resized(&problem, 0, 9, made);
  EXPECT_EQ(exact->extent(), 9);
}

TEST(Make, MakesPairsAsCDoes) {
  struct Two {
    short value;
    int index;
  };
  const Ref pair = make_pair("MPI_SHORT_INT", kShort, kInt);
  EXPECT_EQ(pair->extent(), static_cast<std::int64_t>(sizeof(Two)));
  EXPECT_EQ(pair->size(), 6);
  EXPECT_EQ(pair->text(), "MPI_SHORT_INT");
}

TEST(Make, GivesItsArgumentsBack) {
  Problem problem;
  const Ref of = make_basic(kInt);
  const std::int64_t lengths[] = {1, 2};
  const std::int64_t places[] = {8, 0};
  using Numbers64 = std::vector<std::int64_t>;
  const Ref small = make_hindexed(&problem, lengths, places, of);
  EXPECT_EQ(small->contents().made, Made::kHindexed);
  EXPECT_EQ(small->contents().integers, (Numbers64{2, 1, 2}));
  EXPECT_EQ(small->contents().addresses, (Numbers64{8, 0}));
  EXPECT_EQ(small->contents().types[0].get(), of.get());
  const Ref large = make_hindexed(&problem, lengths, places, of, Form::kLarge);
  EXPECT_EQ(large->contents().counts, (Numbers64{2, 1, 2, 8, 0}));
  EXPECT_TRUE(large->contents().integers.empty());
  const Ref vector = make_vector(&problem, {3, 2, -4}, of);
  EXPECT_EQ(vector->contents().integers, (Numbers64{3, 2, -4}));
  const Ref resized = make_resized(&problem, -4, 40, of);
  EXPECT_EQ(resized->contents().addresses, (Numbers64{-4, 40}));
  const std::int64_t sizes[] = {4, 5};
  const std::int64_t parts[] = {2, 3};
  const std::int64_t starts[] = {1, 0};
  const Ref subarray = make_subarray(&problem, {sizes, parts, starts, Order::kFortran}, of);
  EXPECT_EQ(subarray->contents().integers, (Numbers64{2, 4, 5, 2, 3, 1, 0, 1}));
  const Ref large_subarray = make_subarray(&problem, {sizes, parts, starts, Order::kC}, of, Form::kLarge);
  EXPECT_EQ(large_subarray->contents().integers, (Numbers64{2, 0}));
  EXPECT_EQ(large_subarray->contents().counts, (Numbers64{4, 5, 2, 3, 1, 0}));
}

TEST(Make, RefusesWhatCannotBe) {
  Problem problem;
  const Ref of = make_basic(kInt);
  EXPECT_FALSE(make_contiguous(&problem, -1, of));
  EXPECT_EQ(problem, Problem::kNegative);
  EXPECT_FALSE(make_vector(&problem, {1, -1, 1}, of));
  EXPECT_EQ(problem, Problem::kNegative);
  EXPECT_FALSE(make_contiguous(&problem, INT64_MAX / 2, of));
  EXPECT_EQ(problem, Problem::kTooLarge);
  EXPECT_FALSE(make_vector(&problem, {3, 1, INT64_MAX / 2}, of));
  EXPECT_EQ(problem, Problem::kTooLarge);
  const std::int64_t lengths[] = {1, -1};
  const std::int64_t places[] = {0, 8};
  EXPECT_FALSE(make_indexed(&problem, lengths, places, of));
  EXPECT_EQ(problem, Problem::kNegative);
  const std::int64_t far[] = {INT64_MAX, 0};
  const std::int64_t ones[] = {1, 1};
  EXPECT_FALSE(make_hindexed(&problem, ones, far, of));
  EXPECT_EQ(problem, Problem::kTooLarge);
  EXPECT_FALSE(make_resized(&problem, INT64_MAX, 1, of));
  EXPECT_EQ(problem, Problem::kTooLarge);
  EXPECT_TRUE(make_contiguous(&problem, std::int64_t{1} << 60, of));  // its size fits
  EXPECT_EQ(problem, Problem::kNone);
}

TEST(Make, SaysWhatItIs) {
  Problem problem;
  const Ref vector = make_vector(&problem, {128, 1, 16}, make_basic(kDouble));
  EXPECT_EQ(vector->text(), "vector(128, 1, 16) of MPI_DOUBLE");
  EXPECT_EQ(make_dup(vector)->text(), "dup of vector(128, 1, 16) of MPI_DOUBLE");
  std::vector<std::int64_t> many(100, 1);
  EXPECT_EQ(make_indexed(&problem, many, many, make_basic(kInt))->text(),
            "indexed(100, 1, 1, 1, 1, 1, ...) of MPI_INT");
}

TEST(Make, KeepsWhatIsUsedByThreads) {
  Problem problem;
  Ref shared = make_vector(&problem, {8, 1, 2}, make_basic(kInt));
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([mine = shared] {
      for (int n = 0; n < 1000; ++n) {
        Problem why;
        const Ref made = make_contiguous(&why, 3, mine);
        made->commit();
        mine->commit();
        ASSERT_TRUE(made->committed());
      }
    });
  }
  shared = {};
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::type
