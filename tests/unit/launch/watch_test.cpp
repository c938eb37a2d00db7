#include "launch/watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "api/calls.hpp"

namespace weft::launch {
namespace {

using boot::Phase;
using boot::Waiting;

// Wait statuses as the kernel makes them.
constexpr int exited(int code) { return code << 8; }
constexpr int killed(int signal) { return signal; }

/// A job whose PEs, clock and signals are made up by the test.
class WatchTest : public testing::Test {
 protected:
  void begin(int n_pes) { begin(n_pes, n_pes); }
  void begin(int started, int n_pes) {
    const std::size_t bytes = boot::control_bytes(n_pes);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
    std::memset(memory_.get(), 0, bytes);
    job = new (memory_.get()) boot::JobHeader{};
    job->n_pes = static_cast<std::uint32_t>(n_pes);
    watch = std::make_unique<Watch>(job);
    for (int pe = 0; pe < started; ++pe) watch->started(pe, 100 + pe);
    (void)watch->take_actions();
    watch->look(now);
  }
  void in_phase(Phase phase) {
    for (int pe = 0; pe < static_cast<int>(job->n_pes); ++pe) in_phase(pe, phase);
  }
  void in_phase(int pe, Phase phase) { boot::pe_record(job, pe)->phase = static_cast<std::uint32_t>(phase); }
  void waits(int pe, Waiting why, api::Call call = api::Call::kNone) {
    boot::pe_record(job, pe)->waits[0].since = now;
    boot::pe_record(job, pe)->waits[0].why = static_cast<std::uint32_t>(why);
    in_call(pe, call);
  }
  void in_call(int pe, api::Call call) { boot::pe_record(job, pe)->call = static_cast<std::uint32_t>(call); }
  void ends(int pe, int status) { watch->ended(pe, status, now); }
  void asks_exit(int status, int pe = 0) {
    boot::pe_record(job, pe)->presence.exit_asked = boot::exit_request(pe, status);
    job->exit_request = boot::exit_request(pe, status);
  }

  // Lets time pass as the launcher does: it looks when the watch wants it to.
  void pass(std::uint64_t milliseconds) {
    const std::uint64_t end = now + milliseconds * kMillisecond;
    for (auto next = watch->next_look(); next && *next <= end; next = watch->next_look()) {
      now = std::max(now, *next);
      watch->look(now);
      collect();
    }
    now = end;
    collect();
  }
  void collect() {
    for (const Action& action : watch->take_actions()) {
      if (action.kind == Action::Kind::kSay) said += (said.empty() ? "" : "\n") + action.text;
      if (action.kind == Action::Kind::kReport) ++reports;
      if (action.kind == Action::Kind::kNote) notes += action.text + "\n";
      if (action.kind == Action::Kind::kSignal) signals.push_back(action.signal);
    }
  }
  // What has been said since the last call, and to the PEs.
  std::string take_said() {
    collect();
    return std::exchange(said, {});
  }
  std::vector<int> take_signals() {
    collect();
    return std::exchange(signals, {});
  }

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  boot::JobHeader* job = nullptr;
  std::unique_ptr<Watch> watch;
  std::uint64_t now = 1000 * kMillisecond;
  std::string said;
  std::string notes;
  int reports = 0;
  std::vector<int> signals;
};

using Signals = std::vector<int>;

TEST_F(WatchTest, EndsWithZeroWhenAllDo) {
  begin(3);
  in_phase(Phase::kFinalised);
  for (const int pe : {2, 0, 1}) {
    EXPECT_FALSE(watch->over());
    ends(pe, exited(0));
  }
  EXPECT_TRUE(watch->over());
  EXPECT_EQ(watch->exit_code(), 0);
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{});
  EXPECT_EQ(watch->next_look(), std::nullopt);
}

TEST_F(WatchTest, EndsAllWhenASignalEndsOne) {
  begin(3);
  in_phase(Phase::kInitialised);
  in_call(1, api::Call::shmem_barrier_all);
  ends(1, killed(SIGSEGV));
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) was killed by signal 11 (Segmentation fault); its last Weft call: shmem_barrier_all; "
            "ending the job");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 128 + SIGSEGV);
  pass(299);
  EXPECT_EQ(take_signals(), Signals{});
  pass(1);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  ends(0, killed(SIGKILL));
  ends(2, killed(SIGTERM));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(watch->exit_code(), 128 + SIGSEGV);
  EXPECT_TRUE(watch->over());
}

TEST_F(WatchTest, SaysNothingOfACallWhenThereWasNone) {
  begin(1);
  ends(0, killed(SIGABRT));
  EXPECT_EQ(take_said(), "PE 0 (pid 100) was killed by signal 6 (Aborted); ending the job");
}

