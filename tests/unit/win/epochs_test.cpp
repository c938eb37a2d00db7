// When members may be accessed: locks, fences, groups.
#include <atomic>
#include <random>

#include "members.hpp"

namespace weft::win {
namespace {

class Epochs : public Members {};
using lock::Mode;

TEST_F(Epochs, LocksKeepOthersOut) {
  constexpr int kMembers = 4;
  constexpr int kTimes = 3000;
  make(kMembers, 64);
  each([this](int me) {
    std::minstd_rand random(static_cast<unsigned>(me) + 1);
    if (me % 2 == 0) window(me).expect_loads();
    for (int k = 0; k < kTimes; ++k) {
      const int target = static_cast<int>(random() % kMembers);
      Member& member = window(me).member(target);
      ASSERT_EQ(window(me).lock(member, Mode::kExclusive, true), Mistake::kNone);
      // Not atomic on purpose: the lock has to order it, and the thread sanitizer knows it the same way.
      ++*reinterpret_cast<long*>(memory(target));
      ASSERT_EQ(window(me).unlock(member), Mistake::kNone);
      if (k % 64 == 0) {
        ASSERT_EQ(window(me).lock_all(true), Mistake::kNone);
        long sum = 0;
        for (int other = 0; other < kMembers; ++other) {
          if (me % 2 != 0 && !window(me).is_open(window(me).member(other))) continue;
          sum += *reinterpret_cast<long*>(memory(other));
        }
        EXPECT_GT(sum, 0);
        ASSERT_EQ(window(me).unlock_all(), Mistake::kNone);
      }
    }
  });
  long sum = 0;
  for (int k = 0; k < kMembers; ++k) sum += *reinterpret_cast<long*>(memory(k));
  EXPECT_EQ(sum, kMembers * kTimes);
}

// Whether somebody else could have it alone now.
bool is_free(Member& member) {
  const bool taken = lock::try_take(member.line->lock, Mode::kExclusive, 0);
  if (taken) lock::let_go(member.line->lock, Mode::kExclusive, 0);
  return taken;
}

// By a process of one thread, whose locks go a shorter way.
TEST_F(Epochs, WhatIsHeldIsNoted) {
  make(3, 64, Way::kMapped, false);
  Window& mine = window(0);
  const auto& first = job::node().record().of_windows[0];
  const auto& second = job::node().record().of_windows[1];
  const auto lock = [&mine](int rank, Mode mode) {
    EXPECT_EQ(mine.lock(mine.member(rank), mode, true), Mistake::kNone);
    EXPECT_FALSE(is_free(mine.member(rank)));
  };
  const auto unlock = [&mine](int rank) {
    EXPECT_EQ(mine.unlock(mine.member(rank)), Mistake::kNone);
    EXPECT_TRUE(is_free(mine.member(rank)));
  };
  for (const auto& [rank, mode] : {std::pair{1, Mode::kExclusive},
                                   {1, Mode::kExclusive},
                                   {1, Mode::kShared},
                                   {2, Mode::kShared},
                                   {2, Mode::kShared},
                                   {1, Mode::kShared}}) {
    lock(rank, mode);
    EXPECT_EQ(first.window, mine.number());
    EXPECT_EQ(first.first, static_cast<std::uint32_t>(rank));
    EXPECT_EQ(first.last, static_cast<std::uint32_t>(rank));
    EXPECT_EQ(first.exclusive, mode == Mode::kExclusive ? 1U : 0U);
    unlock(rank);
    EXPECT_EQ(first.window, 0U);
  }
  lock(1, Mode::kShared);
  lock(2, Mode::kExclusive);
  EXPECT_EQ(second.first, 2U);
  unlock(1);
  EXPECT_EQ(first.window, 0U);
  EXPECT_EQ(second.window, mine.number());
  lock(1, Mode::kShared);
  EXPECT_EQ(first.window, mine.number());
  unlock(2);
  EXPECT_EQ(second.window, 0U);
  unlock(1);
  mine.set_label("a name");
  lock(1, Mode::kShared);
  const std::uint64_t label = first.label[0];
  EXPECT_STREQ(reinterpret_cast<const char*>(&label), "a name");
  EXPECT_EQ(mine.lock(mine.member(1), Mode::kShared, true), Mistake::kHeld);
  unlock(1);
  EXPECT_EQ(mine.unlock(mine.member(1)), Mistake::kNotLocked);
}

TEST_F(Epochs, LongRowsAreFoundByWhoLocks) {
  make(2, 64, Way::kMapped, false);
  Member& member = window(0).member(1);
  RuleWords& rule = member.line->rule;
  ASSERT_EQ(window(0).lock(member, Mode::kShared, true), Mistake::kNone);
  EXPECT_FALSE(member.goes_by_lock());
  count_long_row(rule, kLongRows);
  ASSERT_EQ(window(0).unlock(member), Mistake::kNone);
  for (const Mode mode : {Mode::kExclusive, Mode::kShared}) {
    ASSERT_EQ(window(0).lock(member, mode, true), Mistake::kNone);
    EXPECT_TRUE(member.goes_by_lock());
    ASSERT_EQ(window(0).unlock(member), Mistake::kNone);
  }
}

TEST_F(Epochs, LockAllLocksWhatIsUsed) {
  make(4, 64);
  Window& mine = window(1);
  for (int epoch = 0; epoch < 2; ++epoch) {
    ASSERT_EQ(mine.lock_all(true), Mistake::kNone);
    EXPECT_FALSE(is_free(mine.member(1))) << "its program may store there";
    for (const int rank : {0, 2, 3}) EXPECT_TRUE(is_free(mine.member(rank)));
    EXPECT_EQ(mine.may_flush(mine.member(2)), Mistake::kNone);
    for (int times = 0; times < 2; ++times) EXPECT_TRUE(mine.is_open(mine.member(2)));
    EXPECT_FALSE(is_free(mine.member(2)));
    EXPECT_TRUE(is_free(mine.member(0)) && is_free(mine.member(3)));
    EXPECT_EQ(lock::who_holds(mine.member(2).line->lock, 4, 8).readers, 1U);
    ASSERT_EQ(mine.unlock_all(), Mistake::kNone);
    EXPECT_FALSE(mine.is_open(mine.member(2)));
    for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(is_free(mine.member(rank)));
  }
  ASSERT_EQ(mine.lock_all(false), Mistake::kNone);
  EXPECT_TRUE(mine.is_open(mine.member(2)));
  EXPECT_TRUE(is_free(mine.member(2)) && is_free(mine.member(1))) << "nobody else locks, says the program";
  ASSERT_EQ(mine.unlock_all(), Mistake::kNone);
}

TEST_F(Epochs, LockAllLocksWhatMayBeLoaded) {
  make(3, 64);
  Window& mine = window(0);
  mine.member(2).way = Way::kCopied;
  ASSERT_EQ(mine.lock_all(true), Mistake::kNone);
  EXPECT_TRUE(is_free(mine.member(1)));
  mine.expect_loads();  // within an epoch
  EXPECT_FALSE(is_free(mine.member(1)));
  EXPECT_TRUE(is_free(mine.member(2))) << "no load reaches it";
  ASSERT_EQ(mine.unlock_all(), Mistake::kNone);
  ASSERT_EQ(mine.lock_all(true), Mistake::kNone);
  EXPECT_FALSE(is_free(mine.member(1)));
  ASSERT_EQ(mine.unlock_all(), Mistake::kNone);
  EXPECT_TRUE(is_free(mine.member(0)) && is_free(mine.member(1)));
}

// Threads of one process that use a member first at a time lock it once.
TEST_F(Epochs, ThreadsLockAMemberOnce) {
  make(2, 64);
  Window& mine = window(0);
  for (int epoch = 0; epoch < 200; ++epoch) {
    ASSERT_EQ(mine.lock_all(true), Mistake::kNone);
    each([&](int me) {
      for (int k = 0; k < 2; ++k) EXPECT_TRUE(mine.is_open(mine.member((me + k) % 2)));
    });
    EXPECT_EQ(lock::who_holds(mine.member(1).line->lock, 2, 8).readers, 1U);
    ASSERT_EQ(mine.unlock_all(), Mistake::kNone);
    EXPECT_TRUE(is_free(mine.member(0)) && is_free(mine.member(1)));
  }
}

TEST_F(Epochs, GroupsMeetByTheirFlags) {
  constexpr int kMembers = 3;
  make(kMembers, 64);
  each([this](int me) {
    const int others[2] = {(me + 1) % kMembers, (me + 2) % kMembers};
    for (long k = 1; k <= 500; ++k) {
      ASSERT_EQ(window(me).post(others, 2), Mistake::kNone);
      ASSERT_EQ(window(me).start(others, 2), Mistake::kNone);
      for (const int other : others) {
        ASSERT_TRUE(window(me).is_open(window(me).member(other)));
        reinterpret_cast<long*>(memory(other))[me] = k;
      }
      EXPECT_FALSE(window(me).is_open(window(me).member(me))) << "not in the group";
      ASSERT_EQ(window(me).complete_started(), Mistake::kNone);
      if (k % 2 == 0) {
        ASSERT_EQ(window(me).wait(), Mistake::kNone);
      } else {
        for (bool is_over = false; !is_over;) ASSERT_EQ(window(me).test(&is_over), Mistake::kNone);
      }
      for (const int other : others) ASSERT_EQ(reinterpret_cast<long*>(memory(me))[other], k);
    }
  });
}

TEST_F(Epochs, MistakesAreFound) {
  make(2, 64);
  Window& mine = window(0);
  Member& other = mine.member(1);
  const int group[1] = {1};
  EXPECT_FALSE(mine.is_open(other));
  EXPECT_EQ(mine.unlock(other), Mistake::kNotLocked);
  EXPECT_EQ(mine.unlock_all(), Mistake::kNotAllLocked);
  EXPECT_EQ(mine.complete_started(), Mistake::kNotStarted);
  EXPECT_EQ(mine.wait(), Mistake::kNotPosted);
  EXPECT_EQ(mine.may_flush(other), Mistake::kNotLocked);
  EXPECT_EQ(mine.may_flush_all(), Mistake::kNotLocked);

  ASSERT_EQ(mine.lock(other, Mode::kShared, true), Mistake::kNone);
  EXPECT_TRUE(mine.is_open(other));
  EXPECT_FALSE(mine.is_open(mine.member(0)));
  EXPECT_EQ(mine.lock(other, Mode::kShared, true), Mistake::kHeld);
  EXPECT_EQ(mine.lock_all(true), Mistake::kLocked);
  EXPECT_EQ(mine.fence(false), Mistake::kLocked);
  EXPECT_EQ(mine.start(group, 1), Mistake::kLocked);
  EXPECT_EQ(mine.may_end(), Mistake::kLocked);
  EXPECT_EQ(mine.may_flush(other), Mistake::kNone);
  EXPECT_EQ(mine.may_flush_all(), Mistake::kNone);
  ASSERT_EQ(mine.unlock(other), Mistake::kNone);
  EXPECT_FALSE(mine.is_open(other));

  ASSERT_EQ(mine.fence(false), Mistake::kNone);
  EXPECT_EQ(mine.lock(other, Mode::kShared, true), Mistake::kNone) << "nothing has followed the fence";
  ASSERT_EQ(mine.unlock(other), Mistake::kNone);
  ASSERT_EQ(mine.fence(false), Mistake::kNone);
  EXPECT_TRUE(mine.is_open(other));
  EXPECT_EQ(mine.lock(other, Mode::kShared, true), Mistake::kFenced);
  EXPECT_EQ(mine.lock_all(true), Mistake::kFenced);
  EXPECT_EQ(mine.post(group, 1), Mistake::kFenced);
  ASSERT_EQ(mine.fence(true), Mistake::kNone);
  EXPECT_FALSE(mine.is_open(other)) << "no epoch follows";

  ASSERT_EQ(mine.lock_all(false), Mistake::kNone);
  EXPECT_EQ(mine.lock(other, Mode::kShared, true), Mistake::kAllLocked);
  EXPECT_EQ(mine.unlock(other), Mistake::kAllLocked);
  EXPECT_EQ(mine.may_end(), Mistake::kAllLocked);
  ASSERT_EQ(mine.unlock_all(), Mistake::kNone);

  ASSERT_EQ(mine.post(group, 1), Mistake::kNone);
  EXPECT_EQ(mine.post(group, 1), Mistake::kPosted);
  EXPECT_EQ(mine.may_end(), Mistake::kPosted);
  bool is_over = true;
  ASSERT_EQ(mine.test(&is_over), Mistake::kNone);
  EXPECT_FALSE(is_over);
  ASSERT_EQ(window(1).start(std::data({0}), 1), Mistake::kNone);
  ASSERT_EQ(window(1).complete_started(), Mistake::kNone);
  ASSERT_EQ(mine.test(&is_over), Mistake::kNone);
  EXPECT_TRUE(is_over);
  EXPECT_EQ(mine.may_end(), Mistake::kNone);
}

TEST_F(Epochs, CardsAreLookedAt) {
  std::vector<Card> cards(2);
  Window mine;
  ASSERT_TRUE(mine.open_line(2));
  cards[0].line = cards[1].line = mine.line_place();
  ASSERT_EQ(mine.meet(cards, 0), -1);
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{2}, kAreaBytes + 1, UINT64_MAX - 62}) {
    cards[1].line = place;
    EXPECT_EQ(mine.meet(cards, 0), 1) << place;
  }
  cards[1].line = mine.line_place();
  cards[1].bytes = 100;
  for (const Held& held : {Held{Held::Where::kOwn, 1, 0}, Held{Held::Where::kOwn, -1, 0},
                           Held{Held::Where::kOwn, 0, kAreaBytes - 99}, Held{Held::Where::kOwn, 0, UINT64_MAX},
                           Held{Held::Where::kHeap, 0, 0}, Held{static_cast<Held::Where>(77), 0, 0}}) {
    cards[1].held = held;
    ASSERT_EQ(mine.meet(cards, 0), -1);
    EXPECT_EQ(mine.member(1).way, Way::kCopied) << "no such place is used";
  }
  cards[1].held = {Held::Where::kOwn, 0, kAreaBytes - 100};
  ASSERT_EQ(mine.meet(cards, 0), -1);
  EXPECT_EQ(mine.member(1).way, Way::kMapped);
}

}  // namespace
}  // namespace weft::win
