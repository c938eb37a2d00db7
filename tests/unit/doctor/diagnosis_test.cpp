#include "doctor/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pes.hpp"

namespace weft::doctor {
namespace {

using api::Call;
using Kind = Finding::Kind;
using Numbers = std::vector<int>;

constexpr Call kBarrier = Call::shmem_barrier_all;

TEST(Wait, KnowsItsMembers) {
  Wait wait = meets(kBarrier, 1, 6, 3);
  wait.stride = -2;
  for (const int pe : {6, 4, 2}) EXPECT_TRUE(wait.has_member(pe));
  for (const int pe : {0, 3, 5, 8}) EXPECT_FALSE(wait.has_member(pe));
}

TEST(Diagnosis, NothingIsWrongWhileNobodyWaits) { EXPECT_TRUE(diagnose({running(), running()}).empty()); }

TEST(Diagnosis, WhoHasNotArrived) {
  const Wait wait = meets(kBarrier, 5, 0, 5);
  const std::vector<Pe> pes = {waiting(wait), running(kBarrier), waiting(meets(kBarrier, 4, 0, 5)),
                               waiting(meets(kBarrier, 6, 0, 5)), waiting(wait)};
  EXPECT_EQ(not_arrived(pes, 0, wait), (Numbers{1, 2}));
}

TEST(Diagnosis, ACallOnAnotherTeamIsNoArrival) {
  const Wait wait = meets(kBarrier, 1, 0, 2);
  EXPECT_EQ(not_arrived({waiting(wait), waiting(meets(kBarrier, 1, 0, 2, 3))}, 0, wait), Numbers{1});
}

TEST(Diagnosis, DifferentCalls) {
  const std::vector<Pe> pes = {waiting(meets(kBarrier, 2, 0, 3)), waiting(meets(kBarrier, 2, 0, 3)),
                               waiting(meets(Call::shmem_long_broadcast, 2, 0, 3))};
  const auto found = diagnose(pes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kDifferentCalls);
  EXPECT_EQ(found[0].pes, (Numbers{0, 2}));
}

TEST(Diagnosis, OnlyTheSameCallOfTheTeamIsCompared) {
  const std::vector<Pe> pes = {waiting(meets(kBarrier, 2, 0, 2)), waiting(meets(Call::shmem_long_broadcast, 3, 0, 2))};
  for (const Finding& finding : diagnose(pes)) EXPECT_NE(finding.kind, Kind::kDifferentCalls);
}

TEST(Diagnosis, DifferentRootsAndSizes) {
  Wait one = meets(Call::shmem_long_broadcast, 1, 0, 2);
  Wait other = one;
  one.root = 0;
  other.root = 1;
  EXPECT_EQ(diagnose({waiting(one), waiting(other)}).at(0).kind, Kind::kDifferentRoots);
  other.root = 0;
  other.elements = 64;
  EXPECT_EQ(diagnose({waiting(one), waiting(other)}).at(0).kind, Kind::kDifferentSizes);
}

TEST(Diagnosis, DifferentActiveSets) {
  const Wait one = meets(Call::shmem_barrier, 0, 0, 4, boot::kNoSlot);
  const Wait other = meets(Call::shmem_barrier, 0, 0, 2, boot::kNoSlot);
  const auto found = diagnose({waiting(one), waiting(other), running(), running()});
  EXPECT_EQ(found.at(0).kind, Kind::kDifferentSets);
  // Sets apart from each other are nobody's mistake.
  const Wait elsewhere = meets(Call::shmem_barrier, 0, 2, 2, boot::kNoSlot);
  const auto apart = diagnose({running(), waiting(other), waiting(elsewhere), running()});
  EXPECT_TRUE(apart.empty());
}

TEST(Diagnosis, ALockThatThePeHolds) {
  Pe pe = waiting(locks(17));
  pe.locks = {5, 17};
  const auto found = diagnose({pe, running()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kRelock);
}

TEST(Diagnosis, ACircleOfLocks) {
  std::vector<Pe> pes = {running(), waiting(locks(1)), waiting(locks(2)), waiting(locks(3))};
  pes[1].locks = {3};
  pes[2].locks = {1};
  pes[3].locks = {2};
  const auto found = diagnose(pes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kCircle);
  EXPECT_EQ(found[0].pes, (Numbers{1, 2, 3}));
}

TEST(Diagnosis, ACircleOfALockAndABarrier) {
  std::vector<Pe> pes = {waiting(meets(kBarrier, 1, 0, 2)), waiting(locks(1))};
  pes[0].locks = {1};
  EXPECT_EQ(diagnose(pes).at(0).kind, Kind::kCircle);
}

TEST(Diagnosis, AChainIsNoCircle) {
  std::vector<Pe> pes = {waiting(locks(1)), waiting(locks(2)), running()};
  pes[1].locks = {1};
  pes[2].locks = {2};
  const auto found = diagnose(pes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kHeldUpBy);
  EXPECT_EQ(found[0].pes, Numbers{2});
}

TEST(Diagnosis, NobodyIsLeftToStoreTheValue) {
  const std::vector<Pe> pes = {waiting(meets(kBarrier, 1, 0, 2)), waiting(values(1, 1, 5, 4))};
  const auto found = diagnose(pes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Kind::kNobodyRuns);
  EXPECT_EQ(found[0].pes, Numbers{1});
}

TEST(Diagnosis, SeveralThatRunAreNotAccused) {
  EXPECT_TRUE(diagnose({waiting(values(1, 1, 5, 4)), waiting(values(1, 1, 5, 4)), running(), running()}).empty());
}

// What did not stand still is the past of a PE that has only had no processor to go on.
TEST(Diagnosis, OnlyWhatStoodStillIsWrong) {
  std::vector<Pe> pes = {waiting(locks(1)), waiting(locks(2))};
  pes[0].locks = {2};
  pes[1].locks = {1};
  ASSERT_EQ(diagnose(pes).size(), 1U);
  pes[1].waits[0].still = false;
  pes[1].moved = true;
  EXPECT_TRUE(diagnose(pes).empty());

  std::vector<Pe> starving = {waiting(values(1, 1, 5, 4)), waiting(values(1, 1, 5, 4))};
  ASSERT_EQ(diagnose(starving).size(), 1U);
  starving[0].moved = true;
  EXPECT_TRUE(diagnose(starving).empty());

  std::vector<Pe> mismatch = {waiting(meets(kBarrier, 2, 0, 2)), waiting(meets(Call::shmem_long_broadcast, 2, 0, 2))};
  ASSERT_EQ(diagnose(mismatch).size(), 1U);
  mismatch[0].waits[0].still = false;
  mismatch[0].moved = true;
  EXPECT_TRUE(diagnose(mismatch).empty());
}

TEST(Diagnosis, AShortDelayIsNobodysFault) {
  std::vector<Pe> pes = {waiting(meets(kBarrier, 1, 0, 3)), waiting(meets(kBarrier, 1, 0, 3)), running()};
  ASSERT_EQ(diagnose(pes).size(), 1U);
  pes[0].waits[0].lasted = 1000;
  EXPECT_TRUE(diagnose(pes).empty());
}

// Calls on active sets are not counted: a PE may be one ahead of another, in calls that do not wait for all.
TEST(Diagnosis, CallsThatAreNotCounted) {
  const Wait one = meets(Call::shmem_broadcast32, 0, 0, 3, boot::kNoSlot);
  const Wait next = meets(Call::shmem_barrier, 0, 0, 3, boot::kNoSlot);
  EXPECT_TRUE(diagnose({waiting(one), waiting(next), running(), running()}).empty());
  EXPECT_EQ(diagnose({waiting(one), waiting(next), waiting(one), running()}).at(0).kind, Kind::kDifferentCalls);
}

TEST(Diagnosis, AnotherThreadMayHoldTheLock) {
  Pe pe = waiting(locks(17));
  pe.locks = {17};
  pe.threads = true;
  EXPECT_TRUE(diagnose({pe, running(), running()}).empty());
}

TEST(Diagnosis, NobodyKnowsWhatADamagedPeDoes) {
  Pe pe = running();
  pe.damage = "77 members of a team";
  EXPECT_TRUE(diagnose({waiting(values(1, 1, 5, 4)), pe}).empty());
}

// Two threads of PE 0 wait: for what PE 1 holds, and at a barrier.
TEST(Diagnosis, SeveralWaitsOfAPe) {
  std::vector<Pe> pes = {waiting(locks(1)), waiting(meets(kBarrier, 1, 0, 2))};
  pes[0].waits.push_back(meets(kBarrier, 1, 0, 2));
  pes[1].locks = {1};
  EXPECT_EQ(not_arrived(pes, 1, pes[1].waits[0]), Numbers{});
}

Wait message_of(int pe, std::uint32_t compare = 0) {
  Wait wait = locks(0);
  wait.why = boot::Waiting::kMessage;
  wait.root = pe;
  wait.compare = compare;
  wait.lasted = kSecond;
  return wait;
}

TEST(Diagnosis, ACircleOfMessages) {
  const std::vector<Pe> pes = {waiting(message_of(2)), waiting(message_of(0)),
                               waiting(message_of(1, boot::kToBeTaken))};
  const std::vector<Finding> findings = diagnose(pes);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Finding::Kind::kCircle);
  EXPECT_EQ(findings[0].pes, (std::vector<int>{0, 2, 1}));
}

// What is on its way will come, whatever the other waits for.
TEST(Diagnosis, NoCircleOfWhatMoves) {
  const auto circles = [](Wait theirs) {
    const std::vector<Pe> pes = {waiting(message_of(1, boot::kToBeTaken)), waiting(std::move(theirs))};
    const std::vector<Finding> findings = diagnose(pes);
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.kind == Finding::Kind::kCircle; });
  };
  EXPECT_TRUE(circles(message_of(0)));
  EXPECT_FALSE(circles(message_of(0, boot::kUnderWay)));
  EXPECT_FALSE(circles(message_of(-1)));
  Wait young = message_of(0);
  young.lasted = 100'000'000;
  EXPECT_FALSE(circles(young));
  Wait one_of = message_of(0);
  one_of.type = static_cast<std::uint32_t>(boot::Awaits::kOneOf);
  EXPECT_FALSE(circles(one_of));
}

