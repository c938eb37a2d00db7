// What the options of oshrun do to a job, seen from outside.
#include <sys/stat.h>

#include <algorithm>

#include "job.hpp"

namespace weft::fault {
namespace {

class OshrunOptions : public JobTest {
 protected:
  void TearDown() override {
    JobTest::TearDown();
    std::system(("rm -rf " + files.path() + "/*").c_str());
  }
  std::string in_files(const std::string& name) const { return files.path() + "/" + name; }
  void expect_refusal(Words arguments, int exit_code, const std::string& part) const {
    const Output output = job(std::move(arguments));
    EXPECT_EQ(output.ending.exit_code, exit_code) << output.err;
    EXPECT_NE(output.err.find(part), std::string::npos) << "'" << part << "' is missing in: " << output.err;
    EXPECT_EQ(lines_with(output.err, ""), 1) << output.err;
  }
};

TEST_F(OshrunOptions, TagOutputTagsEveryLine) {
  const Output output =
      job({"-n", "3", "--tag-output", "/bin/sh", "-c", "echo one; echo; echo err >&2; printf \"last $WEFT_PE\""});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  for (const std::string pe : {"0", "1", "2"}) {
    const std::string tag = "[" + pe + "] ";
    // Lines of other PEs may come between.
    const std::size_t one = output.out.find(tag + "one\n");
    const std::size_t empty = output.out.find(tag + "\n");
    const std::size_t last = output.out.find(tag + "last " + pe + "\n");
    EXPECT_TRUE(one < empty && empty < last && last != std::string::npos) << output.out;
    EXPECT_EQ(lines_with(output.err, tag + "err"), 1) << output.err;
  }
  EXPECT_EQ(lines_with(output.out, "["), 9) << output.out;
}

TEST_F(OshrunOptions, TagOutputHoldsForOnePe) {
  EXPECT_EQ(job({"-n", "1", "--tag-output", "/bin/sh", "-c", "printf 'a\\nb'"}).out, "[0] a\n[0] b\n");
}

TEST_F(OshrunOptions, OutputDirHoldsTheOutputOfEachPe) {
  const std::string folder = in_files("a/b");
  for (int run = 0; run < 2; ++run) {  // the second time the files are there
    const Output output =
        job({"-n", "3", "--output-dir", folder, "/bin/sh", "-c", "echo $WEFT_PE; echo err >&2; exit 0"});
    EXPECT_EQ(output.ending.exit_code, 0) << output.err;
    EXPECT_EQ(output.out + output.err, "");
    for (const std::string pe : {"0", "1", "2"}) {
      EXPECT_EQ(content(folder + "/pe." + pe + ".out"), pe + "\n");
      EXPECT_EQ(content(folder + "/pe." + pe + ".err"), "err\n");
    }
  }
}

TEST_F(OshrunOptions, OutputDirThatCannotBe) {
  std::ofstream(in_files("file")).close();
  expect_refusal({"-n", "2", "--output-dir", in_files("file"), "/bin/true"}, 1,
                 "file: cannot make or open this folder");
  expect_refusal({"-n", "2", "--output-dir", in_files("file/x"), "/bin/true"}, 1, "Not a directory");
  ASSERT_EQ(::mkdir(in_files("d").c_str(), 0755) + ::mkdir(in_files("d/pe.1.err").c_str(), 0755), 0);
  expect_refusal({"-n", "2", "--output-dir", in_files("d"), "/bin/sleep", "1000"}, 1, "cannot write to pe.1.err there");
}

TEST_F(OshrunOptions, TimeoutEndsTheJobAndSaysWhoWaits) {
  const Output output = job({"-n", "3", "--timeout", "1s", WEFT_ACTOR, "barrier", "sleep"});
  EXPECT_EQ(output.ending.exit_code, 124) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: the job has not ended within 1s (--timeout); 3 of 3 PEs had not finished"),
            1)
      << output.err;
  EXPECT_EQ(lines_with(output.err, "PEs 0, 1 have waited up to "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "PE 2 does not wait in Weft; its last call there was "), 1) << output.err;
}

TEST_F(OshrunOptions, TimeoutLeavesAJobAloneThatEnds) {
  const Output output = job({"-n", "2", "--timeout", "1h", "/bin/sh", "-c", "exit 0"});
  EXPECT_EQ(output.ending.exit_code, 0);
  EXPECT_EQ(output.err, "");
}

TEST_F(OshrunOptions, TimeoutEndsAPeThatIgnoresSigterm) {
  const Output output =
      job({"-n", "2", "--timeout", "0.3", "/bin/sh", "-c", "trap '' TERM; while :; do sleep 1; done"});
  EXPECT_EQ(output.ending.exit_code, 124) << output.err;
  EXPECT_EQ(lines_with(output.err, "PEs 0, 1: each has not loaded Weft"), 1) << output.err;
}

TEST_F(OshrunOptions, WdirIsWhereThePesRunAndThePathBegins) {
  const std::string folder = in_files("work");
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  std::ofstream(folder + "/here") << "#!/bin/sh\npwd\n";
  ASSERT_EQ(::chmod((folder + "/here").c_str(), 0755), 0);
  EXPECT_EQ(job({"-n", "2", "--wdir", folder, "./here"}).out, folder + "\n" + folder + "\n");
  test::Command relative = command({"-n", "1", "--wdir", "/", "--output-dir", "out", "/bin/pwd"});
  relative.directory = folder;
  EXPECT_TRUE(test::run(relative).ending.clean());
  EXPECT_EQ(content(folder + "/out/pe.0.out"), "/\n") << "the folder of the output is where oshrun was started";
  expect_refusal({"-n", "2", "--wdir", folder + "/none", "/bin/true"}, 1, "none: cannot go there: No such file");
}

TEST_F(OshrunOptions, EnvOverridesAndReachesOshrunItself) {
  environment = {"WEFT_TEST_A=old", "WEFT_TEST_B=kept"};
  const Output output =
      job({"-n", "2", "--env", "WEFT_TEST_A=new", "--env", "WEFT_TEST_B", "--env=WEFT_TEST_C=", "/bin/sh", "-c",
           "echo $WEFT_TEST_A $WEFT_TEST_B ${WEFT_TEST_C-unset}."});
  EXPECT_EQ(output.out, "new kept .\nnew kept .\n");
  expect_refusal({"-n", "2", "--env", "SHMEM_SYMMETRIC_SIZE=12q", "/bin/true"}, 1, "SHMEM_SYMMETRIC_SIZE=12q");
}

// Each PE finds itself where the report says, whatever machine this is.
TEST_F(OshrunOptions, ReportBindingsTellsWhereEachPeRuns) {
  for (const std::string unit : {"none", "core", "socket", "numa"}) {
#ifndef WEFT_BINDS
    if (unit != "none") continue;
#endif
    const Output output = job({"-n", "3", "--bind-to", unit, "--report-bindings", "/bin/sh", "-c",
                               "set $(grep Cpus_allowed_list /proc/self/status); echo PE $WEFT_PE on $2"});
    EXPECT_EQ(output.ending.exit_code, 0) << output.err;
    const std::string verb = unit == "none" ? " is not bound: it may run on" : " is bound to";
    for (const std::string pe : {"0", "1", "2"}) {
      const std::string line = "oshrun: PE " + pe + verb + " processors ";
      const std::size_t at = output.err.find(line);
      ASSERT_NE(at, std::string::npos) << unit << ": " << output.err;
      const std::size_t list = at + line.size();
      const std::string cpus = output.err.substr(list, output.err.find('\n', list) - list);
      EXPECT_NE(output.out.find("PE " + pe + " on " + cpus + "\n"), std::string::npos) << cpus << "\n" << output.out;
    }
  }
}

TEST_F(OshrunOptions, BindingStaysWithinWhatMayBeUsed) {
#ifndef WEFT_BINDS
  GTEST_SKIP() << "built without hwloc";
#endif
  test::Command one = command({"-n", "2", "--bind-to", "socket", "--report-bindings", WEFT_MIXED_A, "heap"});
  one.arguments.insert(one.arguments.begin(), {"taskset", "-c", "0"});
  const Output output = test::run(one);
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.err, " is bound to processors 0"), 2) << output.err;
}

