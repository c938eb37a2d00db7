// Jobs that cannot start: one line that says why, the exit code of shells, nothing started.
#include <sys/stat.h>

#include "job.hpp"

namespace weft::fault {
namespace {

class Start : public JobTest {
 protected:
  // Runs oshrun, expects this exit code, and returns the one line it said.
  std::string refusal(Words arguments, int exit_code) const {
    const Output output = job(std::move(arguments));
    EXPECT_EQ(output.ending.exit_code, exit_code) << output.ending.text() << "\n" << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(output.err.rfind("oshrun: ", 0), 0U) << output.err;
    EXPECT_EQ(output.err.find('\n'), output.err.size() - 1) << output.err;
    return output.err;
  }
  std::string make(const std::string& name, const std::string& text, mode_t mode) const {
    const std::string path = files.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  void TearDown() override {
    JobTest::TearDown();
    std::system(("rm -rf " + files.path() + "/*").c_str());
  }
};

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
}

TEST_F(Start, WithoutAProgram) {
  expect_part(refusal({}, 2), "no program given");
  expect_part(refusal({"-n", "3"}, 2), "no program given");
}

TEST_F(Start, WithoutANumber) { expect_part(refusal({"/bin/true"}, 2), "oshrun -n 4 /bin/true"); }

TEST_F(Start, WithAWrongNumber) {
  expect_part(refusal({"-n", "0", "/bin/true"}, 2), "from 1 to 1048576");
  expect_part(refusal({"-n", "5000", "/bin/true"}, 2), "5000 PEs: one host runs 4096 at most; name several (--hosts");
  expect_part(refusal({"-n", "two", "/bin/true"}, 2), "two: not a whole number");
}

TEST_F(Start, WithAnUnknownOption) {
  expect_part(refusal({"--verbos", "-n", "2", "/bin/true"}, 2), "did you mean --verbose?");
}

TEST_F(Start, OfAProgramThatIsMissing) {
  expect_part(refusal({"-n", "4", "./no-such-program"}, 127), "./no-such-program: no such file");
  expect_part(refusal({"-n", "4", "no-such-program"}, 127), "no-such-program: not found in PATH");
}

TEST_F(Start, OfSomethingThatIsNoProgram) {
  expect_part(refusal({"-n", "2", files.path()}, 126), "is a directory");
  expect_part(refusal({"-n", "2", make("text", "text\n", 0644)}, 126), "is not executable");
  expect_part(refusal({"-n", "2", make("noise", std::string("\1\0\2", 3), 0755)}, 126), "not a program");
  expect_part(refusal({"-n", "2", make("script", "#!/no/such/shell\n", 0755)}, 127), "interpreter /no/such/shell");
}

TEST_F(Start, OfAScriptWithoutAFirstLine) {
  const Output output = job({"-n", "2", make("plain", "echo plain $1 $WEFT_PE\n", 0755), "script"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "plain script 0"), 1) << output.out;
  EXPECT_EQ(lines_with(output.out, "plain script 1"), 1) << output.out;
}

TEST_F(Start, WithABadSize) {
  for (const char* text : {"", "x", "-1", "0", "12q", "nan"}) {
    environment = {std::string("SHMEM_SYMMETRIC_SIZE=") + text};
    expect_part(refusal({"-n", "2", "/bin/true"}, 1), std::string("SHMEM_SYMMETRIC_SIZE=") + text + " ");
  }
}

TEST_F(Start, WithMoreHeapThanMemory) {
  environment = {"SHMEM_SYMMETRIC_SIZE=100t"};
  const std::string line = refusal({"-n", "3", "/bin/true"}, 1);
  expect_part(line, "100 TiB for each of 3 PEs needs 300 TiB");
  expect_part(line, "WEFT_OVERCOMMIT=1");
  environment.push_back("WEFT_OVERCOMMIT=1");
  const Output output = job({"-n", "3", "/bin/true"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
}

TEST_F(Start, WithTooFewOpenFiles) {
  const Output output = test::run(limited("-n 64", {"-n", "64", "/bin/true"}));
  EXPECT_EQ(output.ending.exit_code, 1) << output.err;
  expect_part(output.err, "oshrun: 64 PEs need 160 open files and the limit is 64");
}

TEST_F(Start, RaisesTheLimitOfOpenFilesForItselfOnly) {
  const Output output = test::run(limited("-S -n 24", {"-n", "16", "/bin/sh", "-c", "ulimit -n"}));
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "24"), 16) << output.out;
}

// Root has no such limit: as root the job is another user's.
TEST_F(Start, WithTooFewProcesses) {
  if (::getuid() != 0 || std::system("setpriv --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs root and setpriv";
  const std::string copy = files.path() + "/oshrun";
  std::ofstream(copy, std::ios::binary) << content(oshrun());
  ASSERT_EQ(::chmod(copy.c_str(), 0755) + ::chmod(files.path().c_str(), 0755), 0);
  test::Command crowded = limited("-u 12", {"-n", "40", "/bin/sleep", "1000"});
  crowded.arguments[3] = copy;
  crowded.arguments.insert(crowded.arguments.begin(), {"setpriv", "--reuid=64999", "--regid=64999", "--clear-groups"});
  const Output output = test::run(crowded);
  EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text();
  expect_part(output.err, "of 40: the limit of processes is reached");
  expect_part(output.err, "(ulimit -u, which is 12,");
  EXPECT_EQ(lines_with(output.err, ""), 1) << output.err;
}

TEST_F(Start, WithTooSmallFiles) {
  const Output output = test::run(limited("-f 100", {"-n", "2", "/bin/true"}));
  EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text();
  expect_part(output.err, "oshrun: cannot give shared memory a size of ");
  expect_part(output.err, "ulimit -f unlimited");
}

TEST_F(Start, WithTooFewAddresses) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more itself";
#endif
  const Output output = test::run(limited("-v 1000000", {"-n", "2", WEFT_ACTOR, "quit", "leave"}));
  EXPECT_EQ(output.ending.exit_code, 1) << output.ending.text();
  expect_part(output.err, ": shmem_init: cannot reserve ");
  expect_part(output.err, "raise `ulimit -v`");
}

TEST_F(Start, WithClosedStandardDescriptors) {
  test::Command closed = command({"-n", "2", "/bin/sh", "-c", "cat; echo out; echo err >&2"});
  closed.arguments.insert(closed.arguments.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-"});
  const Output output = test::run(closed);
  EXPECT_EQ(output.ending.exit_code, 0);
  EXPECT_EQ(output.out + output.err, "");
}

// The first fails while the others are still being started.
TEST_F(Start, EndsWhenAPeFailsMeanwhile) {
  const Output output = job({"-v", "-n", "1000", "/bin/sh", "-c", "test $WEFT_PE = 0 && exit 3; exec sleep 1000"});
  EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text();
  EXPECT_EQ(lines_with(output.err, "exited with code 3"), 1);
  EXPECT_LT(lines_with(output.err, ") started"), 1000);
}

TEST_F(Start, EachPeKnowsItsNumber) {
  const Output output = shell(7, "echo PE $WEFT_PE of $WEFT_NPES");
  for (int pe = 0; pe < 7; ++pe) {
    EXPECT_EQ(lines_with(output.out, "PE " + std::to_string(pe) + " of 7"), 1) << output.out;
  }
}

TEST_F(Start, AJobInAJobIsItsOwn) {
  const Output output = shell(2, "exec " + oshrun() + " -n 3 /bin/sh -c 'echo PE $WEFT_PE of $WEFT_NPES'");
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  for (int pe = 0; pe < 3; ++pe) {
    EXPECT_EQ(lines_with(output.out, "PE " + std::to_string(pe) + " of 3"), 2) << output.out;
  }
}

TEST_F(Start, HelpAndVersionGoToStdout) {
  const Output help = job({"--help"});
  EXPECT_EQ(help.ending.exit_code, 0);
  EXPECT_EQ(help.out.rfind("usage: oshrun", 0), 0U) << help.out;
  EXPECT_EQ(help.err, "");
  const Output version = job({"--version"});
  EXPECT_EQ(version.ending.exit_code, 0);
  EXPECT_EQ(version.out.rfind("Weft ", 0), 0U) << version.out;
}

TEST_F(Start, InfoAndVersionComeOncePerJob) {
  environment = {"SHMEM_INFO=", "SHMEM_VERSION=1"};
  const Output output = shell(4, "echo a PE speaks");
  EXPECT_EQ(lines_with(output.out, "  SHMEM_SYMMETRIC_SIZE"), 1) << output.out;
  EXPECT_EQ(lines_with(output.out, "(OpenSHMEM 1.6)"), 1) << output.out;
  EXPECT_EQ(lines_with(output.out, "a PE speaks"), 4) << output.out;
}

}  // namespace
}  // namespace weft::fault
