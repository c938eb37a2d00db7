// What the watch makes of PEs that wait.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <utility>

#include "watch_job.hpp"

namespace weft::launch::rules {
namespace {

// A PE that leaves without finalize is no error by itself: programs that only exit do it on every PE.
TEST_F(WatchTest, LetsAPeLeaveWithoutFinalize) {
  begin(3);
  in_phase(Phase::kInitialised);
  ends(0, exited(0));
  pass(10'000);
  ends(1, exited(0));
  ends(2, exited(0));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{});
  EXPECT_EQ(watch->exit_code(), 0);
}

TEST_F(WatchTest, EndsAWaitForAPeThatHasLeft) {
  begin(4);
  in_phase(Phase::kInitialised);
  waits(0, Waiting::kBarrier, api::Call::shmem_barrier_all);
  waits(2, Waiting::kBarrier, api::Call::shmem_barrier_all);
  pass(5000);
  EXPECT_EQ(take_signals(), Signals{});
  ends(1, exited(0));
  pass(390);
  EXPECT_EQ(take_signals(), Signals{});
  pass(110);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left without shmem_finalize while PEs 0 and 2 wait in shmem_barrier_all; ending the job");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, EndsAWaitThatBeginsAfterAPeHasLeft) {
  begin(2);
  in_phase(Phase::kInitialised);
  ends(1, exited(0));
  pass(3000);
  waits(0, Waiting::kFinalize, api::Call::shmem_finalize);
  pass(550);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left without shmem_finalize while PE 0 waits in shmem_finalize; "
            "ending the job");
}

TEST_F(WatchTest, DoesNotMindShortWaits) {
  begin(2);
  in_phase(Phase::kInitialised);
  ends(1, exited(0));
  for (int i = 0; i < 20; ++i) {
    waits(0, Waiting::kBarrier);
    pass(300);
  }
  EXPECT_EQ(take_signals(), Signals{});
}

TEST_F(WatchTest, ForgivesATimeInWhichTheJobWasStopped) {
  begin(2);
  in_phase(Phase::kInitialised);
  ends(1, exited(0));
  waits(0, Waiting::kBarrier);
  now += 100'000 * kMillisecond;
  watch->continued(now);
  pass(300);
  EXPECT_EQ(take_signals(), Signals{});
}

TEST_F(WatchTest, NamesAPeThatNeverInitialised) {
  begin(3);
  in_phase(0, Phase::kInitialised);
  waits(0, Waiting::kInit, api::Call::shmem_init);
  waits(2, Waiting::kInit, api::Call::shmem_init);
  in_phase(1, Phase::kAttached);
  ends(1, exited(0));
  pass(600);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left without shmem_init while PEs 0 and 2 wait in shmem_init; "
            "ending the job");
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, AWaitForAValueMayBeEndedByAThirdPe) {
  begin(3);
  in_phase(Phase::kInitialised);
  waits(0, Waiting::kValue, api::Call::shmem_long_wait_until);
  ends(1, exited(0));
  pass(5000);  // PE 2 computes, and may then write what PE 0 waits for
  EXPECT_EQ(take_signals(), Signals{});
  waits(2, Waiting::kLock, api::Call::shmem_set_lock);
  pass(600);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left without shmem_finalize while PEs 0 and 2 wait in "
            "shmem_long_wait_until; ending the job");
}

// Another PE serves what is asked of its pages, unless it is all the others that have gone.
TEST_F(WatchTest, AWaitForPagesIsThatOfTheProgram) {
  begin(3);
  in_phase(Phase::kInitialised);
  waits(0, Waiting::kPages, api::Call::shmem_barrier_all);
  ends(1, exited(0));
  pass(5000);
  EXPECT_EQ(take_signals(), Signals{});
  // What goes on beside PE 2's program says nothing of that.
  waits(2, Waiting::kPages, api::Call::shmem_barrier_all);
  boot::pe_record(job, 2)->waits[0].compare = static_cast<std::uint32_t>(boot::PagesFor::kBeside);
  pass(5000);
  EXPECT_EQ(take_signals(), Signals{});
  boot::pe_record(job, 2)->waits[0].compare = 0;
  pass(600);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left without shmem_finalize while PEs 0 and 2 wait in shmem_barrier_all; ending the job");
}

