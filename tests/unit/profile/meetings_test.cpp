#include "profile/meetings.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <memory>
#include <thread>
#include <vector>

namespace weft::profile {
namespace {

constexpr std::uint64_t kTick = 16;  // what a word can tell apart

class Meeting : public testing::Test {
 protected:
  Meeting() : shared_(std::make_unique<Meetings>()) {
    for (int pe = 0; pe < 3; ++pe) books_[pe].use(shared_.get(), pe);
  }
  std::unique_ptr<Meetings> shared_;
  MeetingBook books_[3];
};

TEST_F(Meeting, WhoeverLeavesLearnsWhoCameLast) {
  const Members all{0, 1, 3};
  const auto first = books_[0].come(all, 100 * kTick);
  const auto last = books_[2].come(all, 500 * kTick);
  const auto second = books_[1].come(all, 200 * kTick);
  EXPECT_EQ(books_[0].leave(first).pe, 2);
  EXPECT_EQ(books_[0].leave(first).late, 400 * kTick);
  EXPECT_EQ(books_[1].leave(second).late, 300 * kTick);
  EXPECT_EQ(books_[2].leave(last).pe, 2);
  EXPECT_EQ(books_[2].leave(last).late, 0U);
}

TEST_F(Meeting, WordsServeAgain) {
  const Members pair{0, 1, 2};
  for (std::uint64_t k = 0; k < 5 * Meetings::kRounds; ++k) {
    const int late = k % 3 == 0 ? 0 : 1;
    const std::uint64_t now = 1000 * k * kTick;
    const auto a = books_[0].come(pair, now + (late == 0 ? 10 * kTick : 0));
    const auto b = books_[1].come(pair, now + (late == 1 ? 10 * kTick : 0));
    EXPECT_EQ(books_[0].leave(a).pe, late);
    EXPECT_EQ(books_[1].leave(b).pe, late);
  }
}

TEST_F(Meeting, GroupsHaveTheirOwnMeetings) {
  const Members all{0, 1, 3};
  const Members ends{0, 2, 2};
  const auto inner = books_[0].come(ends, 10 * kTick);
  const auto other = books_[2].come(ends, 20 * kTick);
  const auto outer = books_[0].come(all, 30 * kTick);
  const auto late = books_[1].come(all, 90 * kTick);
  EXPECT_EQ(books_[0].leave(inner).pe, 2);
  EXPECT_EQ(books_[2].leave(other).pe, 2);
  EXPECT_EQ(books_[0].leave(outer).pe, 1);
  EXPECT_EQ(books_[1].leave(late).pe, 1);
}

TEST_F(Meeting, OfOnePeIsNone) {
  const auto ticket = books_[0].come({0, 1, 1}, 10);
  EXPECT_EQ(books_[0].leave(ticket).pe, -1);
  EXPECT_EQ(books_[0].leave(books_[0].come({}, 10)).pe, -1);
}

TEST_F(Meeting, ADescendingTeamIsAnother) {
  const auto up = books_[0].come({0, 1, 2}, 10);
  const auto down = books_[0].come({1, -1, 2}, 10);
  EXPECT_NE(up.group, down.group);
}

TEST_F(Meeting, MoreGroupsThanThereIsRoomForAreCounted) {
  for (int size = 2; size < 2 + Meetings::kGroups; ++size) EXPECT_GE(books_[0].come({0, 1, size}, 10).group, 0);
  EXPECT_EQ(books_[0].come({0, 1, 4000}, 10).group, -1);
  EXPECT_EQ(shared_->crowded.load(), 1U);
}

// Threads as PEs, so that ThreadSanitizer sees what processes do. Each round another one is said to come last.
TEST(MeetingOfThreads, AllAgree) {
  constexpr int kPes = 4;
  constexpr std::uint64_t kRounds = 2000;
  const auto shared = std::make_unique<Meetings>();
  std::barrier together(kPes);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> pes;
  for (int pe = 0; pe < kPes; ++pe) {
    pes.emplace_back([&, pe] {
      MeetingBook book;
      book.use(shared.get(), pe);
      for (std::uint64_t k = 0; k < kRounds; ++k) {
        const int last = static_cast<int>(k % kPes);
        const auto ticket =
            book.come({0, 1, kPes}, (1000 * (k + 1) + (pe == last ? 500U : static_cast<unsigned>(pe))) * kTick);
        together.arrive_and_wait();
        wrong += book.leave(ticket).pe != last ? 1 : 0;
      }
    });
  }
  for (std::thread& pe : pes) pe.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace weft::profile
