// Jobs of programs that use the library: one PE goes wrong while the others are in the middle of something.
#include <csignal>
#include <tuple>

#include "job.hpp"

namespace weft::fault {
namespace {

const char* const kOthers[] = {"barrier", "wait", "lock", "finalize", "sleep", "compute"};

class Library : public JobTest {
 protected:
  Output act(int n_pes, const std::string& others, const std::string& victim) const {
    return job({"-n", std::to_string(n_pes), WEFT_ACTOR, others, victim});
  }
};

class Others : public Library, public testing::WithParamInterface<const char*> {};

TEST_P(Others, AreEndedWhenAPeIsKilledByASignal) {
  for (const auto& [victim, signal] : {std::tuple{"segv", SIGSEGV}, {"kill", SIGKILL}, {"abort", SIGABRT}}) {
    const Output output = act(3, GetParam(), victim);
    EXPECT_EQ(output.ending.exit_code, 128 + signal) << output.ending.text() << "\n" << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: PE 2 (pid "), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "was killed by signal " + std::to_string(signal)), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  }
}

TEST_P(Others, AreEndedWhenAPeExitsNonZero) {
  const Output output = act(3, GetParam(), "exit3");
  EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 2 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "exited with code 3"), 1) << output.err;
}

// Checklist 1.7.
TEST_P(Others, AreEndedByGlobalExit) {
  const Output output = act(3, GetParam(), "global");
  EXPECT_EQ(output.ending.exit_code, 99) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(act(3, GetParam(), "global0").ending.exit_code, 0);
}

TEST_P(Others, AreEndedByGlobalExitThatHangsInAHandler) {
  const Output output = act(3, GetParam(), "hanging-exit");
  EXPECT_EQ(output.ending.exit_code, 99) << output.ending.text() << "\n" << output.err;
}

TEST_P(Others, AreEndedByAnErrorOfAPeThatIsToldOnce) {
  const Output output = act(3, GetParam(), "badpe");
  EXPECT_NE(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.err, "weft: PE 2: shmem_long_p"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 0) << output.err;
}

std::string in_words(const char* how) {
  std::string name = how;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(In, Others, testing::ValuesIn(kOthers), [](const auto& how) { return in_words(how.param); });

class Waiters : public Library, public testing::WithParamInterface<const char*> {};

TEST_P(Waiters, AreEndedWhenAPeLeavesWithoutFinalize) {
  for (const int n_pes : {2, 4}) {
    const Output output = act(n_pes, GetParam(), "leave");
    EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text() << "\n" << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: PE " + std::to_string(n_pes - 1) + " (pid "), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "left without shmem_finalize while PE"), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  }
}

INSTANTIATE_TEST_SUITE_P(In, Waiters,
                         testing::Values("barrier", "wait", "lock", "finalize", "team-sync", "broadcast", "reduce",
                                         "collect", "active-set", "split", "split-of-team", "destroy", "small-team"),
                         [](const auto& how) { return in_words(how.param); });

// What the others wait for, of teams.
TEST_F(Library, ATeamThatWaitsIsEndedWhenAMemberDies) {
  for (const char* others : {"team-sync", "broadcast", "reduce", "active-set", "split", "destroy", "small-team"}) {
    const Output killed = act(4, others, "kill");
    EXPECT_EQ(killed.ending.exit_code, 128 + SIGKILL) << others << killed.ending.text() << "\n" << killed.err;
    EXPECT_EQ(lines_with(killed.err, "oshrun: PE 3 (pid "), 1) << others << killed.err;
    EXPECT_EQ(lines_with(killed.err, "oshrun: "), 1) << others << killed.err;
    const Output left = act(3, others, "exit3");
    EXPECT_EQ(left.ending.exit_code, 3) << others << left.ending.text() << "\n" << left.err;
    EXPECT_EQ(lines_with(left.err, "exited with code 3"), 1) << others << left.err;
    EXPECT_EQ(act(3, others, "global").ending.exit_code, 99) << others;
  }
}

TEST_F(Library, WrongArgumentsOfActiveSetsAreNamed) {
  for (const auto& [victim, line] :
       {std::tuple{"psync", "weft: PE 2: shmem_long_sum_to_all: pSync at 0x"},
        {"no-member",
         "weft: PE 2: shmem_barrier: this PE is not in the active set PE_start 0, logPE_stride 0, PE_size 2"},
        {"no-set", "weft: PE 2: shmem_barrier: PE_start 0, logPE_stride 0, PE_size 4 is no set of this job's PEs"},
        {"private-psync", "weft: PE 2: shmem_barrier: pSync, 0x"}}) {
    const Output output = act(3, "active-set", victim);
    EXPECT_NE(output.ending.exit_code, 0) << output.err;
    EXPECT_EQ(lines_with(output.err, line), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, ""), 1) << output.err;
  }
}

TEST_F(Library, AWaitInInitEndsWhenAPeNeverComes) {
  const Output output = act(3, "barrier", "noinit");
  EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 2 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "left without shmem_init while PEs 0 and 1 wait in shmem_init"), 1) << output.err;
}

TEST_F(Library, TheWaitThatIsEndedIsNamed) {
  EXPECT_EQ(lines_with(act(2, "barrier", "leave").err, "while PE 0 waits in shmem_barrier_all"), 1);
  EXPECT_EQ(lines_with(act(2, "wait", "leave").err, "while PE 0 waits in shmem_long_wait_until"), 1);
  EXPECT_EQ(lines_with(act(2, "finalize", "leave").err, "while PE 0 waits in shmem_finalize"), 1);
  EXPECT_EQ(lines_with(act(2, "reduce", "leave").err, "while PE 0 waits in shmem_long_sum_reduce"), 1);
  EXPECT_EQ(lines_with(act(2, "split", "leave").err, "while PE 0 waits in shmem_team_split_strided"), 1);
}

TEST_F(Library, APeThatMovedToAnotherProcessGroupIsEndedToo) {
  const Output output = act(2, "other-group", "exit3");
  EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text() << "\n" << output.err;
}

// if (me == 0) shmem_barrier_all(): the commonest mistake of all.
TEST_F(Library, ACollectiveCallThatOnlySomeMakeEndsTheJob) {
  const Output output = act(2, "barrier-more", "finish");
  EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(lines_with(output.err,
                       "left after shmem_finalize while PE 0 waits in shmem_finalize; it has made 6 collective calls, "
                       "shmem_finalize among them, and PE 0 is in its #7; did every PE make"),
            1)
      << output.err;
}

TEST_F(Library, LeavingWithoutFinalizeIsNoFailureWhenAllDo) {
  const Output output = act(4, "quit", "leave");
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(output.err, "");
}

TEST_F(Library, TheLastCallIsNamed) {
  const std::string err = act(2, "barrier", "segv").err;
  EXPECT_EQ(lines_with(err, "its last Weft call: shmem_barrier_all"), 1) << err;
}

TEST_F(Library, WhatWasPrintedBeforeIsNotLost) {
  const Output output = act(4, "compute", "segv");
  for (int pe = 0; pe < 4; ++pe)
    EXPECT_EQ(lines_with(output.out, "PE " + std::to_string(pe) + " ready"), 1) << output.out;
}

TEST_F(Library, SignalsEndAJobThatWaits) {
  for (const char* others : kOthers) {
    Running running(command({"-n", "3", WEFT_ACTOR, others, "nothing"}), files.path());
    ASSERT_TRUE(running.says(3, "ready")) << running.out() << running.err();
    running.signal(SIGINT);
    EXPECT_EQ(running.wait().exit_code, 128 + SIGINT) << others;
  }
}

TEST_F(Library, KillNineOfTheLauncherEndsAJobThatWaits) {
  for (const char* others : kOthers) {
    Running running(command({"-n", "3", WEFT_ACTOR, others, "nothing"}), files.path());
    ASSERT_TRUE(running.says(3, "ready")) << running.out() << running.err();
    running.signal(SIGKILL);
    (void)running.wait();
    EXPECT_TRUE(test::eventually([&] { return test::processes(mark).empty(); })) << others;
  }
}

TEST_F(Library, AProgramBehindAShellIsAPeLikeAnyOther) {
  const Output output = job({"-n", "3", "/bin/sh", "-c", std::string(WEFT_ACTOR) + " barrier global; exit $?"});
  EXPECT_EQ(output.ending.exit_code, 99) << output.ending.text() << "\n" << output.err;
}

}  // namespace
}  // namespace weft::fault
