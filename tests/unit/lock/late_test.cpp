// Late readers beside the queue of the lock for readers and writers: threads stand for PEs.
#include "lock/late.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/lock/taking.hpp"

namespace weft::lock {
namespace {

constexpr std::uint32_t kMost = 1000;

void take_late(SharedLock& lock, bool may_pass, const sync::Patience& patience = {}) {
  if (const LateTurn turn = take_late_or_ask(lock); !turn.is_inside) {
    await_late(lock, turn.round, patience, sync::WaitNote(), [may_pass] { return may_pass; });
  }
}

TEST(Late, PassesWritersThatWaitWhenItIsTime) {
  SharedLock lock{};
  take(lock, Mode::kShared, 0);
  const Turn writer = take_or_queue(lock, Mode::kExclusive, 1);
  ASSERT_FALSE(writer.is_inside);
  const LateTurn late = take_late_or_ask(lock);
  ASSERT_FALSE(late.is_inside) << "it stands back at first";
  EXPECT_FALSE(is_in_late(lock, late.round, false));
  EXPECT_TRUE(is_in_late(lock, late.round, true));
  EXPECT_EQ(late::waiting(lock.late.load()), 0U);
  EXPECT_EQ(who_holds(lock, 2, kMost).readers, 2U);
  leave(lock, Mode::kShared);
  EXPECT_FALSE(lock.done.load() == writer.position) << "one is inside";
  leave(lock, Mode::kShared);
  await_turn(lock, Mode::kExclusive, writer.position, {}, sync::WaitNote());
  leave(lock, Mode::kExclusive);
  EXPECT_TRUE(queue::is_empty(lock.queue.load()));
}

TEST(Late, NobodyGoesInBesideAWriter) {
  SharedLock lock{};
  take(lock, Mode::kExclusive, 1);
  const LateTurn late = take_late_or_ask(lock);
  ASSERT_FALSE(late.is_inside);
  EXPECT_FALSE(is_in_late(lock, late.round, true));
  leave(lock, Mode::kExclusive);
  EXPECT_TRUE(is_in_late(lock, late.round, false));
  EXPECT_EQ(who_holds(lock, 2, kMost).readers, 1U);
  leave(lock, Mode::kShared);
}

// However many stand in the queue: all late readers go in behind the writer that is inside, before the next one.
TEST(Late, AWriterLetsInAllThatWait) {
  SharedLock lock{};
  take(lock, Mode::kExclusive, 0);
  const Turn next = take_or_queue(lock, Mode::kExclusive, 1);
  std::vector<LateTurn> late;
  for (int k = 0; k < 3; ++k) late.push_back(take_late_or_ask(lock));
  leave(lock, Mode::kExclusive);
  for (const LateTurn& each : late) {
    ASSERT_FALSE(each.is_inside);
    EXPECT_TRUE(is_in_late(lock, each.round, false));
  }
  EXPECT_EQ(who_holds(lock, 2, kMost).readers, 3U);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NE(lock.done.load(), next.position);
    leave(lock, Mode::kShared);
  }
  await_turn(lock, Mode::kExclusive, next.position, {}, sync::WaitNote());
  leave(lock, Mode::kExclusive);
  EXPECT_EQ(lock.done.load(), queue::tickets(lock.queue.load()));
}

// Let in and gone in by itself at a time is once.
TEST(Late, IsInsideOnce) {
  SharedLock lock{};
  take(lock, Mode::kExclusive, 0);
  const LateTurn first = take_late_or_ask(lock);
  const LateTurn second = take_late_or_ask(lock);
  leave(lock, Mode::kExclusive);
  // As `second` would find it that had looked at its round before that.
  ASSERT_TRUE(go_in_late(lock, true));
  leave(lock, Mode::kShared);
  EXPECT_TRUE(is_in_late(lock, first.round, true));
  EXPECT_TRUE(is_in_late(lock, second.round, true));
  EXPECT_EQ(who_holds(lock, 2, kMost).readers, 2U);
  leave(lock, Mode::kShared);
  leave(lock, Mode::kShared);
  EXPECT_EQ(lock.done.load(), queue::tickets(lock.queue.load()));
}

TEST(Late, StandsBackForAWhile) {
  const Politeness politeness(1000);
  EXPECT_FALSE(politeness.is_over(1000));
  EXPECT_FALSE(politeness.is_over(900'000));
  EXPECT_TRUE(politeness.is_over(1'001'000));
}

struct Mix {
  const char* name;
  int late;
  int readers;
  int writers;
  bool sleeps = false;
  bool may_pass = true;
  std::uint32_t begin = 0;  // of all numbers
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.name; }

class LateMix : public testing::TestWithParam<Mix> {};

TEST_P(LateMix, WritersAreAlone) {
  const Mix& mix = GetParam();
  const sync::Patience patience = mix.sleeps ? sleepy() : sync::Patience{};
  constexpr int kVisits = 3000;
  SharedLock lock{};
  lock.queue = (std::uint64_t{mix.begin} << 32) | mix.begin;
  lock.done = mix.begin;
  lock.late = std::uint64_t{mix.begin} << 32;
  long value = 0;  // not atomic on purpose, and the thread sanitizer knows it the same way
  std::atomic<int> writers = 0;
  std::vector<std::thread> pes;
  for (int pe = 0; pe < mix.late + mix.readers + mix.writers; ++pe) {
    pes.emplace_back([&, pe] {
      const Mode mode = pe < mix.late + mix.readers ? Mode::kShared : Mode::kExclusive;
      for (int k = 0; k < kVisits; ++k) {
        pe < mix.late ? take_late(lock, mix.may_pass, patience) : take(lock, mode, pe, patience);
        const long before = value;
        if (mode == Mode::kShared) {
          EXPECT_EQ(writers.load(), 0);
          std::this_thread::yield();
          EXPECT_EQ(value, before);
        } else {
          EXPECT_EQ(++writers, 1);
          std::this_thread::yield();
          value = before + 1;
          --writers;
        }
        leave(lock, mode);
      }
    });
  }
  for (std::thread& pe : pes) {
    pe.join();
  }
  EXPECT_EQ(value, long{mix.writers} * kVisits);
  EXPECT_TRUE(queue::is_empty(lock.queue.load()));
  EXPECT_EQ(lock.done.load(), queue::tickets(lock.queue.load()));
  EXPECT_EQ(late::waiting(lock.late.load()), 0U);
  EXPECT_EQ(lock.sleepers.load(), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, LateMix,
                         testing::Values(Mix{"Late", 3, 0, 0}, Mix{"OneWriter", 3, 0, 1}, Mix{"Writers", 2, 0, 2},
                                         Mix{"Both", 2, 1, 1}, Mix{"BothAsleep", 2, 1, 1, true},
                                         Mix{"WritersAsleep", 2, 0, 2, true}, Mix{"Polite", 2, 1, 2, false, false},
                                         Mix{"PoliteAsleep", 2, 1, 2, true, false},
                                         Mix{"NumbersWrap", 2, 1, 2, false, true, 0xfffffff0U}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace weft::lock
