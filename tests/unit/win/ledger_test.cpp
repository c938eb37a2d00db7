// In safe mode: which accesses conflict, and what is kept of them.
#include "win/ledger.hpp"

#include "members.hpp"

namespace weft::win {
namespace {

Noted access(Touches touches, std::uint64_t from, std::uint64_t to, std::uint32_t pe) {
  Noted made;
  made.from = from;
  made.to = to;
  made.pe = pe;
  made.touches = touches;
  return made;
}

TEST(Ledger, WhatConflicts) {
  constexpr auto kGets = Touches::kGets;
  constexpr auto kPuts = Touches::kPuts;
  constexpr auto kChanges = Touches::kChanges;
  const auto both = [](const Noted& one, const Noted& other) {
    EXPECT_EQ(conflict(one, other), conflict(other, one));
    return conflict(one, other);
  };
  EXPECT_TRUE(both(access(kPuts, 0, 8, 0), access(kPuts, 7, 9, 1)));
  EXPECT_TRUE(both(access(kPuts, 0, 8, 0), access(kPuts, 0, 8, 0)));
  EXPECT_FALSE(both(access(kPuts, 0, 8, 0), access(kPuts, 8, 9, 1)));
  EXPECT_TRUE(both(access(kPuts, 0, 8, 0), access(kGets, 2, 3, 1)));
  EXPECT_FALSE(both(access(kGets, 0, 8, 0), access(kGets, 2, 3, 1)));
  EXPECT_TRUE(both(access(kGets, 0, 8, 0), access(kChanges, 0, 8, 1)));
  Noted sum = access(kChanges, 0, 8, 0);
  sum.op = 3;
  Noted other = access(kChanges, 0, 8, 1);
  other.op = 3;
  EXPECT_FALSE(both(sum, other));
  other.op = 4;
  EXPECT_TRUE(both(sum, other));
  other.op = kAnyOp;
  EXPECT_FALSE(both(sum, other));
  other.element = 1;
  EXPECT_TRUE(both(sum, other));
  other.pe = 0;
  EXPECT_FALSE(both(sum, other));
  Noted behind = access(kPuts, 0, 8, 1);
  behind.fence = 2;
  EXPECT_FALSE(both(access(kPuts, 0, 8, 0), behind));
}

class Ledgers : public Members {};

TEST_F(Ledgers, KeepUntilTheEpochIsOver) {
  make(2, 64);
  const Member& member = window(0).member(1);
  Noted found;
  EXPECT_FALSE(note(member, access(Touches::kPuts, 0, 8, 0), &found));  // nobody keeps one
  EXPECT_FALSE(note(member, access(Touches::kPuts, 0, 8, 1), &found));
  window(1).keep_ledger();
  EXPECT_FALSE(note(member, access(Touches::kPuts, 0, 8, 0), &found));
  EXPECT_TRUE(note(member, access(Touches::kPuts, 4, 12, 1), &found));
  EXPECT_EQ(found.pe, 0U);
  EXPECT_EQ(found.to, 8U);
  forget(member, 1);
  EXPECT_TRUE(note(member, access(Touches::kPuts, 4, 12, 1), &found));
  forget(member, 0);
  EXPECT_FALSE(note(member, access(Touches::kPuts, 4, 12, 1), &found));
  forget(member, 1);

  Noted fenced = access(Touches::kPuts, 0, 8, 0);
  fenced.fence = 1;
  fenced.sum = 99;
  EXPECT_FALSE(note(member, fenced, &found));
  forget(member, 0);  // a fence ends it, not a flush
  EXPECT_TRUE(take_fenced(member, 1).empty());
  const std::vector<Noted> taken = take_fenced(member, 2);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].sum, 99U);
  EXPECT_TRUE(take_fenced(member, 2).empty());

  // What finds no room is not found.
  for (std::uint64_t k = 0; k < 3000; ++k)
    EXPECT_FALSE(note(member, access(Touches::kGets, 8 * k, 8 * k + 8, 0), &found));
  EXPECT_TRUE(note(member, access(Touches::kPuts, 0, 8, 1), &found));
  EXPECT_FALSE(note(member, access(Touches::kPuts, 8 * 2999, 8 * 3000, 1), &found));
}

}  // namespace
}  // namespace weft::win
