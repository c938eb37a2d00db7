#include "memory/allocator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace weft::memory {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(Allocator, GivesTheWholeHeapToOneBlock) {
  Allocator book(kMiB);
  EXPECT_EQ(book.allocate(kMiB), 0U);
  EXPECT_FALSE(book.allocate(1));
  EXPECT_TRUE(book.release(0));
  EXPECT_EQ(book.allocate(kMiB), 0U);
}

TEST(Allocator, RefusesWhatDoesNotFit) {
  Allocator book(kMiB);
  EXPECT_FALSE(book.allocate(0));
  EXPECT_FALSE(book.allocate(kMiB + 1));
  EXPECT_FALSE(book.allocate(UINT64_MAX));
  EXPECT_FALSE(book.allocate(8, std::uint64_t{1} << 62));
  EXPECT_EQ(book.in_use(), 0U);
}

// With the same history, since ranges before the last one stay the best fits they were.
TEST(Allocator, TellsWhichSizeWouldDo) {
  for (const std::uint64_t alignment : {std::uint64_t{64}, std::uint64_t{4096}}) {
    const auto fill = [](Allocator& book) {
      const auto hole = book.allocate(5000);
      EXPECT_TRUE(book.allocate(kMiB / 2) && hole && book.release(*hole));
    };
    Allocator small(kMiB);
    fill(small);
    ASSERT_FALSE(small.allocate(kMiB, alignment));
    const std::uint64_t bytes = small.bytes_that_would_do(kMiB, alignment);
    Allocator larger(bytes);
    fill(larger);
    EXPECT_TRUE(larger.allocate(kMiB, alignment));
    Allocator just_not(bytes - Allocator::kUnit);
    fill(just_not);
    EXPECT_FALSE(just_not.allocate(kMiB, alignment));
  }
  Allocator full(kMiB);
  ASSERT_TRUE(full.allocate(kMiB));
  EXPECT_EQ(full.bytes_that_would_do(1), kMiB + Allocator::kUnit);
  EXPECT_EQ(full.bytes_that_would_do(UINT64_MAX), 0U);
  EXPECT_EQ(full.bytes_that_would_do(8, std::uint64_t{1} << 62), 0U);
}

TEST(Allocator, AlignsAndKeepsTheRangeBeforeUsable) {
  Allocator book(kMiB);
  ASSERT_EQ(book.allocate(1), 0U);
  EXPECT_EQ(book.allocate(100, 4096), 4096U);
  EXPECT_EQ(book.allocate(4000), 64U) << "the gap before the aligned block is free";
}

TEST(Allocator, JoinsNeighboursWhenTheyAreFreed) {
  Allocator book(kMiB);
  const auto a = book.allocate(1000);
  const auto b = book.allocate(1000);
  const auto c = book.allocate(1000);
  const auto rest = book.allocate(kMiB - 3 * 1024);
  ASSERT_TRUE(a && b && c && rest);
  EXPECT_TRUE(book.release(*a));
  EXPECT_TRUE(book.release(*c));
  EXPECT_FALSE(book.allocate(1100));
  EXPECT_TRUE(book.release(*b));
  EXPECT_EQ(book.allocate(3 * 1024), 0U);
}

TEST(Allocator, ReleasesOnlyBlocks) {
  Allocator book(kMiB);
  const auto a = book.allocate(1000);
  ASSERT_TRUE(a);
  EXPECT_FALSE(book.release(*a + 64));
  EXPECT_TRUE(book.release(*a));
  EXPECT_FALSE(book.release(*a));
}