TEST_F(WatchTest, DoesNotTrustANumberThatIsNoCall) {
  begin(1);
  boot::pe_record(job, 0)->call = 0xdeadbeef;
  ends(0, exited(9));
  EXPECT_EQ(take_said(), "PE 0 (pid 100) exited with code 9; ending the job");
}

TEST_F(WatchTest, HintsAtMemory) {
  begin(2);
  ends(0, killed(SIGKILL));
  EXPECT_NE(take_said().find("memory ran out"), std::string::npos);
  begin(2);
  ends(0, killed(SIGBUS));
  EXPECT_NE(take_said().find("memory for its shared pages"), std::string::npos);
}

TEST_F(WatchTest, MentionsACoreFile) {
  begin(2);
  ends(0, killed(SIGSEGV) | 0x80);
  EXPECT_EQ(take_said(), "PE 0 (pid 100) was killed by signal 11 (Segmentation fault, core dumped); ending the job");
}

TEST_F(WatchTest, EndsAllWhenOneExitsNonZero) {
  begin(2);
  in_phase(Phase::kInitialised);
  ends(0, exited(7));
  EXPECT_EQ(take_said(), "PE 0 (pid 100) exited with code 7; ending the job");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  ends(1, killed(SIGTERM));
  EXPECT_EQ(watch->exit_code(), 7);
}

TEST_F(WatchTest, ReportsTheFirstFailureOnly) {
  begin(3);
  ends(2, exited(5));
  ends(1, exited(6));
  ends(0, killed(SIGSEGV));
  EXPECT_EQ(take_said(), "PE 2 (pid 102) exited with code 5; ending the job");
  EXPECT_EQ(watch->exit_code(), 5);
}

TEST_F(WatchTest, DoesNotRepeatWhatThePeHasSaid) {
  begin(2);
  boot::pe_record(job, 0)->said = boot::kSaidWhy;
  ends(0, exited(1));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, LetsTheOthersLeaveWhenOneFailsAfterFinalize) {
  begin(3);
  in_phase(Phase::kFinalised);
  ends(0, exited(1));
  pass(200);
  EXPECT_EQ(take_signals(), Signals{});
  ends(1, exited(1));
  pass(100);
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  pass(300);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  EXPECT_EQ(watch->exit_code(), 1);
  EXPECT_EQ(take_said(), "PE 0 (pid 100) exited with code 1; ending the job");
}

TEST_F(WatchTest, IsQuietWhenTheReaderOfTheOutputHasGone) {
  begin(2);
  watch->output_lost();
  ends(0, killed(SIGPIPE));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 128 + SIGPIPE);
  begin(2);
  ends(0, killed(SIGPIPE));
  EXPECT_NE(take_said(), "");
}

// shmem_global_exit.
TEST_F(WatchTest, GivesTheCodeOfGlobalExit) {
  begin(3);
  in_phase(Phase::kInitialised);
  asks_exit(99);
  ends(1, exited(99));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_EQ(watch->exit_code(), 99);
  ends(0, killed(SIGTERM));
  ends(2, exited(3));
  EXPECT_EQ(watch->exit_code(), 99);
}

TEST_F(WatchTest, GlobalExitWithZeroIsNoFailure) {
  begin(2);
  in_phase(Phase::kInitialised);
  asks_exit(0);
  ends(1, exited(0));
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  ends(0, killed(SIGTERM));
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(watch->exit_code(), 0);
}

TEST_F(WatchTest, SaysThatNobodyHasAskedForTheEnd) {
  const std::uint32_t strays[] = {boot::kExitAsked | 9, 0x41414141, 0x7, boot::exit_request(2, 9), 0x40000000};
  for (const std::uint32_t stray : strays) {
    begin(3);
    in_phase(Phase::kInitialised);
    boot::pe_record(job, 1)->presence.exit_asked = boot::exit_request(1, 9);  // it is about to ask
    job->exit_request = stray;
    pass(300);
    char value[16];
    (void)std::snprintf(value, sizeof value, "0x%x", stray);
    EXPECT_NE(take_said().find(std::string("something has written ") + value + " where"), std::string::npos) << value;
    EXPECT_FALSE(watch->is_running());
    EXPECT_EQ(watch->exit_code(), 1);
    pass(1000);
    EXPECT_EQ(take_said(), "") << "said once";
  }
}

TEST_F(WatchTest, EndsAJobOfWhichAPeHasBecomeAnotherProgram) {
  begin(2);
  in_phase(Phase::kInitialised);
  watch->replaced(1, "/bin/sleep", now);
  collect();
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) has become another program after shmem_init, /bin/sleep; only before it may a PE call "
            "exec; ending the job");
  watch->replaced(1, "/bin/sleep", now);
  collect();
  EXPECT_EQ(take_said(), "");
  ends(1, killed(SIGTERM));
  ends(0, killed(SIGTERM));
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, DoesNotWaitForExitHandlersForEver) {
  begin(2);
  in_phase(Phase::kInitialised);
  asks_exit(4);
  pass(1000);
  EXPECT_EQ(take_signals(), (Signals{SIGTERM}));
  pass(300);
  EXPECT_EQ(take_signals(), (Signals{SIGKILL}));
  EXPECT_EQ(watch->exit_code(), 4);
}

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

