// How a job ends when its programs do: exit codes, signals, and what is left. No program here knows the library.
#include <csignal>

#include "job.hpp"

namespace weft::fault {
namespace {

using Endings = JobTest;

TEST_F(Endings, AllWell) {
  const Output output = shell(5, "exit 0");
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text();
  EXPECT_EQ(output.out + output.err, "");
}

TEST_F(Endings, TheCodeOfThePeThatFailed) {
  const Output output = shell(4, "test $WEFT_PE = 2 && exit 7; sleep 1000");
  EXPECT_EQ(output.ending.exit_code, 7) << output.ending.text();
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 2 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, ") exited with code 7; ending the job"), 1) << output.err;
}

TEST_F(Endings, ASignalThatEndedAPe) {
  for (const int signal : {SIGSEGV, SIGKILL, SIGABRT, SIGFPE}) {
    const Output output = shell(3, "test $WEFT_PE = 0 && kill -" + std::to_string(signal) + " $$; sleep 1000");
    EXPECT_EQ(output.ending.exit_code, 128 + signal) << output.ending.text();
    EXPECT_EQ(lines_with(output.err, "oshrun: PE 0 (pid "), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "was killed by signal " + std::to_string(signal) + " ("), 1) << output.err;
  }
}

// A core file would be written to where the test runs.
TEST_F(Endings, ACrashSaysHowToGetACoreFile) {
  const Output off = test::run(limited("-c 0", {"-n", "2", "/bin/sh", "-c", "kill -SEGV $$"}));
  EXPECT_EQ(lines_with(off.err, "ending the job; core dumps are off here (ulimit -c unlimited turns them on)"), 1)
      << off.err;
}

TEST_F(Endings, TheLimitThatEndedAPeIsNamed) {
  const Output time = test::run(limited("-S -t 1", {"-n", "2", "/bin/sh", "-c", "while :; do :; done"}));
  EXPECT_EQ(time.ending.exit_code, 128 + SIGXCPU) << time.ending.text();
  EXPECT_EQ(lines_with(time.err, "its processor time was up: ulimit -t is 1 s"), 1) << time.err;
}

TEST_F(Endings, PesThatIgnoreTermAreKilled) {
  const Output output = shell(3, "trap '' TERM; test $WEFT_PE = 1 && exit 4; while :; do sleep 1000; done");
  EXPECT_EQ(output.ending.exit_code, 4) << output.ending.text();
}

TEST_F(Endings, PesMayCleanUpWhenTerminated) {
  const Output output = shell(2,
                              "trap 'echo cleaned up; exit 0' TERM; test $WEFT_PE = 1 && { sleep 0.2; exit 4; }; "
                              "echo ready; while :; do sleep 0.01; done");
  EXPECT_EQ(output.ending.exit_code, 4) << output.ending.text();
  EXPECT_EQ(lines_with(output.out, "cleaned up"), 1) << output.out;
}

TEST_F(Endings, StoppedPesAreEndedToo) {
  const Output output = shell(2, "test $WEFT_PE = 1 && { sleep 0.2; exit 5; }; kill -STOP $$; sleep 1000");
  EXPECT_EQ(output.ending.exit_code, 5) << output.ending.text();
}

TEST_F(Endings, TheLastWordsOfAPeComeBeforeItsEndIsTold) {
  const Output output = shell(2, "test $WEFT_PE = 1 || sleep 1000; echo last words >&2; printf unfinished >&2; exit 3");
  const std::size_t words = output.err.find("last words\nunfinished\n");
  const std::size_t told = output.err.find("oshrun: PE 1 ");
  EXPECT_NE(words, std::string::npos) << output.err;
  EXPECT_NE(told, std::string::npos) << output.err;
  EXPECT_LT(words, told);
}

TEST_F(Endings, WhatAPeLeftBehindIsEnded) {
  const Output output = shell(3, "(setsid sleep 1000 &) ; sleep 1000 & echo gone");
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text();
  EXPECT_EQ(output.out, "gone\ngone\ngone\n");
}

TEST_F(Endings, AJobThatFailsEndsWhatItsPesHaveStarted) {
  const Output output = shell(3, "test $WEFT_PE = 1 && exit 9; (setsid sleep 1000 &); sleep 1000; echo never");
  EXPECT_EQ(output.ending.exit_code, 9) << output.ending.text();
  EXPECT_EQ(output.out, "");
}

TEST_F(Endings, APeThatHasLeftDoesNotEndTheOthers) {
  const Output output = shell(2, "test $WEFT_PE = 0 && exit 0; sleep 1.5; echo done");
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text();
  EXPECT_EQ(output.out, "done\n");
  EXPECT_EQ(output.err, "");
}

TEST_F(Endings, ManyJobsLeaveNothing) {
  for (int i = 0; i < 50; ++i) {
    const Output output = shell(4, "echo $WEFT_PE");
    ASSERT_EQ(output.ending.exit_code, 0) << output.ending.text() << output.err;
    ASSERT_EQ(output.out.size(), 8U) << output.out;
  }
}

TEST_F(Endings, VerboseTellsEveryEnd) {
  const Output output = job({"-v", "-n", "2", "/bin/sh", "-c", "exit 0"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text();
  EXPECT_EQ(lines_with(output.err, "oshrun: starting 2 PEs of /bin/sh"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, ") started"), 2) << output.err;
  EXPECT_EQ(lines_with(output.err, ") ended with exit code 0"), 2) << output.err;
}

}  // namespace
}  // namespace weft::fault
