// What is told of jobs that hang, and of PEs that crash, down to the line of the source.
#include "hang.hpp"

namespace weft::fault {
namespace {

class Hang : public HangTest {
 protected:
  /// What is told after two seconds of this: on a busy machine many PEs take one to come to where they wait.
  std::string report(int n_pes, const std::string& how) const {
    const Output output = job({"-n", std::to_string(n_pes), "--timeout", "2s", WEFT_HANG, how});
    EXPECT_EQ(output.ending.exit_code, 124) << output.err;
    return output.err;
  }
  std::string crash(int n_pes, const std::string& how) const {
    return job({"-n", std::to_string(n_pes), WEFT_HANG, "crash-" + how}).err;
  }
};

TEST_F(Hang, AValueThatNobodyStores) {
  const std::string text = report(4, "value");
  expect_line(text, "PEs 0, 2, 3 have waited up to [0-9.]+ s in shmem_barrier_all \\(#1\\) at " + line_of("barrier") +
                        " in barrier; PE 1 has not arrived$");
  expect_line(text, "PE 1 has waited [0-9.]+ s in shmem_long_wait_until at " + line_of("value") +
                        " in hang on flag, which holds 0 and must become >= 3$");
  expect_line(text, "=> every PE waits: nobody is left to store what PE 1 waits for$");
}

TEST_F(Hang, AValueInTheHeap) {
  expect_line(report(3, "heap"), "PE 1 has waited [0-9.]+ s in shmem_int_wait_until at " + line_of("neighbour") +
                                     " in wait_for_neighbour on byte 64 of the block of 400 bytes that shmem_malloc "
                                     "gave at " +
                                     line_of("block") + " in hang, which holds -2 and must become >= 3$");
}

TEST_F(Hang, APeThatComputes) {
  const std::string text = report(3, "compute");
  expect_line(text, "PE 1 does not wait in Weft; its last call there was shmem_init at hang.c:[0-9]+ in main$");
  expect_line(text, "=> all others wait, so what PE 1 does, or has not done, holds them up$");
  expect_line(text, "    in compute at " + line_of("loop") + "$");
  expect_line(text, "    in hang at " + line_of("compute") + "$");
  expect_line(text, "    in main at hang.c:[0-9]+$");
  expect_line(text, "  PE 1 has made 0 collective calls, the others 1$");
}

// Alone a PE's static data stays where the program has it.
TEST_F(Hang, AValueInAJobOfOnePe) {
  expect_line(report(1, "value-alone"), "PE 0 has waited [0-9.]+ s in shmem_long_wait_until at " + line_of("alone") +
                                            " in hang on flag, which holds 7 and must become >= 9$");
}

TEST_F(Hang, ANameThatStandsForAType) {
  expect_line(report(2, "x"), "PE 0 has waited .* on x, which holds 0 and must become != 0$");
}

TEST_F(Hang, WhichElementsAreMissing) {
  expect_line(report(2, "all"),
              "PE 0 has waited .* on ready\\+0x14, which holds 0 and must become == 1; elements 5, 9-12 "
              "of 20 are missing$");
  expect_line(report(2, "some"),
              "PE 0 has waited .* on 20 elements from ready on, the first of which holds 0 and must "
              "become == 1; elements 0-2, 5-19 of 20 are missing$");
}

TEST_F(Hang, CollectivesAreCounted) {
  expect_line(report(3, "fewer"), "  PE 1 has made 6 collective calls, the others 7$");
  // Without a limit the launcher sees by itself that the others wait in vain.
  expect_line(
      job({"-n", "3", WEFT_HANG, "fewer"}).err,
      "PE 1 .* left after shmem_finalize while .*; it has made 6 collective calls, shmem_finalize among them, and "
      "PE 0 is in its #7; did every PE make the same collective calls\\? Ending the job$");
}

// One store into a record once made the launcher ask for tens of gigabytes.
TEST_F(Hang, AStrayStoreIntoTheRecords) {
  const std::string text = report(3, "stray");
  expect_line(text,
              "PEs 0, 2: each has notes that cannot be its own, such as 1000000000 members of a team: a store of the "
              "program has hit them");
  expect_line(text, "=> run again with oshrun --safe: it tells the first call that is wrong$");
}

TEST_F(Hang, DifferentCollectives) {
  expect_line(report(3, "calls"), "=> PE 0 is in shmem_long_sum_reduce \\(#1\\) at " + line_of("reduce") +
                                      " in hang where PE 1 is in shmem_long_broadcast \\(#1\\) at " +
                                      line_of("broadcast"));
}

TEST_F(Hang, DifferentRoots) {
  expect_line(report(3, "roots"), "=> PE 0 is in shmem_long_broadcast \\(#1\\) at " + line_of("root") +
                                      " in hang with root 1, PE 1 with root 0; all members must give the same root$");
}

TEST_F(Hang, DifferentActiveSets) {
  expect_line(report(3, "sets"), "=> PE 0 is in shmem_barrier \\(of PEs 0, 1\\) at " + line_of("set") +
                                     " in hang, PE 1 is in shmem_barrier \\(of all PEs\\) at ");
}

TEST_F(Hang, ACircleOfLocks) {
  const std::string text = report(2, "locks");
  expect_line(text, "  the lock lock_a: ticket 0 is served, which PE 1 has; next is PE 0 \\(ticket 1\\)$");
  expect_line(text, "=> deadlock: PE 0 waits for PE 1 in shmem_set_lock at " + line_of("lock") +
                        " in hang \\(lock lock_a\\), PE 1 waits for PE 0 in shmem_set_lock at ");
}

TEST_F(Hang, ALockSetTwice) {
  const std::string text = report(2, "relock");
  expect_line(text, "PE 0 has waited [0-9.]+ s in shmem_set_lock at " + line_of("again") +
                        " in hang for the lock lock_a, which it holds itself$");
  expect_line(text, "=> PE 0 waits for the lock lock_a, which it holds itself; ");
}

TEST_F(Hang, TeamsInADifferentOrder) {
  expect_line(report(3, "teams"),
              "=> deadlock: PE 0 waits for PE 1 in shmem_team_sync \\(#1 of the team of PEs 0, 1\\) at " +
                  line_of("pair") + " in hang, PE 1 waits for PE 0 in shmem_barrier_all \\(#3\\) at ");
}

TEST_F(Hang, APeThatIsStopped) {
  expect_line(report(3, "stop"), "PE 1 is stopped, by a signal or a debugger; its last call there was ");
}

TEST_F(Hang, ManyPesDoTheSame) {
  expect_line(report(32, "value"), "PEs 0, 2-31 have waited up to .*; PE 1 has not arrived$");
}

TEST_F(Hang, StatusIsToldByAnotherOshrun) {
  Running running(command({"-n", "3", WEFT_HANG, "value"}), files.path());
  std::string text;
  ASSERT_TRUE(test::eventually([&] {
    const Output output = job({"--status", std::to_string(running.pid())});
    text = output.out + output.err;
    return text.find("PE 1 has waited") != std::string::npos && text.find("PEs 0, 2 have") != std::string::npos;
  })) << text;
  EXPECT_EQ(text.rfind("job " + std::to_string(running.pid()) + ": 3 PEs\n", 0), 0U) << text;
  expect_line(text, "  PEs 0, 2 have waited up to .* at " + line_of("barrier"));
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGTERM);
  std::system(("rm -f " + files.path() + "/*").c_str());
}

// Everything that PEs wait for, in a job that goes on: whatever it is caught in, nothing is wrong with it.
TEST_F(Hang, AJobThatGoesOnIsNeverSaidToHang) {
  const std::string stop = files.path() + "/stop";
  Running running(command({"-n", "16", WEFT_BUSY, stop}), files.path());
  ASSERT_TRUE(running.says(1, "busy")) << running.err();
  for (int look = 0; look < 80; ++look) {
    const Output output = job({"--status", std::to_string(running.pid())});
    ASSERT_EQ(output.out.rfind("job ", 0), 0U) << output.err;
    ASSERT_EQ(lines_with(output.out, "=>"), 0) << output.out;
  }
  std::ofstream(stop).close();
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  std::system(("rm -f " + files.path() + "/*").c_str());
}

// And one that hangs is said to at the first look.
TEST_F(Hang, ADeadlockIsFoundAtTheFirstLook) {
  Running running(command({"-n", "2", WEFT_HANG, "locks"}), files.path());
  std::string text;
  ASSERT_TRUE(test::eventually([&] {
    text = job({"--status", std::to_string(running.pid())}).out;
    return lines_with(text, "in shmem_set_lock at " + line_of("lock")) == 3;  // both PEs, and what is said of them
  })) << text;
  expect_line(text, "=> deadlock: ");
  running.signal(SIGTERM);
  (void)running.wait();
  std::system(("rm -f " + files.path() + "/*").c_str());
}

TEST_F(Hang, StatusOfWhatIsNoJob) {
  const Output word = job({"--status", "mine"});
  EXPECT_EQ(word.ending.exit_code, 2);
  expect_line(word.err, "^oshrun: --status mine: give the process id of a job's oshrun; there ");
  const Output other = job({"--status", std::to_string(::getpid())});
  EXPECT_EQ(other.ending.exit_code, 1);
  expect_line(other.err, "is no oshrun that runs a job of yours; there ");
}

TEST_F(Hang, SigUsr1AsksForTheReport) {
  Running running(command({"-v", "-n", "2", WEFT_HANG, "value"}), files.path());
  // Before that it has not made the signal its own.
  ASSERT_TRUE(test::eventually([&] { return lines_with(running.err(), "started") > 1; })) << running.err();
  ASSERT_TRUE(test::eventually([&] {
    running.signal(SIGUSR1);
    ::usleep(200'000);
    return lines_with(running.err(), "PE 1 has waited") > 0;  // not before it has waited for a while
  })) << running.err();
  running.signal(SIGTERM);
  (void)running.wait();
  std::system(("rm -f " + files.path() + "/*").c_str());
}

TEST_F(Hang, HangAfterTellsAndLeavesTheJobAlone) {
  Running running(command({"-n", "2", "--hang-after", "0.5", WEFT_HANG, "value"}), files.path());
  ASSERT_TRUE(test::eventually([&] {
    return lines_with(running.err(), "(--hang-after)") > 1 &&
           lines_with(running.err(), "oshrun:   PE 1 has waited ") > 0;
  })) << running.err();
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGTERM);
  std::system(("rm -f " + files.path() + "/*").c_str());
}

TEST_F(Hang, ACrashShowsTheCalls) {
  const std::string text = crash(3, "null");
  for (const std::string& place : {"sum at " + line_of("sum"), "crash at " + line_of("null")}) {
    expect_line(text, "^weft: PE 2:   in " + place + "$");
  }
  expect_line(text, "^weft: PE 2:   in main at hang.c:[0-9]+$");
  expect_line(text, "^oshrun: PE 2 .* was killed by signal 11");
}

TEST_F(Hang, AbortAssertAndDivideToo) {
  for (const std::string how : {"abort", "assert", "divide"}) {
    expect_line(crash(2, how), "^weft: PE 1:   in crash at " + line_of(how) + "$");
  }
}

TEST_F(Hang, OnlyOneOfManyShowsItsCalls) {
  const std::string text = crash(7, "all");
  EXPECT_EQ(lines_with(text, "in main at hang.c:"), 1) << text;
}

TEST_F(Hang, AnErrorNamesTheLineOfTheCall) {
  for (const std::string how : {"private", "pe"}) {
    const std::string text = crash(2, how);
    expect_line(text, "^weft: PE 1: .* \\(called in crash at " + line_of(how) + "\\)$");
    EXPECT_EQ(lines_with(text, ""), 1) << text;
  }
  expect_line(crash(2, "lock"), "is not held by anybody.* \\(called in crash at " + line_of("clear") + "\\)$");
}

}  // namespace
}  // namespace weft::fault