// Signals of the user.
TEST_F(WatchTest, PassesTheUsersSignalOn) {
  begin(2);
  watch->told_to_end(SIGINT, now);
  EXPECT_EQ(take_signals(), Signals{SIGINT});
  pass(499);
  EXPECT_EQ(take_signals(), Signals{});
  pass(1);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  ends(0, killed(SIGINT));
  ends(1, killed(SIGKILL));
  EXPECT_EQ(watch->exit_code(), 128 + SIGINT);
  EXPECT_EQ(take_said(), "");
}

TEST_F(WatchTest, KillsAtTheSecondSignal) {
  begin(2);
  watch->told_to_end(SIGTERM, now);
  (void)take_signals();
  watch->told_to_end(SIGTERM, now);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  watch->told_to_end(SIGTERM, now);
  EXPECT_EQ(take_signals(), Signals{});
  EXPECT_EQ(watch->exit_code(), 128 + SIGTERM);
}

TEST_F(WatchTest, ASignalDoesNotHideAnEarlierFailure) {
  begin(2);
  ends(0, exited(3));
  watch->told_to_end(SIGINT, now);
  EXPECT_EQ(watch->exit_code(), 3);
  EXPECT_EQ(take_signals(), (Signals{SIGTERM, SIGKILL}));
}

TEST_F(WatchTest, EndsWhatHadStartedWhenOneCannotBe) {
  begin(2);
  watch->not_started(126, now);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  ends(0, killed(SIGKILL));
  ends(1, killed(SIGKILL));
  EXPECT_EQ(watch->exit_code(), 126);
  EXPECT_EQ(take_said(), "");
}

TEST_F(WatchTest, SleepsWhileThereIsNothingToSee) {
  begin(2);
  watch->look(now);
  EXPECT_EQ(*watch->next_look() - now, Watch::kCalm);
  ends(0, exited(0));
  EXPECT_EQ(*watch->next_look() - now, Watch::kAttentive);
}

TEST_F(WatchTest, EndsAJobWhoseTimeIsUpAndHasItReported) {
  begin(6);
  watch->limit(now + 5000 * kMillisecond, "5 s");
  in_phase(Phase::kInitialised);
  in_phase(4, Phase::kStarted);
  ends(5, exited(0));
  pass(2000);
  for (const int pe : {0, 1, 2}) waits(pe, Waiting::kLock, api::Call::shmem_set_lock);
  in_call(3, api::Call::shmem_barrier_all);
  pass(2999);
  EXPECT_EQ(take_said(), "");
  pass(1);
  EXPECT_EQ(take_said(), "the job has not ended within 5 s (--timeout); 5 of 6 PEs had not finished; ending the job");
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  pass(Watch::kGrace / kMillisecond);
  EXPECT_EQ(take_signals(), Signals{SIGKILL});
  EXPECT_EQ(watch->exit_code(), Watch::kTimeoutCode);
}

TEST_F(WatchTest, KeepsTheCodeOfAJobThatEndsJustBeforeItsTimeIsUp) {
  begin(2);
  watch->limit(now + 100 * kMillisecond, "0.1 s");
  ends(1, exited(7));
  (void)take_said();
  pass(200);
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(watch->exit_code(), 7);
}

TEST_F(WatchTest, APeOnAnotherHostIsNamedWithIt) {
  begin(2);
  watch->placed(1, "far");
  ends(1, exited(3));
  EXPECT_EQ(take_said(), "PE 1 (pid 101 on far) exited with code 3; ending the job");
}

TEST_F(WatchTest, AHostThatIsLostEndsTheJob) {
  begin(4);
  watch->host_lost(2, 4, "host far: lost", now);
  EXPECT_EQ(take_said(), "host far: lost; ending the job");
  EXPECT_EQ(take_signals(), Signals{SIGTERM});
  EXPECT_FALSE(watch->alive(2));
  EXPECT_FALSE(watch->over());
  ends(0, killed(SIGTERM));
  ends(1, killed(SIGTERM));
  EXPECT_TRUE(watch->over());
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(WatchTest, AHostThatIsLostWhileTheJobEndsIsNoNews) {
  begin(4);
  watch->told_to_end(SIGINT, now);
  watch->host_lost(2, 4, "host far: lost", now);
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(watch->exit_code(), 130);
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
}  // namespace weft::launch