// Rank 0 and 1 have shared locks of their own parts and want those of each other; two writers stand between.
std::vector<Pe> circle_of_windows() {
  const auto waits = [](int rank, bool exclusive, std::uint64_t place) {
    Wait wait = locks(0);
    wait.why = boot::Waiting::kWindow;
    wait.type = static_cast<std::uint32_t>(exclusive ? boot::OfWindow::kExclusive : boot::OfWindow::kShared);
    wait.wanted = 77;
    wait.start = rank;
    wait.index = static_cast<std::uint64_t>(rank);
    wait.number = place;
    wait.lasted = kSecond;
    return waiting(wait);
  };
  std::vector<Pe> pes = {waits(1, false, 3), waits(0, false, 3), waits(0, true, 2), waits(1, true, 2)};
  for (std::uint32_t k = 0; k < 2; ++k) {
    pes[k].window_locks = {{.window = 77, .first = k, .last = k, .pe = static_cast<int>(k)}};
  }
  return pes;
}

TEST(Diagnosis, ACircleOfWindowsLocks) {
  std::vector<Pe> pes = circle_of_windows();
  std::vector<Finding> findings = diagnose(pes);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Finding::Kind::kCircle);
  EXPECT_EQ(findings[0].pes, (Numbers{0, 3, 1, 2}));

  // Of other nodes nobody knows the places, but there is one writer.
  for (Pe& pe : pes) pe.waits[0].number = 0;
  findings = diagnose(pes);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].pes, (Numbers{0, 3, 1, 2}));

  // Of two, any may be before it.
  pes.push_back(pes[3]);
  pes.push_back(pes[2]);
  const auto circles = [&pes] {
    const std::vector<Finding> found = diagnose(pes);
    return std::any_of(found.begin(), found.end(), [](const auto& each) { return each.kind == Kind::kCircle; });
  };
  EXPECT_FALSE(circles());
}

