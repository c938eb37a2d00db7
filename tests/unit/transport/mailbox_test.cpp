#include "transport/mailbox.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::transport {
namespace {

using Met = Mailbox::Met;

class MailboxTest : public testing::Test {
 protected:
  void come(Tag tag, std::uint64_t value) {
    Mailbox::Letter* letter = box.begin(tag, 8, 0).letter;
    ASSERT_NE(letter, nullptr);
    std::memcpy(letter->to, &value, sizeof value);
    box.end(letter);
  }
  Met receive(Tag tag, std::uint64_t* to, Pending& pending) { return box.receive(tag, to, sizeof *to, pending).met; }
  Mailbox box;
};

TEST_F(MailboxTest, MeetsInOrderByTag) {
  come(7, 10);
  come(7, 11);
  come(8, 30);
  std::uint64_t got[4] = {};
  Pending pending;
  EXPECT_EQ(receive(8, &got[0], pending), Met::kHere);
  EXPECT_EQ(receive(7, &got[1], pending), Met::kHere);
  EXPECT_EQ(receive(7, &got[2], pending), Met::kHere);
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got[0], 30U);
  EXPECT_EQ(got[1], 10U);
  EXPECT_EQ(got[2], 11U);
  EXPECT_EQ(receive(7, &got[3], pending), Met::kNotYet);
  EXPECT_FALSE(pending.done());
  come(7, 12);
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got[3], 12U);
}

// Its data has not come when somebody wants it.
TEST_F(MailboxTest, WaitsForTheRestOfAMessage) {
  Mailbox::Letter* letter = box.begin(7, 8, 0).letter;
  std::uint64_t got = 0;
  Pending pending;
  EXPECT_EQ(receive(7, &got, pending), Met::kHere);
  EXPECT_FALSE(pending.done());
  const std::uint64_t value = 5;
  std::memcpy(letter->to, &value, sizeof value);
  box.end(letter);
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got, 5U);
}

TEST_F(MailboxTest, RefusesAnotherLength) {
  come(7, 10);
  std::uint32_t small = 0;
  Pending pending;
  const Mailbox::Meeting other = box.receive(7, &small, sizeof small, pending);
  EXPECT_EQ(other.met, Met::kOtherLength);
  EXPECT_EQ(other.bytes, 8U);
  std::uint64_t got = 0;
  EXPECT_EQ(receive(9, &got, pending), Met::kNotYet);
  EXPECT_EQ(box.begin(9, 16, 0).met, Met::kOtherLength);
  EXPECT_EQ(box.begin(9, 16, 4).met, Met::kOtherLength);
}

// What is kept for it must not be less than what comes.
TEST_F(MailboxTest, ALengthThatWouldWrapHasNoRoom) {
  EXPECT_EQ(box.begin(7, UINT64_MAX, 0).met, Met::kNoMemory);
  EXPECT_EQ(box.begin(7, UINT64_MAX - 40, 0).met, Met::kNoMemory);
}

// An offer takes its message's turn, and no memory for the data.
TEST_F(MailboxTest, OffersKeepTheOrder) {
  std::uint64_t got[3] = {};
  Pending pending;
  EXPECT_EQ(box.begin(7, 8, 5).met, Met::kNotYet);
  come(7, 11);
  EXPECT_EQ(box.begin(8, UINT64_MAX, 6).met, Met::kNotYet);
  const Mailbox::Meeting offered = box.receive(7, &got[0], 8, pending);
  EXPECT_EQ(offered.met, Met::kOffered);
  EXPECT_EQ(offered.offer, 5U);
  EXPECT_EQ(receive(7, &got[1], pending), Met::kHere);
  EXPECT_EQ(got[1], 11U);
  EXPECT_EQ(box.begin_wanted(6, UINT64_MAX), nullptr);  // not yet
  EXPECT_EQ(box.begin_wanted(5, 9), nullptr);
  Mailbox::Letter* letter = box.begin_wanted(5, 8);
  ASSERT_NE(letter, nullptr);
  EXPECT_EQ(box.begin_wanted(5, 8), nullptr);
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(letter->to, reinterpret_cast<std::byte*>(&got[0]));
  box.end(letter);
  EXPECT_TRUE(pending.done());
}

TEST_F(MailboxTest, AnOfferMeetsWhoWaits) {
  std::uint64_t got = 0;
  Pending pending;
  EXPECT_EQ(receive(7, &got, pending), Met::kNotYet);
  EXPECT_EQ(box.begin(7, 8, 5).met, Met::kOffered);
  Mailbox::Letter* letter = box.begin_wanted(5, 8);
  ASSERT_NE(letter, nullptr);
  box.end(letter);
  EXPECT_TRUE(pending.done());
}

}  // namespace
}  // namespace weft::transport
