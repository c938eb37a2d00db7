// OpenMP threads that wait: who has not come, who holds what, and what is said of it.
#include "doctor/openmp_text.hpp"

#include <gtest/gtest.h>

#include "pes.hpp"

namespace weft::doctor {
namespace {

using boot::ThreadsBy;
using boot::ThreadWaits;
using Kind = ThreadFinding::Kind;
using Lines = std::vector<std::string>;

constexpr std::uint64_t kTeam = 0x1000;
constexpr std::uint64_t kNow = 10 * kSecond;

class MadeUp : public Names {
 public:
  std::string site(int, std::uint64_t site) const override { return site == 0 ? "" : "a.c:" + std::to_string(site); }
  std::string object(int, const Wait&) const override { return "v"; }
  std::string variable(int, std::uint64_t address) const override {
    return address == 7 ? ".gomp_critical_user_update" : "lock" + std::to_string(address);
  }
  std::optional<std::uint64_t> value(int, boot::Place, int) const override { return std::nullopt; }
};

// Thread `number` of the team, with id 100 + number. 0 is the program's own.
Thread thread(std::uint32_t number) {
  Thread made;
  made.id = 100 + number;
  made.home = number == 0 ? 0 : kTeam;
  made.home_number = number;
  made.home_level = number == 0 ? 0 : 1;
  made.home_primary = number == 0 ? 0 : 100;
  return made;
}

Thread waits(std::uint32_t number, ThreadWaits why, std::uint64_t site, std::uint64_t object = 0,
             std::uint32_t holder = 0, std::uint32_t size = 4) {
  Thread made = thread(number);
  made.why = why;
  made.site = site;
  made.object = object;
  made.holder = holder;
  made.team = kTeam;
  made.number = number;
  made.size = size;
  made.primary = 100;
  made.since = kNow - 2 * kSecond;
  made.lasted = 2 * kSecond;
  return made;
}

Pe with(std::vector<Thread> threads, ThreadsBy by = ThreadsBy::kProcess) {
  Pe pe = running();
  pe.openmp.pid = 1;
  pe.openmp.by = by;
  pe.openmp.threads = std::move(threads);
  return pe;
}

Lines told(const std::vector<Pe>& pes, const ThreadStacks& stacks = {}) {
  const OpenMpView view(pes);
  Lines lines = doings(view, pes, MadeUp(), stacks, kNow);
  for (const ThreadFinding& finding : view.diagnose()) {
    lines.push_back("=> " + sentence(finding, view, pes, MadeUp()));
  }
  return lines;
}

TEST(OpenMp, WhoHasNotComeToABarrier) {
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5), waits(1, ThreadWaits::kBarrier, 5), thread(2),
                                     waits(3, ThreadWaits::kBarrier, 5)})};
  EXPECT_EQ(told(pes, {{{0, 2}, {"f at a.c:3"}}}),
            (Lines{"threads 0, 1, 3 of 4 have waited up to 2.0 s at the barrier at a.c:5; thread 2 has not reached it",
                   "thread 2 does not wait in OpenMP", "  in f at a.c:3",
                   "=> all other threads wait, so what thread 2 does, or has not done, holds them up"}));
}

// The processes have one memory.
TEST(OpenMp, ThreadsOfSeveralProcessesAreOneTeam) {
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5), thread(1)}, ThreadsBy::kMemory),
                               with({waits(2, ThreadWaits::kBarrier, 5), thread(3)}, ThreadsBy::kMemory)};
  EXPECT_EQ(
      told(pes),
      (Lines{"threads 0, 2 of 4 have waited up to 2.0 s at the barrier at a.c:5; threads 1, 3 have not reached it",
             "threads 1, 3: each does not wait in OpenMP"}));
}

// By pages each has a team of its own, at its own address, of its threads.
TEST(OpenMp, TeamsOverPages) {
  std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5), thread(1)}, ThreadsBy::kPages),
                         with({thread(0), thread(1)}, ThreadsBy::kPages)};
  pes[0].openmp.team = pes[1].openmp.team = kTeam;
  pes[0].openmp.size = pes[1].openmp.size = 4;
  pes[0].openmp.here = pes[1].openmp.here = 2;
  pes[1].openmp.first = 2;
  EXPECT_EQ(told(pes),
            (Lines{"thread 0 (PE 0) of 4 has waited 2.0 s at the barrier at a.c:5; threads 1-3 have not reached it",
                   "threads 1-3: each does not wait in OpenMP"}));
}

// Programs that are apart have threads of the same numbers.
TEST(OpenMp, ProgramsThatAreApart) {
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 2), thread(1)}),
                               with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 2), thread(1)})};
  EXPECT_EQ(told(pes)[1],
            "thread 0 of PE 1 of 2 has waited 2.0 s at the barrier at a.c:5; thread 1 of PE 1 has not reached it");
}