TEST_F(OshrunOptions, WithoutTheHelperBindingIsRefused) {
  const std::string copy = in_files("oshrun");
  std::ofstream(copy, std::ios::binary) << content(oshrun());
  ASSERT_EQ(::chmod(copy.c_str(), 0755), 0);
  test::Command alone = command({"-n", "2", "--bind-to", "core", "/bin/true"});
  alone.arguments[0] = copy;
  const Output output = test::run(alone);
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "; it comes with Weft when it is built with hwloc"), 1) << output.err;
  alone.arguments = {copy, "-n", "2", "/bin/true"};
  EXPECT_TRUE(test::run(alone).ending.clean());
}

TEST_F(OshrunOptions, StdinAllReachesEveryPe) {
  input = in_files("input");
  std::ofstream(input) << "one\ntwo\n";
  EXPECT_EQ(job({"-n", "3", "--stdin", "all", "cat"}).out, "one\ntwo\none\ntwo\none\ntwo\n");
  EXPECT_EQ(job({"-n", "1", "--stdin", "all", "cat"}).out, "one\ntwo\n");
  EXPECT_EQ(job({"-n", "3", "--stdin", "none", "cat"}).out, "");
  EXPECT_EQ(job({"-n", "3", "--stdin", "0", "cat"}).out, "one\ntwo\n");
}

