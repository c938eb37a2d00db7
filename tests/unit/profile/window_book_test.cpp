#include "profile/window_book.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/leftovers.hpp"

namespace weft::profile {
namespace {

class Books : public testing::Test {
 protected:
  Books() { book_.use(temporary_.path().c_str(), 1, 4); }
  std::string file() const { return temporary_.path() + "/windows.1.weft"; }
  static MadeWindow of(std::vector<int> pes) {
    return {.call = 7, .place = {0, 64}, .bytes = 100, .pes = std::move(pes)};
  }

  const test::TemporaryDirectory temporary_;
  WindowBook book_;
};

TEST_F(Books, CountsByMemberAndForAll) {
  book_.add(10, of({3, 1}));
  book_.name(10, "table");
  const KnownWindow* const window = book_.find(10);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pe(0), 3);
  EXPECT_EQ(window->pe(2), -1);
  EXPECT_EQ(window->pe(-1), -1);
  window->count_moved(0, WindowMoves::kPut, 8);
  window->count_moved(0, WindowMoves::kPut, 16);
  window->count_moved(-1, WindowMoves::kPut, 1000);  // MPI_PROC_NULL moves nothing
  window->count_waited(1, WindowWaits::kUnlock, 5);
  window->count_waited(-1, WindowWaits::kUnlock, 7);
  window->count_waited(1, WindowWaits::kFence, 9);
  const WindowPart& part = *window->part;
  EXPECT_STREQ(part.name, "table");
  EXPECT_EQ(part.n_members, 2U);
  EXPECT_EQ(peers_of(&part)[0].pe, 3);
  EXPECT_EQ(peers_of(&part)[0].moved[0].count, 2U);
  EXPECT_EQ(peers_of(&part)[0].moved[0].sum, 24U);
  EXPECT_EQ(peers_of(&part)[1].waited[2].sum, 5U);
  EXPECT_EQ(part.waited[2].sum, 7U);
  EXPECT_EQ(part.waited[3].sum, 9U);
}

TEST_F(Books, AHandleMayMeanAnotherWindowLater) {
  book_.add(10, of({0, 1}));
  const KnownWindow* const first = book_.find(10);
  ASSERT_NE(first, nullptr);
  const WindowPart* const part = first->part;
  book_.forget(10);
  EXPECT_EQ(book_.find(10), nullptr);
  book_.add(10, of({0, 1}));
  ASSERT_NE(book_.find(10), nullptr);
  EXPECT_NE(book_.find(10)->part, part);
  EXPECT_EQ(book_.find(10)->part->members, part->members);
  EXPECT_EQ(book_.find(10)->part->ordinal, part->ordinal + 1);
  book_.add(11, of({1, 0}));
  EXPECT_NE(book_.find(11)->part->members, part->members);
}

TEST_F(Books, LongNamesAreCut) {
  book_.add(10, of({0}));
  book_.name(10, std::string(200, 'x').c_str());
  EXPECT_EQ(std::string(book_.find(10)->part->name), std::string(63, 'x'));
  book_.name(99, "nobody");
}

TEST_F(Books, WhatFindsNoRoomIsCountedTogether) {
  for (std::uintptr_t k = 1; k <= kMostWindows + 5; ++k) {
    book_.add(k, of({2, 3}));
    book_.find(k)->count_moved(1, WindowMoves::kGet, 4);
  }
  const WindowPart& rest = *book_.find(kMostWindows + 1)->part;
  EXPECT_EQ(book_.find(kMostWindows + 5)->part, &rest);
  EXPECT_EQ(rest.call, 0U);
  // Its members are all PEs.
  EXPECT_EQ(peers_of(&rest)[3].moved[1].count, 5U);
  book_.name(kMostWindows + 1, "one of many");
  EXPECT_STREQ(rest.name, "");
  EXPECT_EQ(std::filesystem::file_size(file()), kMostWindows * window_bytes(2) + window_bytes(4));
}

TEST_F(Books, ThreadsLoseNothing) {
  book_.add(10, of({0, 1}));
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int times = 0; times < 1000; ++times) {
        book_.find(10)->count_moved(1, WindowMoves::kPut, 1);
        if (times % 100 == 0) book_.add(static_cast<std::uintptr_t>(100 + k), of({0}));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(peers_of(book_.find(10)->part)[1].moved[0].sum, 4000U);
}

TEST(BookWithoutRecording, KnowsNothing) {
  WindowBook book;
  book.add(10, {.call = 7, .place = {}, .bytes = 1, .pes = {0}});
  EXPECT_EQ(book.find(10), nullptr);
}

}  // namespace
}  // namespace weft::profile
