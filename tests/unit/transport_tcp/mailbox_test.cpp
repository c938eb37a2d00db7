#include "transport/tcp/mailbox.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::transport::tcp {
namespace {

class MailboxTest : public testing::Test {
 protected:
  Mailbox::Letter* begin(int pe, Tag tag, std::size_t bytes = 8) { return box.begin(pe, tag, bytes, &other); }
  void come(int pe, Tag tag, std::uint64_t value) {
    Mailbox::Letter* letter = begin(pe, tag);
    ASSERT_NE(letter, nullptr);
    std::memcpy(letter->to, &value, sizeof value);
    box.end(letter);
  }
  bool receive(int pe, Tag tag, std::uint64_t* to, Pending& pending) {
    return box.receive(pe, tag, to, sizeof *to, pending, &other);
  }
  Mailbox box;
  std::size_t other = 0;
};

TEST_F(MailboxTest, MeetsInOrderBySenderAndTag) {
  come(1, 7, 10);
  come(1, 7, 11);
  come(2, 7, 20);
  come(1, 8, 30);
  std::uint64_t got[5] = {};
  Pending pending;
  EXPECT_TRUE(receive(1, 8, &got[0], pending) && receive(2, 7, &got[1], pending) && receive(1, 7, &got[2], pending) &&
              receive(1, 7, &got[3], pending));
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got[0], 30U);
  EXPECT_EQ(got[1], 20U);
  EXPECT_EQ(got[2], 10U);
  EXPECT_EQ(got[3], 11U);
  EXPECT_TRUE(receive(1, 7, &got[4], pending));
  EXPECT_FALSE(pending.done());
  come(1, 7, 12);
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got[4], 12U);
}

// Its data has not come when somebody wants it.
TEST_F(MailboxTest, WaitsForTheRestOfAMessage) {
  Mailbox::Letter* letter = begin(1, 7);
  std::uint64_t got = 0;
  Pending pending;
  EXPECT_TRUE(receive(1, 7, &got, pending));
  EXPECT_FALSE(pending.done());
  const std::uint64_t value = 5;
  std::memcpy(letter->to, &value, sizeof value);
  box.end(letter);
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(got, 5U);
}

TEST_F(MailboxTest, RefusesAnotherLength) {
  come(1, 7, 10);
  std::uint32_t small = 0;
  Pending pending;
  EXPECT_FALSE(box.receive(1, 7, &small, sizeof small, pending, &other));
  EXPECT_EQ(other, 8U);
  std::uint64_t got = 0;
  EXPECT_TRUE(receive(1, 9, &got, pending));
  EXPECT_EQ(begin(1, 9, 16), nullptr);
  EXPECT_EQ(other, 8U);
}

}  // namespace
}  // namespace weft::transport::tcp
