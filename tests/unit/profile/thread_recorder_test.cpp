#include "profile/thread_recorder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace weft::profile {
namespace {

constexpr int kPes = 3;
constexpr std::uint32_t kTraceRoom = 4;

Place place_of(std::uint64_t address) noexcept { return {7, address - 1}; }

class Recorder : public testing::Test {
 protected:
  Recorder() : bytes_(part_bytes(kPes, kTraceRoom) / 64) {
    part_ = reinterpret_cast<ThreadPart*>(bytes_.data());
    part_->line.shift = TimeLine::kFirstShift;
    part_->inside_site = kNotInside;
    recorder_ = ThreadRecorder(part_, kPes, kTraceRoom, place_of);
  }

  struct alignas(64) Line {
    std::byte bytes[64]{};
  };
  std::vector<Line> bytes_;
  ThreadPart* part_;
  ThreadRecorder recorder_;
};

TEST_F(Recorder, CallsOfOnePlaceShareAnEntry) {
  const std::uint32_t site = recorder_.site(5, Kind::kPut, 0x1000);
  EXPECT_EQ(recorder_.site(5, Kind::kPut, 0x1000), site);
  EXPECT_NE(recorder_.site(6, Kind::kPut, 0x1000), site);
  EXPECT_NE(recorder_.site(5, Kind::kPut, 0x1008), site);
  recorder_.count(site, Kind::kPut, {.begin = 100, .end = 130, .bytes = 8, .peer = 1});
  recorder_.count(site, Kind::kPut, {.begin = 200, .end = 210, .bytes = 24, .peer = 1});
  const Site& found = part_->sites[site];
  EXPECT_EQ(found.count, 2U);
  EXPECT_EQ(found.bytes, 32U);
  EXPECT_EQ(found.ticks, 40U);
  EXPECT_EQ(found.shortest, 10U);
  EXPECT_EQ(found.longest, 30U);
  EXPECT_EQ(found.module, 7);
  EXPECT_EQ(found.offset, 0xfffU);
  EXPECT_EQ(part_->busy_ticks, 40U);
  EXPECT_EQ(part_->wait_ticks, 0U);
}

TEST_F(Recorder, MorePlacesThanThereIsRoomForAreCountedByRoutine) {
  for (std::uint64_t k = 0; k < kOwnSites; ++k) (void)recorder_.site(1, Kind::kPut, 0x1000 + 8 * k);
  const std::uint32_t known = recorder_.site(1, Kind::kPut, 0x1000);
  EXPECT_EQ(part_->sites[known].address, 0x1000U);
  const std::uint32_t together = recorder_.site(1, Kind::kPut, 0x999999);
  EXPECT_EQ(part_->sites[together].address, 0U);
  EXPECT_EQ(recorder_.site(1, Kind::kPut, 0x888888), together);
  EXPECT_NE(recorder_.site(2, Kind::kGet, 0x888888), together);
}

// However many routines and places there are, each call finds an entry.
TEST_F(Recorder, EveryRoutineHasRoom) {
  for (std::uint32_t call = 1; call <= kSites - kOwnSites - 1; ++call) {
    for (std::uint64_t k = 0; k < 4; ++k) {
      const std::uint32_t site = recorder_.site(call, Kind::kPut, 0x1000 + 64 * call + 8 * k);
      ASSERT_EQ(part_->sites[site].call, call);
    }
  }
}

TEST_F(Recorder, SizesAndPeersAreThoseOfTheKind) {
  recorder_.count(recorder_.site(1, Kind::kGet, 1), Kind::kGet, {.begin = 0, .end = 5, .bytes = 1000, .peer = 2});
  recorder_.count(recorder_.site(2, Kind::kBarrier, 1), Kind::kBarrier, {.begin = 5, .end = 9});
  const Sized& sized = part_->sizes[static_cast<int>(Kind::kGet)][size_class(1000)];
  EXPECT_EQ(sized.moved.count, 1U);
  EXPECT_EQ(sized.moved.bytes, 1000U);
  EXPECT_EQ(sized.ticks, 5U);
  EXPECT_EQ(peers_of(part_)[2].moved[static_cast<int>(Kind::kGet)].bytes, 1000U);
  EXPECT_EQ(peers_of(part_)[0].moved[static_cast<int>(Kind::kGet)].count, 0U);
  EXPECT_EQ(part_->busy_ticks, 9U);
  EXPECT_EQ(part_->wait_ticks, 4U);
}

TEST_F(Recorder, APeOutsideTheJobIsNoPeer) {
  recorder_.count(recorder_.site(1, Kind::kPut, 1), Kind::kPut, {.begin = 0, .end = 1, .bytes = 8, .peer = kPes});
  recorder_.count(recorder_.site(1, Kind::kPut, 1), Kind::kPut, {.begin = 0, .end = 1, .bytes = 8, .peer = -1});
  for (int pe = 0; pe < kPes; ++pe) EXPECT_EQ(peers_of(part_)[pe].moved[0].count, 0U);
}

TEST_F(Recorder, AWaitShowsUntilItIsOver) {
  const std::uint32_t site = recorder_.site(1, Kind::kWait, 0x10);
  recorder_.go_inside(site, 50);
  EXPECT_EQ(part_->inside_site, site);
  EXPECT_EQ(part_->inside_since, 50U);
  recorder_.count(site, Kind::kWait, {.begin = 50, .end = 90});
  EXPECT_EQ(part_->inside_site, kNotInside);
}

TEST_F(Recorder, TheOneThatCameLastIsCounted) {
  const std::uint32_t site = recorder_.site(1, Kind::kBarrier, 0x10);
  recorder_.count(site, Kind::kBarrier, {.begin = 0, .end = 90, .last = 2, .late = 80});
  EXPECT_EQ(peers_of(part_)[2].late_count, 1U);
  EXPECT_EQ(peers_of(part_)[2].late_ticks, 80U);
  EXPECT_EQ(part_->waits.list[0].last, 2);
}

TEST_F(Recorder, AClockThatSeemsToGoBackCountsAsNoTime) {
  const std::uint32_t site = recorder_.site(1, Kind::kPut, 0x10);
  recorder_.count(site, Kind::kPut, {.begin = 100, .end = 97, .bytes = 8, .peer = 0});
  EXPECT_EQ(part_->sites[site].ticks, 0U);
}

TEST_F(Recorder, TheTraceKeepsTheLatestEvents) {
  const std::uint32_t site = recorder_.site(1, Kind::kPut, 0x10);
  for (std::uint64_t k = 0; k < 6; ++k) {
    recorder_.count(site, Kind::kPut, {.begin = k, .end = k + 1, .bytes = k, .peer = 1});
  }
  EXPECT_EQ(part_->traced, 6U);
  const Event* events = events_of(part_, kPes);
  EXPECT_EQ(events[0].bytes, 4U);
  EXPECT_EQ(events[1].bytes, 5U);
  EXPECT_EQ(events[2].bytes, 2U);
}

std::uint64_t all_time(const TimeLine& line, Kind kind) {
  std::uint64_t ticks = 0;
  for (const auto& bin : line.bins) ticks += bin[static_cast<int>(kind)];
  return ticks;
}

TEST(AddTime, ALongStretchLiesInAllItsBins) {
  const auto line = std::make_unique<TimeLine>();
  line->shift = 4;  // bins of 16 ticks
  add_time(*line, Kind::kBarrier, 10, 40);
  EXPECT_EQ(line->bins[0][static_cast<int>(Kind::kBarrier)], 6U);
  EXPECT_EQ(line->bins[1][static_cast<int>(Kind::kBarrier)], 16U);
  EXPECT_EQ(line->bins[2][static_cast<int>(Kind::kBarrier)], 8U);
  EXPECT_EQ(line->bins[3][static_cast<int>(Kind::kBarrier)], 0U);
}

TEST(AddTime, BinsGrowWithTheRunAndLoseNothing) {
  const auto line = std::make_unique<TimeLine>();
  line->shift = 4;
  line->origin = 1000;
  for (std::uint64_t at = 0; at < 10'000'000; at += 1000) add_time(*line, Kind::kPut, 1000 + at, 1000 + at + 10);
  EXPECT_EQ(all_time(*line, Kind::kPut), 100'000U);
  EXPECT_GE(std::uint64_t{TimeLine::kBins} << line->shift, 10'000'000U);
  EXPECT_LT(std::uint64_t{TimeLine::kBins} << line->shift, 20'000'000U);
  // Evenly, as it was.
  const std::uint64_t each = line->bins[0][static_cast<int>(Kind::kPut)];
  EXPECT_NEAR(static_cast<double>(line->bins[300][static_cast<int>(Kind::kPut)]), static_cast<double>(each), 20);
}

TEST(AddTime, WhatWasBeforeTheBeginIsLeftOut) {
  const auto line = std::make_unique<TimeLine>();
  line->shift = 4;
  line->origin = 100;
  add_time(*line, Kind::kPut, 90, 110);
  EXPECT_EQ(all_time(*line, Kind::kPut), 10U);
}

TEST(AddWait, TheLongestStay) {
  const auto waits = std::make_unique<Waits>();
  constexpr std::uint64_t kWaits = 10 * Waits::kRoom;
  std::uint64_t longest = 0;
  for (std::uint64_t k = 0; k < kWaits; ++k) {
    const std::uint64_t length = k * 7919 % 100'003;  // in no order
    longest = std::max(longest, length);
    add_wait(*waits, {.begin = 1000 * k, .end = 1000 * k + length, .site = 0, .last = -1});
  }
  EXPECT_LE(waits->count, Waits::kRoom);
  EXPECT_GE(waits->count, Waits::kRoom / 4);
  bool there = false;
  for (std::uint32_t k = 0; k < waits->count; ++k) {
    const std::uint64_t length = waits->list[k].end - waits->list[k].begin;
    EXPECT_GE(length, waits->shortest);
    there = there || length == longest;
  }
  EXPECT_TRUE(there);
}

TEST(AddWait, EqualOnesMayAllGo) {
  const auto waits = std::make_unique<Waits>();
  for (std::uint64_t k = 0; k < 3 * Waits::kRoom; ++k)
    add_wait(*waits, {.begin = k, .end = k + 5, .site = 0, .last = -1});
  EXPECT_LE(waits->count, Waits::kRoom);
  add_wait(*waits, {.begin = 0, .end = 1'000'000, .site = 3, .last = -1});
  EXPECT_EQ(waits->list[waits->count - 1].site, 3U);
}

TEST(SizeClass, EndsAtPowersOfTwo) {
  EXPECT_EQ(size_class(0), 0);
  EXPECT_EQ(size_class(1), 1);
  EXPECT_EQ(size_class(2), 2);
  EXPECT_EQ(size_class(3), 2);
  EXPECT_EQ(size_class(8), 4);
  EXPECT_EQ(size_class(UINT64_MAX), kSizeClasses - 1);
}

}  // namespace
}  // namespace weft::profile
