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
  explicit Book(std::uint32_t pages, int pes = 2)
      : memory(std::calloc(1, Arena::bytes_for(pages, pes)), std::free), arena(Arena::make(memory.get(), pages, pes)) {}
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
    EXPECT_EQ(book.arena->release(offset), Arena::Freed::kDone);
  }
  EXPECT_EQ(book.arena->bytes_in_use(), 0U);
  EXPECT_EQ(book.arena->allocate(64 * kPageBytes, 16, 0).offset, 0U);
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
  book.arena->release(large);
  EXPECT_EQ(book.arena->room_behind(large), 0U);
  EXPECT_EQ(book.arena->room_behind(large + 3 * kPageBytes), 0U);
}

TEST(Arena, TellsWhatIsNoBlock) {
  const Book book(64);
  const std::uint64_t small = book.arena->allocate(100, 16, 0).offset;
  const std::uint64_t small_too = book.arena->allocate(100, 16, 0).offset;
  const std::uint64_t large = book.arena->allocate(20000, 16, 0).offset;
  EXPECT_EQ(book.arena->release(small + 16), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(small_too + 128 * 4), Arena::Freed::kTwice);  // a place that is not taken
  EXPECT_EQ(book.arena->release(large + 16), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(large + kPageBytes), Arena::Freed::kInside);
  EXPECT_EQ(book.arena->release(large + 6 * kPageBytes), Arena::Freed::kWild);
  EXPECT_EQ(book.arena->release(64 * kPageBytes), Arena::Freed::kWild);
  EXPECT_EQ(book.arena->release(large), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(large), Arena::Freed::kTwice);
  EXPECT_EQ(book.arena->release(small), Arena::Freed::kDone);
  EXPECT_EQ(book.arena->release(small), Arena::Freed::kTwice);
}

TEST(Arena, KnowsWhatNobodyHasTouched) {
  const Book book(64);
  const Arena::Given first = book.arena->allocate(8192, 16, 0);
  EXPECT_TRUE(first.untouched);
  book.arena->release(first.offset);
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
      book.arena->release(offset);
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
      ASSERT_EQ(book.arena->release(which->first), Arena::Freed::kDone);
      blocks.erase(which);
    }
  }
  for (const auto& [begin, end] : blocks) {
    ASSERT_EQ(book.arena->release(begin), Arena::Freed::kDone);
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
          EXPECT_EQ(book.arena->release(mine.back()), Arena::Freed::kDone);
          mine.pop_back();
        }
      }
      for (const std::uint64_t offset : mine) {
        EXPECT_EQ(book.arena->release(offset), Arena::Freed::kDone);
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