TEST(OpenMp, WhoRunsATaskAtABarrierHasCome) {
  Thread runs = thread(1);
  runs.arrived = kTeam;
  runs.task = 8;
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 3), runs, thread(2)})};
  EXPECT_EQ(told(pes),
            (Lines{"thread 0 of 3 has waited 2.0 s at the barrier at a.c:5; thread 2 has not reached it",
                   "thread 1 does not wait in OpenMP; it runs a task, a.c:9", "thread 2 does not wait in OpenMP"}));
}

TEST(OpenMp, WhoHasLeftTheRegionNeverComes) {
  Thread idle = waits(1, ThreadWaits::kRegion, 0);
  idle.looks = 0;
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 2), idle})};
  EXPECT_EQ(told(pes), (Lines{"thread 0 of 2 has waited 2.0 s at the barrier at a.c:5; thread 1 has not reached it",
                              "thread 1 is through with the parallel region",
                              "=> thread 0 waits at the barrier at a.c:5 for thread 1, which has ended the region; all "
                              "threads of a team must come to the same barriers"}));
}

// At the end of a region those that idle have come.
TEST(OpenMp, TheEndOfARegion) {
  const std::vector<Pe> pes = {
      with({waits(0, ThreadWaits::kRegionEnd, 5, 0, 0, 3), waits(1, ThreadWaits::kRegion, 0), thread(2)})};
  EXPECT_EQ(told(pes)[0],
            "thread 0 of 3 has waited 2.0 s at the end of the parallel region at a.c:5; thread 2 has not come there");
}

TEST(OpenMp, WhoHoldsALock) {
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kCritical, 5, 7, 101), thread(1)})};
  EXPECT_EQ(told(pes)[0], "thread 0 has waited 2.0 s for the critical section update at a.c:5, which thread 1 is in");
}

// Where memory is pages the words do not say so.
TEST(OpenMp, WhoHoldsALockByPages) {
  Thread holder = thread(1);
  holder.held = {3, 9};
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kLock, 5, 9)}, ThreadsBy::kPages),
                               with({holder}, ThreadsBy::kPages)};
  EXPECT_EQ(told(pes)[0], "thread 0 (PE 0) has waited 2.0 s for the lock lock9 at a.c:5, which thread 1 (PE 1) holds");
}

TEST(OpenMp, CirclesOfLocks) {
  const std::vector<Pe> pes = {
      with({waits(0, ThreadWaits::kLock, 5, 1, 101), waits(1, ThreadWaits::kLock, 6, 2, 100)})};
  EXPECT_EQ(told(pes)[2],
            "=> deadlock: thread 0 waits for thread 1 for the lock lock1 at a.c:5, thread 1 waits for "
            "thread 0 for the lock lock2 at a.c:6");
}

// One waits at a barrier inside of a critical section that the other one wants to enter first.
TEST(OpenMp, CirclesOfDifferentWaits) {
  const std::vector<Pe> pes = {
      with({waits(0, ThreadWaits::kCritical, 5, 7, 101, 2), waits(1, ThreadWaits::kBarrier, 6, 0, 0, 2)})};
  EXPECT_EQ(told(pes).back(),
            "=> deadlock: thread 0 waits for thread 1 for the critical section update at a.c:5, "
            "thread 1 waits for thread 0 at the barrier at a.c:6");
}

TEST(OpenMp, ALockThatItHoldsItself) {
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kLock, 5, 1, 100)})};
  EXPECT_EQ(told(pes), (Lines{"thread 0 has waited 2.0 s for the lock lock1 at a.c:5, which it holds itself",
                              "=> thread 0 waits for the lock lock1 at a.c:5, and has it already; a lock must be unset "
                              "before it is set again"}));
}

// A thread that may have looked, and go on.
TEST(OpenMp, NothingIsConcludedFromWhatMoves) {
  std::vector<Pe> pes = {with({waits(0, ThreadWaits::kLock, 5, 1, 101), waits(1, ThreadWaits::kLock, 6, 2, 100)})};
  const std::vector<Pe> before = pes;
  EXPECT_FALSE(is_settled(before, pes));
  pes[0].openmp.threads[0].looks += 2;
  pes[0].openmp.threads[1].looks += 1;
  EXPECT_FALSE(is_settled(before, pes));
  keep_still(before, pes);
  EXPECT_EQ(told(pes).size(), 2U);
  pes[0].openmp.threads[1].looks += 1;
  EXPECT_TRUE(is_settled(before, pes));
  keep_still(before, pes);
  EXPECT_EQ(told(pes).size(), 3U);
}

