// Several programs in one job: what works between them, and what ends with a line.
#include "job.hpp"

namespace weft::fault {
namespace {

using Programs = JobTest;

const std::string a = WEFT_MIXED_A;
const std::string b = WEFT_MIXED_B;

TEST_F(Programs, AreNumberedInTheOrderOfTheCommandLine) {
  const Output output = job({"-n", "2", "/bin/sh", "-c", "echo a $WEFT_PE of $WEFT_NPES $1", "sh", "x", ":", "-n", "3",
                             "/bin/sh", "-c", "echo b $WEFT_PE of $WEFT_NPES $1", "sh", "y"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  for (const char* line : {"a 0 of 5 x", "a 1 of 5 x", "b 2 of 5 y", "b 3 of 5 y", "b 4 of 5 y"}) {
    EXPECT_EQ(lines_with(output.out, line), 1) << line << "\n" << output.out;
  }
}

TEST_F(Programs, ShareTheHeapAndTheirOwnStaticData) {
  const Output output = job({"-n", "2", a, "heap", ":", "-n", "3", b, "heap"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "a: PE "), 2) << output.out;
  EXPECT_EQ(lines_with(output.out, " of 5, statics of 2 PEs, right"), 2) << output.out;
  EXPECT_EQ(lines_with(output.out, " of 5, statics of 3 PEs, right"), 3) << output.out;
}

TEST_F(Programs, TheSameOneTwiceIsOne) {
  const Output output = job({"-n", "1", a, "heap", ":", "-n", "2", a, "heap"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, " of 3, statics of 3 PEs, right"), 3) << output.out;
}

TEST_F(Programs, StaticDataOfAnotherOneEndsWithALine) {
  for (const char* how : {"put", "library-put", "get", "atomic"}) {
    const Output output = job({"-n", "2", a, how, "2", ":", "-n", "2", b, how, "2"});
    EXPECT_NE(output.ending.exit_code, 0) << how;
    EXPECT_EQ(lines_with(output.err,
                         "static data of this program, and PE 2 runs another program; between different "
                         "programs use memory from shmem_malloc"),
              1)
        << how << ": " << output.err;
    EXPECT_TRUE(job({"-n", "2", a, how, "1", ":", "-n", "2", b, how, "1"}).ending.clean()) << how;
  }
}

TEST_F(Programs, AnActiveSetOfBothEndsWithALine) {
  const Output output = job({"-n", "2", a, "psync", "0", ":", "-n", "2", b, "psync", "0"});
  EXPECT_NE(output.ending.exit_code, 0);
  EXPECT_GE(lines_with(output.err, "runs another program; between different programs use memory from shmem_malloc"), 1)
      << output.err;
  EXPECT_TRUE(job({"-n", "3", a, "psync", "0", ":", "-n", "1", b, "psync", "0"}).ending.clean());
}

TEST_F(Programs, ChosenByAScriptAreToldApartToo) {
  const std::string script = "if [ $WEFT_PE = 0 ]; then exec " + a + " put 1; else exec " + b + " put 1; fi";
  const Output output = shell(2, script);
  EXPECT_NE(output.ending.exit_code, 0);
  EXPECT_EQ(lines_with(output.err, "PE 1 runs another program"), 1) << output.err;
}

TEST_F(Programs, OneThatIsMissingStartsNone) {
  const Output output = job({"-n", "2", "/bin/sh", "-c", "echo started", ":", "-n", "2", "./no-such-program"});
  EXPECT_EQ(output.ending.exit_code, 127);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(lines_with(output.err, "./no-such-program: no such file"), 1) << output.err;
}

}  // namespace
}  // namespace weft::fault
