// By what elements are changed is the same for all who access a member at a time.
#include "win/rule.hpp"

#include <array>

#include "members.hpp"
#include "win/elements.hpp"

namespace weft::win {
namespace {

using lock::Mode;

void add(const void* with, void* into, std::size_t count) noexcept {
  for (std::size_t k = 0; k < count; ++k) static_cast<double*>(into)[k] += static_cast<const double*>(with)[k];
}
constexpr Change kAdds{Change::Does::kCombine, false, add};

class Rules : public Members {
 protected:
  static constexpr std::size_t kRowOf = 1024;
  static constexpr int kEnough = 10;  // rows of 8 KiB, more than 64 KiB
  Rules() { ones_.fill(1); }
  void change(int me, int target, int times) {
    for (int k = 0; k < times; ++k) {
      change_row(window(me).member(target), memory(target), 8, kRowOf, ones_.data(), nullptr, kAdds);
    }
  }
  /// An epoch of that kind, with rows in it. Whether they went under the lock.
  bool lock(int me, int target, Mode mode, bool check = true, int times = kEnough) {
    Member& member = window(me).member(target);
    EXPECT_EQ(window(me).lock(member, mode, check), Mistake::kNone);
    const bool is_by_lock = member.goes_by_lock();
    change(me, target, times);
    EXPECT_EQ(window(me).unlock(member), Mistake::kNone);
    return is_by_lock;
  }
  double first(int target) { return *reinterpret_cast<double*>(memory(target)); }
  std::array<double, kRowOf> ones_{};
};

TEST_F(Rules, LongRowsMakeItTheLockForAll) {
  make(3, 8 * kRowOf);
  EXPECT_FALSE(lock(0, 1, Mode::kShared));
  EXPECT_TRUE(lock(0, 1, Mode::kShared));
  EXPECT_TRUE(lock(2, 1, Mode::kShared));
  EXPECT_TRUE(lock(2, 1, Mode::kShared, false));
  EXPECT_FALSE(lock(0, 2, Mode::kShared)) << "of another member it is another";
  EXPECT_EQ(first(1), 4.0 * kEnough);
}

TEST_F(Rules, ShortRowsDoNot) {
  make(2, 8 * kRowOf);
  Member& member = window(0).member(1);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(window(0).lock(member, Mode::kShared, true), Mistake::kNone);
    EXPECT_FALSE(member.goes_by_lock());
    for (int times = 0; times < 5000; ++times) change_row(member, memory(1), 8, 8, ones_.data(), nullptr, kAdds);
    ASSERT_EQ(window(0).unlock(member), Mistake::kNone);
  }
}

TEST_F(Rules, NothingIsSettledWhileOthersHaveTheLock) {
  make(3, 8 * kRowOf);
  Member& held = window(2).member(1);
  ASSERT_EQ(window(2).lock(held, Mode::kShared, true), Mistake::kNone);
  EXPECT_FALSE(lock(0, 1, Mode::kShared));
  EXPECT_FALSE(lock(0, 1, Mode::kShared)) << "it waits for nobody";
  ASSERT_EQ(window(2).unlock(held), Mistake::kNone);
  EXPECT_TRUE(lock(0, 1, Mode::kShared));
}

TEST_F(Rules, WhoHasNoLockSettlesItForGood) {
  make(3, 8 * kRowOf);
  EXPECT_FALSE(lock(2, 1, Mode::kShared, false));
  EXPECT_FALSE(lock(0, 1, Mode::kShared));
  EXPECT_FALSE(lock(0, 1, Mode::kExclusive));
  EXPECT_FALSE(lock(0, 1, Mode::kShared));
}

TEST_F(Rules, BehindAFenceAllGoByTheSame) {
  make(2, 8 * kRowOf);
  const auto fence = [this] {
    for (int k = 0; k < 2; ++k) ASSERT_EQ(window(k).fence(false), Mistake::kNone);
  };
  fence();
  ASSERT_TRUE(window(0).is_open(window(0).member(1)));
  change(0, 1, kEnough);
  // The member has come to the next fence, and the other one has not.
  ASSERT_EQ(window(1).fence(false), Mistake::kNone);
  EXPECT_FALSE(is_by_lock(window(1).own_line().rule, window(0).fences()));
  EXPECT_TRUE(is_by_lock(window(1).own_line().rule, window(1).fences()));
  change(0, 1, 1);
  ASSERT_EQ(window(0).fence(false), Mistake::kNone);
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(window(k).is_open(window(k).member(1)));
    EXPECT_TRUE(window(k).member(1).goes_by_lock());
    ASSERT_TRUE(window(k).is_open(window(k).member(0)));
    EXPECT_FALSE(window(k).member(0).goes_by_lock());
  }
}

TEST_F(Rules, NoneIsLostWhenItChanges) {
  constexpr int kMembers = 4;
  constexpr int kTimes = 60;
  make(kMembers, 8 * kRowOf);
  each([this](int me) {
    for (int k = 0; k < kTimes; ++k) {
      const Mode mode = k % 7 == me ? Mode::kExclusive : Mode::kShared;
      if (k % 3 == 0) {
        ASSERT_EQ(window(me).lock_all(true), Mistake::kNone);
        ASSERT_TRUE(window(me).is_open(window(me).member(0)));
        change(me, 0, 2);
        ASSERT_EQ(window(me).unlock_all(), Mistake::kNone);
      } else {
        (void)lock(me, 0, mode, true, 2);
      }
    }
  });
  EXPECT_EQ(first(0), 2.0 * kMembers * kTimes);
  EXPECT_EQ(reinterpret_cast<double*>(memory(0))[kRowOf - 1], 2.0 * kMembers * kTimes);
}

}  // namespace
}  // namespace weft::win