// More than may be kept, to PEs of which one never reads, one leaves early, and the rest get every byte.
TEST_F(OshrunOptions, StdinAllSurvivesPesThatDoNotRead) {
  test::Command piped = command({"-n", "4", "--stdin", "all", "/bin/sh", "-c",
                                 "case $WEFT_PE in 0) exec <&-; sleep 1;; 1) exit 0;; *) wc -c;; esac"});
  piped.arguments.insert(piped.arguments.begin(), {"/bin/sh", "-c", "head -c 60000000 /dev/zero | \"$0\" \"$@\""});
  const Output output = test::run(piped);
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "60000000"), 2) << output.out;
}

TEST_F(OshrunOptions, StdinAllWaitsForASlowReader) {
  test::Command piped = command({"-n", "2", "--stdin", "all", "/bin/sh", "-c", "[ $WEFT_PE = 0 ] || sleep 0.5; wc -c"});
  piped.arguments.insert(piped.arguments.begin(), {"/bin/sh", "-c", "head -c 40000000 /dev/zero | \"$0\" \"$@\""});
  EXPECT_EQ(lines_with(test::run(piped).out, "40000000"), 2);
}

TEST_F(OshrunOptions, AsOtherLaunchersHaveThem) {
  const Output output = job({"-allow-run-as-root", "-oversubscribe", "-genv", "MINE", "one two", "-x", "YOURS=3", "-l",
                             "-wdir", files.path(), "-N", "2", "/bin/sh", "-c", "echo $WEFT_PE $MINE $YOURS; pwd"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, "[1] 1 one two 3"), 1) << output.out;
  EXPECT_EQ(lines_with(output.out, "[0] " + files.path()), 1) << output.out;
  const Output several = job({"/bin/sh", "-c", "echo $WEFT_PE of $WEFT_NPES", ":", "-n", "2", "/bin/echo", "b", ":",
                              "/bin/sh", "-c", "echo $WEFT_PE of $WEFT_NPES"});
  EXPECT_EQ(several.ending.exit_code, 0) << several.err;
  EXPECT_EQ(lines_with(several.out, "0 of 4"), 1) << several.out;
  EXPECT_EQ(lines_with(several.out, "3 of 4"), 1) << several.out;
  const Output foreign = job({"--mca", "btl", "tcp", "-n", "2", "/bin/true"});
  EXPECT_EQ(foreign.ending.exit_code, 2);
  EXPECT_EQ(lines_with(foreign.err, "oshrun: --mca: it sets components of Open MPI"), 1) << foreign.err;
}

}  // namespace
}  // namespace weft::fault