// The last of many PEs may still be in finalize when the first has gone: on a loaded machine for a long time.
TEST_F(WatchTest, TakesNoOffenceAtSlowFinalizing) {
  begin(2);
  in_phase(0, Phase::kInitialised);
  waits(0, Waiting::kFinalize, api::Call::shmem_finalize);
  in_phase(1, Phase::kFinalised);
  ends(1, exited(0));
  pass(4'900);
  EXPECT_EQ(take_signals(), Signals{});
  waits(0, Waiting::kInit, api::Call::shmem_init);
  pass(600);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left after shmem_finalize while PE 0 waits in shmem_init"
            "; did every PE make the same collective calls? Ending the job");
}

TEST_F(WatchTest, EndsAJobWhoseLastPeWaitsForThoseThatHaveFinished) {
  begin(3);
  in_phase(Phase::kFinalised);
  in_phase(0, Phase::kInitialised);
  waits(0, Waiting::kFinalize, api::Call::shmem_finalize);
  ends(1, exited(0));
  ends(2, exited(0));
  pass(5'100);
  EXPECT_NE(take_said().find("left after shmem_finalize while PE 0 waits in shmem_finalize"), std::string::npos);
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, CountsManyWaitingPes) {
  begin(10);
  in_phase(Phase::kInitialised);
  for (int pe = 1; pe < 10; ++pe) waits(pe, Waiting::kBarrier, api::Call::shmem_sync_all);
  ends(0, exited(0));
  pass(600);
  EXPECT_EQ(take_said(),
            "PE 0 (pid 100) left without shmem_finalize while PEs 1, 2 and 7 more wait in "
            "shmem_sync_all; ending the job");
}

TEST_F(WatchTest, TheTimeLimitDoesNotRunWhileTheJobIsStopped) {
  begin(2);
  watch->limit(now + 10'000 * kMillisecond, "10 s");
  pass(1000);
  now += 100'000 * kMillisecond;
  watch->continued(now);
  pass(8'700);
  EXPECT_EQ(take_signals(), Signals{});
  pass(400);
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 124);
}

// A slow start.
TEST_F(WatchTest, TellsWhoHasNotComeToInit) {
  begin(4);
  watch->begun(now, 5000 * kMillisecond);
  in_phase(0, Phase::kInitialised);
  in_phase(2, Phase::kInitialised);
  pass(4900);
  EXPECT_EQ(take_said(), "");
  pass(400);
  EXPECT_EQ(take_said(), "2 of 4 PEs have come to shmem_init after 5 s; PEs 1, 3 have not");
  pass(4500);
  EXPECT_EQ(take_said(), "") << "the next one comes when twice the time has passed";
  in_phase(1, Phase::kInitialised);
  pass(1000);
  EXPECT_EQ(take_said(), "3 of 4 PEs have come to shmem_init after 10 s; PE 3 has not");
  in_phase(3, Phase::kInitialised);
  pass(100'000);
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{}) << "it is no error";
}

TEST_F(WatchTest, IsQuietAboutAStartWhereNobodyHasCome) {
  begin(3);
  watch->begun(now, 5000 * kMillisecond);
  in_phase(Phase::kAttached);
  pass(100'000);
  EXPECT_EQ(take_said(), "") << "all may work before they call it, or never will";
}

TEST_F(WatchTest, TellsHowManyHaveBeenStarted) {
  begin(3, 8);
  watch->begun(now, 5000 * kMillisecond);
  pass(5300);
  EXPECT_EQ(take_said(), "3 of 8 PEs have been started after 5 s");
}

TEST_F(WatchTest, AStartIsNotSlowBecauseTheJobWasStopped) {
  begin(2);
  watch->begun(now, 5000 * kMillisecond);
  in_phase(0, Phase::kInitialised);
  pass(1000);
  now += 100'000 * kMillisecond;
  watch->continued(now);
  pass(3500);
  EXPECT_EQ(take_said(), "");
  pass(1000);
  EXPECT_EQ(take_said(), "1 of 2 PEs have come to shmem_init after 5 s; PE 1 has not");
}

TEST_F(WatchTest, TellsOfALongWaitWithDoublingGaps) {
  begin(2);
  in_phase(Phase::kInitialised);
  watch->report_waits(10'000 * kMillisecond);
  waits(1, Waiting::kBarrier);
  pass(9'900);
  EXPECT_EQ(reports, 0);
  pass(400);
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(take_said(), "PE 1 has waited for 10 s (--hang-after); this is what the PEs do:");
  pass(9'500);
  EXPECT_EQ(reports, 1);
  pass(1'000);
  EXPECT_EQ(reports, 2);
  pass(15'000);
  EXPECT_EQ(reports, 2);
  waits(1, Waiting::kBarrier);  // another one
  pass(10'500);
  EXPECT_EQ(reports, 3);
  EXPECT_EQ(take_signals(), Signals{});
}

// Of a program that has told of nothing else; one that waits for the next region does not wait for anybody.
TEST_F(WatchTest, TellsOfALongWaitOfAnOpenMpThread) {
  begin(1);
  watch->report_waits(10'000 * kMillisecond);
  boot::PeThreads& threads = *boot::pe_threads(job, 0);
  threads.used = 2;
  threads.threads[0].since = now;
  threads.threads[0].why = static_cast<std::uint32_t>(boot::ThreadWaits::kRegion);
  pass(20'000);
  EXPECT_EQ(reports, 0);
  threads.threads[1].since = now;
  threads.threads[1].why = static_cast<std::uint32_t>(boot::ThreadWaits::kBarrier);
  pass(10'500);
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(take_said(), "PE 0 has waited for 10 s (--hang-after); this is what the PEs do:");
}

TEST_F(WatchTest, TellsOfLongWaitsOnlyWhenAsked) {
  begin(2);
  in_phase(Phase::kInitialised);
  waits(1, Waiting::kBarrier);
  pass(1'000'000);
  EXPECT_EQ(reports, 0);
}

// Two threads of PE 0 wait, and one of them begins anew all the time.
TEST_F(WatchTest, APeWhoseThreadGoesOnIsNotStuck) {
  begin(2);
  in_phase(Phase::kInitialised);
  boot::pe_record(job, 0)->waits[1].since = now;
  boot::pe_record(job, 0)->waits[1].why = static_cast<std::uint32_t>(Waiting::kBarrier);
  ends(1, exited(0));
  for (int i = 0; i < 10; ++i) {
    waits(0, Waiting::kValue);
    pass(200);
  }
  EXPECT_EQ(take_signals(), Signals{});
}

// Times and kinds of waits that cannot be are no reason to end a job.
TEST_F(WatchTest, WaitsThatCannotBeAreNone) {
  const std::pair<std::uint32_t, std::uint64_t> kOdd[] = {{2, UINT64_MAX}, {2, UINT64_MAX / 2}, {77, 1}};
  for (const auto& [why, since] : kOdd) {
    begin(2);
    in_phase(Phase::kInitialised);
    for (int pe = 0; pe < 2; ++pe) {
      boot::pe_record(job, pe)->waits[0].since = since;
      boot::pe_record(job, pe)->waits[0].why = why;
    }
    ends(1, exited(0));
    pass(10'000);
    EXPECT_EQ(take_said(), "") << why;
    EXPECT_EQ(take_signals(), Signals{});
  }
}

TEST_F(WatchTest, CollectiveCallsAreCounted) {
  begin(2);
  in_phase(Phase::kFinalised);
  in_phase(0, Phase::kInitialised);
  boot::pe_record(job, 0)->collectives = 7;
  boot::pe_record(job, 1)->collectives = 6;
  waits(0, Waiting::kBarrier, api::Call::shmem_barrier_all);
  ends(1, exited(0));
  pass(10'000);
  EXPECT_NE(take_said().find("; it has made 6 collective calls, shmem_finalize among them, and PE 0 is in its #7; did "
                             "every PE make the same collective calls? Ending the job"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::launch::rules