TEST(Diagnosis, NoCircleOfLocksThatAreOthers) {
  const auto circles = [](const std::vector<Pe>& pes) {
    const std::vector<Finding> found = diagnose(pes);
    return std::any_of(found.begin(), found.end(), [](const auto& each) { return each.kind == Kind::kCircle; });
  };
  EXPECT_TRUE(circles(circle_of_windows()));
  std::vector<Pe> another_window = circle_of_windows();
  another_window[1].window_locks[0].window = 78;
  EXPECT_FALSE(circles(another_window));
  // The readers stand before the writers, and are let in.
  std::vector<Pe> before = circle_of_windows();
  for (int k = 0; k < 2; ++k) before[static_cast<std::size_t>(k)].waits[0].number = 1;
  EXPECT_FALSE(circles(before));
  std::vector<Pe> young = circle_of_windows();
  for (Pe& pe : young) pe.waits[0].lasted = 100'000'000;
  EXPECT_FALSE(circles(young));
}

TEST(Diagnosis, WhoIsInTheWayOfAWindowsLock) {
  std::vector<Pe> pes = circle_of_windows();
  WindowQueue queue = window_queue(pes, 0, pes[0].waits[0]);
  EXPECT_EQ(queue.readers, Numbers{1});
  EXPECT_EQ(queue.ahead, Numbers{3});
  pes[2].window_locks = {{.window = 77, .first = 0, .last = 3, .exclusive = false}};
  EXPECT_EQ(window_queue(pes, 0, pes[0].waits[0]).readers, (Numbers{1, 2}));
  pes[1].window_locks[0].exclusive = true;
  EXPECT_EQ(window_queue(pes, 0, pes[0].waits[0]).writers, Numbers{1});
  // Places go round.
  pes[0].waits[0].number = 1;
  pes[3].waits[0].number = UINT32_MAX;
  EXPECT_EQ(window_queue(pes, 0, pes[0].waits[0]).ahead, Numbers{3});
  EXPECT_EQ(window_queue(pes, 3, pes[3].waits[0]).ahead, Numbers{});
}

}  // namespace
}  // namespace weft::doctor
