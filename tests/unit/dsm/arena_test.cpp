#include "dsm/arena.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace weft::dsm {
namespace {

struct Book {
  explicit Book(std::uint32_t pages, int pes = 2, bool guarded = false)
      : memory(std::calloc(1, Arena::bytes_for(pages, pes)), std::free),
        arena(Arena::make(memory.get(), pages, pes, guarded)) {}
  std::unique_ptr<void, decltype(&std::free)> memory;
  Arena* arena;
};

TEST(Arena, SmallBlocksOfOnePeShareItsPagesOnly) {
  const Book book(16);
  const std::uint64_t first = book.arena->allocate(40, 16, 0).offset;
  const std::uint64_t second = book.arena->allocate(40, 16, 0).offset;
  const std::uint64_t other = book.arena->allocate(40, 16, 1).offset;
  EXPECT_EQ(first / kPageBytes, second / kPageBytes);
  EXPECT_NE(first, second);
  EXPECT_NE(first / kPageBytes, other / kPageBytes);
}

TEST(Arena, GivesAllAndTakesAllBack) {
  const Book book(64);
  EXPECT_EQ(book.arena->bytes_left(), 64 * kPageBytes);
  std::vector<std::uint64_t> all;
  for (;;) {
    const std::uint64_t offset = book.arena->allocate(5000, 16, 0).offset;
    if (offset == Arena::kNone) {
      break;
    }
    all.push_back(offset);
  }
  EXPECT_EQ(all.size(), 32U);
  for (const std::uint64_t offset : all) {
    EXPECT_EQ(book.arena->release(offset, 0), Arena::Freed::kDone);
  }
  EXPECT_EQ(book.arena->bytes_in_use(), 0U);
  EXPECT_EQ(book.arena->allocate(64 * kPageBytes, 16, 0).offset, 0U);
}

TEST(Arena, GuardsBlocksOfWholePages) {
  const Book book(64, 2, true);
  const std::uint64_t block = book.arena->allocate(5000, 16, 0).offset;
  const std::uint64_t aligned = book.arena->allocate(5000, 256, 0).offset;
  const std::uint64_t whole = book.arena->allocate(5000, 2 * kPageBytes, 0).offset;
  EXPECT_EQ(block % kPageBytes, 2 * kPageBytes - 5008);
  EXPECT_EQ(aligned % 256, 0U);
  EXPECT_EQ(whole % (2 * kPageBytes), 0U);
  EXPECT_EQ(book.arena->room_of(block), 5008U);
  EXPECT_EQ(book.arena->room_behind(block + 8), 5000U);
  EXPECT_EQ(book.arena->room_behind(block - 1), 0U);
  EXPECT_TRUE(book.arena->in_use(static_cast<std::uint32_t>((block + 5007) / kPageBytes)));
  EXPECT_FALSE(book.arena->in_use(static_cast<std::uint32_t>((block + 5008) / kPageBytes)));
  const auto around = book.arena->block_around(static_cast<std::uint32_t>((block + 5007) / kPageBytes));
  EXPECT_EQ(around.first, block / kPageBytes);
  EXPECT_EQ(around.pages, 2U);
  EXPECT_EQ(book.arena->release(block / kPageBytes * kPageBytes, 0), Arena::Freed::kWild);
  EXPECT_EQ(book.arena->release(block + 16, 0), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(block + 5008, 0), Arena::Freed::kWild);  // the guard
  EXPECT_EQ(book.arena->release(block, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(block, 0), Arena::Freed::kTwice);
  EXPECT_EQ(book.arena->release(aligned, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(whole, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->bytes_left(), 64 * kPageBytes);
}

TEST(Arena, TellsWhoseBlockAPlaceWas) {
  const Book book(64, 2, true);
  const std::uint64_t first = book.arena->allocate(20000, 16, 0).offset;
  const std::uint64_t small = book.arena->allocate(100, 16, 1).offset;
  const std::uint64_t small_too = book.arena->allocate(100, 16, 1).offset;
  const Arena::Lost behind = book.arena->lost_at(first + 20000);
  EXPECT_EQ(behind.begin, first);
  EXPECT_EQ(behind.bytes, 20000U);
  EXPECT_EQ(behind.pe, -1);
  const Arena::Lost far_behind = book.arena->lost_at(60 * kPageBytes);
  EXPECT_EQ(far_behind.begin, small_too);
  EXPECT_EQ(far_behind.bytes, 128U);
  ASSERT_EQ(book.arena->release(first, 1), Arena::Freed::kDone);
  for (const std::uint64_t at : {first, first + 10000, first + 20000}) {
    EXPECT_EQ(book.arena->lost_at(at).begin, first);
    EXPECT_EQ(book.arena->lost_at(at).bytes, 20000U);
    EXPECT_EQ(book.arena->lost_at(at).pe, 1);
  }
  ASSERT_EQ(book.arena->release(small, 0), Arena::Freed::kDone);
  ASSERT_EQ(book.arena->release(small_too, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->lost_at(small).begin, small_too);
  EXPECT_EQ(book.arena->lost_at(small).pe, 0);
  EXPECT_EQ(Book(4).arena->lost_at(100).begin, Arena::kNone);
  EXPECT_EQ(book.arena->lost_at(1000 * kPageBytes).begin, Arena::kNone);
}

TEST(Arena, ListsWhatWasGivenBack) {
  const Book book(64, 2, true);
  EXPECT_EQ(book.arena->returns(), 0U);
  const std::uint64_t first = book.arena->allocate(20000, 16, 0).offset;
  const std::uint64_t second = book.arena->allocate(5000, 16, 0).offset;
  book.arena->release(second, 0);
  book.arena->release(first, 0);
  ASSERT_EQ(book.arena->returns(), 2U);
  EXPECT_EQ(book.arena->returned(0).first, second / kPageBytes);
  EXPECT_EQ(book.arena->returned(0).pages, 3U);  // with the one that is nobody's
  EXPECT_EQ(book.arena->returned(1).first, first / kPageBytes);
  EXPECT_EQ(book.arena->returned(1).pages, 6U);
  while (book.arena->returns() < 5000) {
    book.arena->release(book.arena->allocate(5000, 16, 0).offset, 0);
  }
  EXPECT_EQ(book.arena->returned(4999).pages, 3U);
  EXPECT_EQ(book.arena->returned(0).pages, 64U);  // forgotten: all
}

TEST(Arena, TellsHowFarABlockGoes) {
  const Book book(64);
  const std::uint64_t small = book.arena->allocate(100, 16, 0).offset;
  const std::uint64_t large = book.arena->allocate(20000, 16, 0).offset;
  const std::uint64_t next = book.arena->allocate(5000, 16, 0).offset;
  EXPECT_EQ(book.arena->room_behind(small + 5), kPageBytes - (small + 5) % kPageBytes);
  EXPECT_EQ(book.arena->room_behind(large), 5 * kPageBytes);
  EXPECT_EQ(book.arena->room_behind(large + 5 * kPageBytes - 1), 1U);
  EXPECT_EQ(book.arena->room_behind(next + 1), 2 * kPageBytes - 1);
  EXPECT_EQ(book.arena->room_behind(next + 2 * kPageBytes), 0U);
  EXPECT_EQ(book.arena->room_behind(64 * kPageBytes), 0U);
  book.arena->release(large, 0);
  EXPECT_EQ(book.arena->room_behind(large), 0U);
  EXPECT_EQ(book.arena->room_behind(large + 3 * kPageBytes), 0U);
}

TEST(Arena, TellsWhatIsNoBlock) {
  const Book book(64);
  const std::uint64_t small = book.arena->allocate(100, 16, 0).offset;
  const std::uint64_t small_too = book.arena->allocate(100, 16, 0).offset;
  const std::uint64_t large = book.arena->allocate(20000, 16, 0).offset;
  EXPECT_EQ(book.arena->release(small + 16, 0), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(small_too + 128 * 4, 0), Arena::Freed::kTwice);  // a place that is not taken
  EXPECT_EQ(book.arena->release(large + 16, 0), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(large + kPageBytes, 0), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(large + 6 * kPageBytes, 0), Arena::Freed::kWild);
  EXPECT_EQ(book.arena->release(64 * kPageBytes, 0), Arena::Freed::kWild);
  EXPECT_EQ(book.arena->release(large, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(large, 0), Arena::Freed::kTwice);
  EXPECT_EQ(book.arena->release(small, 0), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(small, 0), Arena::Freed::kTwice);
}

TEST(Arena, KnowsWhatNobodyHasTouched) {
  const Book book(64);
  const Arena::Given first = book.arena->allocate(8192, 16, 0);
  EXPECT_TRUE(first.untouched);
  book.arena->release(first.offset, 0);
  EXPECT_FALSE(book.arena->allocate(8192, 16, 0).untouched);
}

TEST(Arena, AlignsToWhatIsAskedFor) {
  const Book book(256);
  for (std::uint64_t alignment = 1; alignment <= 64 * kPageBytes; alignment *= 2) {
    for (const std::uint64_t bytes : {1U, 17U, 100U, 1000U, 1025U, 9000U}) {
      const std::uint64_t offset = book.arena->allocate(bytes, alignment, 0).offset;
      ASSERT_NE(offset, Arena::kNone);
      EXPECT_EQ(offset % alignment, 0U) << bytes << " bytes at a multiple of " << alignment;
      EXPECT_GE(book.arena->room_of(offset), bytes);
      book.arena->release(offset, 0);
    }
  }
}

TEST(Arena, BlocksNeverOverlap) {
  const Book book(512, 3);
  std::mt19937 random(7);
  std::map<std::uint64_t, std::uint64_t> blocks;  // begin, end
  for (int k = 0; k < 20000; ++k) {
    if (random() % 2 == 0 || blocks.empty()) {
      const std::uint64_t bytes = random() % 4 == 0 ? random() % 30000 + 1 : random() % 1500 + 1;
      const std::uint64_t alignment = std::uint64_t{1} << random() % 14;
      const std::uint64_t offset = book.arena->allocate(bytes, alignment, static_cast<int>(random() % 3)).offset;
      if (offset == Arena::kNone) {
        continue;
      }
      ASSERT_LE(offset + bytes, 512 * kPageBytes);
      const auto behind = blocks.lower_bound(offset);
      ASSERT_TRUE(behind == blocks.end() || offset + bytes <= behind->first);
      ASSERT_TRUE(behind == blocks.begin() || std::prev(behind)->second <= offset);
      ASSERT_TRUE(book.arena->in_use(static_cast<std::uint32_t>(offset / kPageBytes)));
      blocks[offset] = offset + bytes;
    } else {
      const auto which = std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
      ASSERT_EQ(book.arena->release(which->first, 0), Arena::Freed::kDone);
      blocks.erase(which);
    }
  }
  for (const auto& [begin, end] : blocks) {
    ASSERT_EQ(book.arena->release(begin, 0), Arena::Freed::kDone);
  }
  EXPECT_EQ(book.arena->bytes_left(), 512 * kPageBytes);
}

TEST(Arena, ThreadsComeOneAtATime) {
  const Book book(4096);  // for all that the three have at a time, whatever their turns
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint64_t> mine;
      for (int k = 0; k < 3000; ++k) {
        mine.push_back(book.arena->allocate(static_cast<std::uint64_t>(k % 3000) + 1, 16, t % 2).offset);
        if (k % 3 == 0) {
          EXPECT_EQ(book.arena->release(mine.back(), 0), Arena::Freed::kDone);
          mine.pop_back();
        }
      }
      for (const std::uint64_t offset : mine) {
        EXPECT_EQ(book.arena->release(offset, 0), Arena::Freed::kDone);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(book.arena->bytes_in_use(), 0U);
}

}  // namespace
}  // namespace weft::dsm
