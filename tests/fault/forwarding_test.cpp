// What PEs write and read: whole lines, every byte, and no wait without end.
#include <algorithm>
#include <map>

#include "job.hpp"

namespace weft::fault {
namespace {

using Forwarding = JobTest;

TEST_F(Forwarding, LinesOfDifferentPesNeverMix) {
  constexpr int kPes = 7;
  constexpr int kLines = 1000;
  // In pieces, as an unbuffered stream writes them.
  const Output output =
      shell(kPes, "i=0; while [ $i -lt " + std::to_string(kLines) +
                      " ]; do printf 'PE '; "
                      "printf \"$WEFT_PE line \"; echo \"$i abcdefghijklmnopqrstuvwxyz\"; i=$((i+1)); done");
  ASSERT_EQ(output.ending.exit_code, 0) << output.err;
  std::map<int, int> next;  // of each PE, in order
  std::istringstream lines(output.out);
  for (std::string line; std::getline(lines, line);) {
    int pe = -1;
    int number = -1;
    char rest[32] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "PE %d line %d %31s", &pe, &number, rest), 3) << line;
    EXPECT_EQ(std::string(rest), "abcdefghijklmnopqrstuvwxyz") << line;
    EXPECT_EQ(number, next[pe]++) << line;
  }
  for (int pe = 0; pe < kPes; ++pe) EXPECT_EQ(next[pe], kLines);
}

TEST_F(Forwarding, BothStreamsStayApart) {
  const Output output = shell(3, "echo out $WEFT_PE; echo err $WEFT_PE >&2");
  EXPECT_EQ(lines_with(output.out, "out "), 3) << output.out;
  EXPECT_EQ(lines_with(output.err, "err "), 3) << output.err;
  EXPECT_EQ(lines_with(output.out, "err") + lines_with(output.err, "out"), 0);
}

TEST_F(Forwarding, EveryByteArrives) {
  const Output output = shell(2, "head -c 20000000 /dev/zero; printf 'x\\n'");
  ASSERT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(output.out.size(), 2 * (20'000'000U + 2));
  EXPECT_EQ(std::count(output.out.begin(), output.out.end(), '\0'), 40'000'000);
}

TEST_F(Forwarding, ALineWithoutAnEndArrives) {
  const Output output = shell(1, "printf 'no newline'");
  EXPECT_EQ(output.out, "no newline");
}

TEST_F(Forwarding, APromptArrivesWhileThePeWaits) {
  Running running(command({"-n", "2", "/bin/sh", "-c", "test $WEFT_PE = 0 && printf 'name? '; sleep 1000"}),
                  files.path());
  EXPECT_TRUE(running.says(1, "name? "));
  running.signal(SIGTERM);
  (void)running.wait();
  ::unlink((files.path() + "/out").c_str());
}

TEST_F(Forwarding, OnlyPe0ReadsTheInput) {
  input = files.path() + "/input";
  std::ofstream(input) << "one\ntwo\nthree\n";
  const Output output = shell(3, "while read line; do echo $WEFT_PE got $line; done");
  std::ofstream(input).close();
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "0 got one\n0 got two\n0 got three\n");
}

TEST_F(Forwarding, LargeInputThroughAPipe) {
  test::Command piped = command({"-n", "2", "/bin/sh", "-c", "cat | wc -c"});
  piped.arguments.insert(piped.arguments.begin(), {"/bin/sh", "-c", "head -c 30000000 /dev/zero | \"$0\" \"$@\""});
  const Output output = test::run(piped);
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "30000000"), 1) << output.out;
  EXPECT_EQ(lines_with(output.out, "0"), 2) << output.out;
}

TEST_F(Forwarding, AReaderThatLeavesEndsTheJobQuietly) {
  test::Command piped = command({"-n", "3", "yes"});
  piped.arguments.insert(piped.arguments.begin(),
                         {"/bin/bash", "-c", "\"$0\" \"$@\" | head -n 2; echo ${PIPESTATUS[0]}"});
  const Output output = test::run(piped);
  EXPECT_FALSE(output.ending.overdue);
  EXPECT_EQ(output.out, "y\ny\n141\n");
  EXPECT_EQ(output.err, "");
}

TEST_F(Forwarding, AFullDiskIsTold) {
  test::Command full = command({"-n", "2", "/bin/sh", "-c", "while :; do echo x || exit 3; done"});
  full.arguments.insert(full.arguments.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" >/dev/full"});
  const Output output = test::run(full);
  EXPECT_FALSE(output.ending.overdue);
  EXPECT_NE(output.ending.exit_code, 0);
  EXPECT_EQ(lines_with(output.err, "oshrun: cannot pass on the output: No space left on device"), 1) << output.err;
}

TEST_F(Forwarding, ASlowReaderGetsItAllAndSignalsStillWork) {
  test::Command slow = command({"-n", "2", "/bin/sh", "-c", "seq 200000"});
  slow.arguments.insert(slow.arguments.begin(), {"/bin/sh", "-c", "\"$0\" \"$@\" | { sleep 0.5; wc -l; }"});
  EXPECT_EQ(lines_with(test::run(slow).out, "400000"), 1);

  // The reader never reads: the launcher must not be stuck in a write when it is told to end.
  test::Command stuck = command({"-n", "2", "yes"});
  stuck.arguments.insert(stuck.arguments.begin(),
                         {"/bin/bash", "-c",
                          "\"$0\" \"$@\" > >(exec sleep 3) & sleep 0.5; kill -TERM $!; wait $!; "
                          "echo ended $?"});
  const Output output = test::run(stuck);
  EXPECT_FALSE(output.ending.overdue);
  EXPECT_EQ(lines_with(output.out, "ended 143"), 1) << output.out << output.err;
}

}  // namespace
}  // namespace weft::fault