TEST(OpenMp, WhoseTurnItIs) {
  const std::vector<Pe> pes = {with({thread(0), waits(1, ThreadWaits::kOrdered, 5, 9, 100)})};
  EXPECT_EQ(told(pes)[0],
            "thread 1 has waited 2.0 s for its turn in the ordered region at a.c:5; it is the turn of "
            "thread 0");
}

TEST(OpenMp, WhoHasAnIteration) {
  const std::vector<Pe> pes = {with({thread(0), waits(1, ThreadWaits::kIteration, 5, 9, 100)})};
  EXPECT_EQ(
      told(pes)[0],
      "thread 1 has waited 2.0 s for another iteration of the loop (doacross, depend(sink)) at a.c:5; thread 0 has it");
}

TEST(OpenMp, WhatAThreadDependsOn) {
  Thread runs = thread(1);
  runs.task = 8;
  runs.task_parent = 77;
  Thread parent = waits(0, ThreadWaits::kDependences, 5, 77);
  parent.wanted = 2;
  EXPECT_EQ(
      told({with({parent, runs})})[0],
      "thread 0 has waited 2.0 s in taskwait or an undeferred task with depend at a.c:5 for 2 tasks that are not done; "
      "of the tasks made beside it thread 1 runs one");
  EXPECT_EQ(
      told({with({parent, thread(1)})})[0],
      "thread 0 has waited 2.0 s in taskwait or an undeferred task with depend at a.c:5 for 2 tasks that are not done");
}

TEST(OpenMp, WhoRunsTheTask) {
  Thread runs = thread(1);
  runs.task = 8;
  runs.task_parent = 77;
  Thread parent = waits(0, ThreadWaits::kChildren, 5, 77);
  parent.wanted = 2;
  EXPECT_EQ(told({with({parent, runs})})[0],
            "thread 0 has waited 2.0 s in taskwait at a.c:5 for 2 tasks that are not done; thread 1 runs one");
  EXPECT_EQ(told({with({parent, thread(1)})})[0],
            "thread 0 has waited 2.0 s in taskwait at a.c:5 for 2 tasks that are "
            "not done, and no thread runs any of them");
}

// By the thread that has made them.
TEST(OpenMp, ThreadsOfInnerRegions) {
  Thread inner = waits(1, ThreadWaits::kBarrier, 6, 0, 0, 2);
  inner.id = 300;
  inner.home = inner.team = 0x2000;
  inner.home_level = 2;
  inner.home_primary = inner.primary = 101;
  const std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 2), thread(1), inner})};
  EXPECT_EQ(told(pes), (Lines{"thread 0 of 2 has waited 2.0 s at the barrier at a.c:5; thread 1 has not reached it",
                              "thread 1.1 of 2 has waited 2.0 s at the barrier at a.c:6; thread 1 has not reached it",
                              "thread 1 does not wait in OpenMP",
                              "=> all other threads wait, so what thread 1 does, or has not done, holds them up"}));
}

TEST(OpenMp, AThreadThatWaitsForAPage) {
  std::vector<Pe> pes = {with({waits(0, ThreadWaits::kBarrier, 5, 0, 0, 2), thread(1)}, ThreadsBy::kPages), running()};
  Wait page;
  page.why = boot::Waiting::kPages;
  page.compare = static_cast<std::uint32_t>(boot::PagesFor::kAccess);
  page.since = kNow - kSecond;
  page.site = 4;
  page.root = 1;
  page.start = 101;
  pes[0].waits.push_back(page);
  EXPECT_EQ(told(pes)[1],
            "thread 1 (PE 0) has waited 1.0 s in an access to shared memory at a.c:4 for the contents of "
            "what lies v, whose home is PE 1");
  // And not once more.
  EXPECT_EQ(doings(pes, MadeUp(), kNow), (Lines{"PE 1 does not wait in Weft"}));
}

TEST(OpenMp, WhatCannotBeIsNotBelieved) {
  boot::PeThreads tells{};
  tells.pid = 1;
  tells.used = 3;
  tells.threads[0].id = 5;
  tells.threads[0].size = 1;
  tells.threads[1].id = 6;
  tells.threads[1].since = 1;
  tells.threads[1].why = 99;
  tells.threads[1].size = 1;
  std::string damage;
  const OpenMp openmp = read_threads(tells, kNow, &damage);
  ASSERT_EQ(openmp.threads.size(), 1U);
  EXPECT_EQ(openmp.threads[0].id, 5U);
  EXPECT_EQ(damage, "99 as what an OpenMP thread waits for");
}

}  // namespace
}  // namespace weft::doctor