TEST(Allocator, ResizesInPlaceWhenItCan) {
  Allocator book(kMiB);
  const auto a = book.allocate(100);
  const auto b = book.allocate(100);
  ASSERT_TRUE(a && b);
  EXPECT_FALSE(book.resize(*a, 1000)) << "b is in the way";
  EXPECT_EQ(book.size_of(*a), 100U);
  EXPECT_TRUE(book.resize(*b, 5000));
  EXPECT_TRUE(book.resize(*b, 10));
  EXPECT_EQ(book.size_of(*b), 10U);
  EXPECT_TRUE(book.release(*b));
  EXPECT_TRUE(book.resize(*a, kMiB));
  EXPECT_FALSE(book.allocate(1));
}

// Random histories against a plain record of what is in use: blocks never overlap, stay in the heap, keep their
// alignment, and after everything is freed the heap is whole again.
TEST(Allocator, KeepsItsPromisesOverRandomHistories) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Allocator book(kMiB);
    Allocator twin(kMiB);
    std::map<std::uint64_t, std::uint64_t> used;
    for (int step = 0; step < 2000; ++step) {
      if (random() % 3 != 0) {
        const std::uint64_t bytes = 1 + random() % (random() % 8 == 0 ? 100000 : 500);
        const std::uint64_t alignment = std::uint64_t{1} << (random() % 14);
        const auto got = book.allocate(bytes, alignment);
        ASSERT_EQ(got, twin.allocate(bytes, alignment)) << "the same calls give the same offsets";
        if (!got) {
          continue;
        }
        ASSERT_EQ(*got % alignment, 0U);
        ASSERT_LE(*got + bytes, kMiB);
        const auto next = used.lower_bound(*got);
        ASSERT_TRUE(next == used.end() || *got + bytes <= next->first);
        ASSERT_TRUE(next == used.begin() || std::prev(next)->first + std::prev(next)->second <= *got);
        used.emplace(*got, bytes);
      } else if (!used.empty()) {
        auto victim = used.begin();
        std::advance(victim, static_cast<long>(random() % used.size()));
        ASSERT_TRUE(book.release(victim->first));
        ASSERT_TRUE(twin.release(victim->first));
        used.erase(victim);
      }
    }
    for (const auto& [offset, bytes] : used) {
      ASSERT_TRUE(book.release(offset));
    }
    EXPECT_EQ(book.in_use(), 0U);
    EXPECT_EQ(book.allocate(kMiB), 0U) << "seed " << seed;
  }
}

TEST(Allocator, KnowsWhatLiesInABlock) {
  Allocator book(1024);
  EXPECT_FALSE(book.block_start(0));
  ASSERT_EQ(book.allocate(64), 0U);
  ASSERT_EQ(book.allocate(65), 64U);
  EXPECT_TRUE(book.block_start(0));
  EXPECT_TRUE(book.block_start(63));
  EXPECT_TRUE(book.block_start(191));  // rounded up to whole units
  EXPECT_FALSE(book.block_start(192));
  ASSERT_TRUE(book.release(0));
  EXPECT_FALSE(book.block_start(63));
  EXPECT_TRUE(book.block_start(64));
}

TEST(Allocator, KnowsWhichCallGaveABlock) {
  Allocator book(1024);
  const int place = 0;
  ASSERT_EQ(book.allocate(100), 0U);
  ASSERT_EQ(book.allocate(64), 128U);
  book.sign(128, {&place, 7});
  book.sign(64, {&place, 8});  // no block begins there
  const auto found = book.block_around(128 + 63);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offset, 128U);
  EXPECT_EQ(found->bytes, 64U);
  EXPECT_EQ(found->giver.site, &place);
  EXPECT_EQ(found->giver.call, 7U);
  EXPECT_EQ(book.block_around(99)->giver.call, 0U);
  EXPECT_FALSE(book.block_around(100)) << "behind what was asked for";
  EXPECT_FALSE(book.block_around(192));
  ASSERT_TRUE(book.resize(128, 200));
  EXPECT_EQ(book.block_around(128 + 199)->giver.call, 7U);
  ASSERT_TRUE(book.release(128));
  EXPECT_FALSE(book.block_around(128));
}

}  // namespace
}  // namespace weft::memory
