// How PEs end, and how the job does.
#include "launch/rules/watch.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "watch_job.hpp"

namespace weft::launch::rules {
namespace {

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

TEST_F(WatchTest, TellsOfLocksOfWindows) {
  begin(3);
  const auto holds = [this](int entry, std::uint32_t first, std::uint32_t last, std::uint32_t pe, bool exclusive) {
    boot::HeldOfWindow& held = boot::pe_record(job, 1)->of_windows[entry];
    held.window = 77;
    held.first = first;
    held.last = last;
    held.pe = pe;
    held.exclusive = exclusive ? 1 : 0;
  };
  holds(0, 2, 2, 2, true);
  boot::pe_record(job, 1)->of_windows[0].label[0] = 0x41;
  holds(1, 0, 2, boot::HeldOfWindow::kAll, false);
  holds(2, 7, 7, 2, true);  // what cannot be is left out
  ends(1, killed(SIGABRT));
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) was killed by signal 6 (Aborted); it held the exclusive lock of PE 2 in the window A, the "
            "shared locks of 3 PEs in a window; ending the job");

  // One that has said itself how it ended.
  begin(3);
  holds(0, 2, 2, 2, true);
  boot::pe_record(job, 1)->said_why = 1;
  ends(1, killed(SIGSEGV));
  EXPECT_EQ(take_said(), "PE 1 (pid 101) held the exclusive lock of PE 2 in a window");
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
  boot::pe_record(job, 0)->said_why = 1;
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
  watch->host_lost({2, 3}, "host far: lost", now);
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
  watch->host_lost({2, 3}, "host far: lost", now);
  EXPECT_EQ(take_said(), "");
  EXPECT_EQ(watch->exit_code(), 130);
}

}  // namespace
}  // namespace weft::launch::rules
