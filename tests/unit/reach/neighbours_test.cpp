// Who is met and when, on one process that is its own neighbour.
#include "reach/neighbours.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace weft::reach {
namespace {

struct Cards {
  alignas(64) std::byte bytes[3 * 128] = {};
  const Card& card(int k) const { return *reinterpret_cast<const Card*>(bytes + 128 * k); }
  Neighbours::Plan plan(base::SingleCopy choice) { return {bytes, 128, 3, 2, choice, 0}; }
};

TEST(Neighbours, OfferNothingBeforeTheyAreAsked) {
  Cards cards;
  Neighbours all;
  EXPECT_EQ(all.peer(2, 2), nullptr);
  all.set_up(cards.plan(base::SingleCopy::kCma));
  EXPECT_EQ(cards.card(2).pid, 0);
  EXPECT_EQ(all.peer(2, 2), nullptr);
  all.offer();
  EXPECT_EQ(cards.card(2).pid, ::getpid());
  EXPECT_EQ(cards.card(0).pid, 0);
}

TEST(Neighbours, AreMetOnceAndReached) {
  Cards cards;
  Neighbours all;
  all.set_up(cards.plan(base::SingleCopy::kCma));
  Self& self = all.offer();
  EXPECT_EQ(&all.offer(), &self);
  Peer* peer = all.peer(2, 2);
  ASSERT_NE(peer, nullptr);
  EXPECT_EQ(all.peer(2, 2), peer);
  if (self.reason(Way::kCma)) GTEST_SKIP() << "no process reads another one here";
  char text[6] = {};
  EXPECT_EQ(peer->read(text, self.show("there", 6, false), 0, 6).outcome, Outcome::kDone);
  EXPECT_STREQ(text, "there");
  // One that has offered nothing.
  ASSERT_NE(all.peer(0, 0), nullptr);
  EXPECT_EQ(all.peer(0, 0)->read(text, self.show("there", 6, false), 0, 6).outcome, Outcome::kForbidden);
}

TEST(Neighbours, AreForgottenWithTheirCards) {
  Cards cards;
  Cards others;
  Neighbours all;
  all.set_up(cards.plan(base::SingleCopy::kCma));
  all.offer();
  ASSERT_NE(all.peer(2, 2), nullptr);
  all.set_up(cards.plan(base::SingleCopy::kCma));
  EXPECT_NE(all.peer(2, 2), nullptr);
  all.set_up(others.plan(base::SingleCopy::kCma));
  EXPECT_EQ(all.peer(2, 2), nullptr);
  all.offer();
  EXPECT_EQ(others.card(2).pid, ::getpid());
}

TEST(Neighbours, OfferNothingWhereThatIsTheChoice) {
  Cards cards;
  Neighbours all;
  all.set_up(cards.plan(base::SingleCopy::kNone));
  const Self& self = all.offer();
  EXPECT_EQ(cards.card(2).ways.load(), 0U);
  char text[6] = {};
  EXPECT_EQ(all.peer(2, 2)->read(text, self.show("there", 6, false), 0, 6).outcome, Outcome::kForbidden);
}

}  // namespace
}  // namespace weft::reach
