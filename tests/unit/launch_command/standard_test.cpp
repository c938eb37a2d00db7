// What the MPI standard says of mpiexec (MPI 4.1, section 11.5), and what its users type beside that.
#include <gtest/gtest.h>

#include <fstream>

#include "launch/command/arguments.hpp"
#include "line.hpp"
#include "support/leftovers.hpp"

namespace weft::launch::command {
namespace {

using Texts = std::vector<std::string>;

TEST(Standard, StartsOneRankWithoutANumber) {
  EXPECT_EQ((*Line("p", "mpiexec").result).n_pes, 1);
  EXPECT_EQ((*Line("p : -n 2 q", "mpirun").result).n_pes, 3);
  EXPECT_EQ((*Line("-ppn 3 p", "mpirun").result).n_pes, 3);
  EXPECT_EQ(Line("p").error(), "the number of PEs is missing; use: oshrun -n 4 p");
}

TEST(Standard, SoftLeavesTheLargestNumber) {
  EXPECT_EQ((*Line("-n 10 -soft 1:16:4 p").result).n_pes, 9);
  EXPECT_EQ((*Line("-soft 2,6 p").result).n_pes, 6);
  EXPECT_EQ((*Line("-n 3 -soft 2,6 p : -n 4 q").result).n_pes, 6);
  EXPECT_EQ(Line("-n 3 -soft 4:8 p").error(), "-soft 4:8: no number from 1 to 3 is in it");
  EXPECT_EQ(Line("-n 3 -soft 4- p").error(),
            "-soft 4-: no list of numbers; write 4,8 or 2:16 or, for each second one, 2:16:2");
}

TEST(Standard, ArchIsThatOfAllHosts) {
#if defined(__x86_64__)
  EXPECT_EQ((*Line("-n 2 -arch x86_64 p").result).n_pes, 2);
  EXPECT_EQ((*Line("-n 2 --arch=amd64 p").result).n_pes, 2);
  EXPECT_EQ(Line("-n 2 -arch sparc p").error(),
            "-arch sparc: all hosts of a job are of the kind of this one, x86_64; leave it out");
#endif
}

TEST(Standard, EachPartHasItsFolderPathAndVariables) {
  const Line line("-n 1 -wdir a -path /x:/y -env A 1 -x C=3 p : -n 1 -wdir b -env B=2 q : r");
  ASSERT_TRUE(line.result) << line.error();
  EXPECT_EQ((*line.result).work_dir, "");
  EXPECT_EQ(line.part(0).work_dir, "a");
  EXPECT_EQ(line.part(1).work_dir, "b");
  EXPECT_EQ(line.part(2).work_dir, "b") << "as in the part before it";
  EXPECT_EQ(line.part(2).path, "/x:/y");
  EXPECT_EQ(line.part(0).environment, (Texts{"A=1"}));
  EXPECT_EQ(line.part(1).environment, (Texts{"B=2"}));
  EXPECT_EQ(line.part(2).environment, Texts{});
  EXPECT_EQ((*line.result).environment, (Texts{"C=3"}));
}

TEST(Standard, WhatAllPartsHaveIsTheJobs) {
  const Line line("-n 1 -wdir a -host x,y p : q");
  ASSERT_TRUE(line.result) << line.error();
  EXPECT_EQ((*line.result).work_dir, "a");
  EXPECT_EQ((*line.result).hosts, "x,y");
  EXPECT_EQ(line.part(0).work_dir + line.part(1).hosts, "");
  EXPECT_FALSE(parts_have_hosts(*line.result));
}

TEST(Standard, PartsHaveHostsOfTheirOwn) {
  const Line line("-n 1 -host x p : -n 2 -host y q");
  ASSERT_TRUE(line.result) << line.error();
  EXPECT_TRUE(parts_have_hosts(*line.result));
  EXPECT_EQ((*line.result).hosts, "");
  EXPECT_EQ(line.part(1).hosts, "y");
  EXPECT_EQ(Line("-n 1 -H z -host x p : -n 2 -host y q").error(),
            "--host with --hosts: both say where the job runs; leave one of them out");
  EXPECT_EQ(Line("-n 1 -f z -host x p").error(),
            "--host with --hostfile: both say where the job runs; leave one of them out");
}

TEST(Standard, AFileHasOptionsOfAPart) {
  const test::TemporaryDirectory files;
  const std::string path = files.path() + "/f";
  std::ofstream(path) << "# two of them\n-n 2\n-env A 'x y' -wdir d\n";
  const Line line("-file " + path + " p x : --file=" + path + " -n 3 q");
  ASSERT_TRUE(line.result) << line.error();
  EXPECT_EQ((*line.result).n_pes, 5);
  EXPECT_EQ(line.part(0).environment, (Texts{"A=x y"}));
  EXPECT_EQ(line.program(), "p x");
  EXPECT_EQ((*line.result).work_dir, "d");
  for (const std::string text : {"-n 2 ./p", "-file x", "-n 2 --file=x"}) {
    std::ofstream(path) << text;
    EXPECT_NE(Line("-file " + path + " p").error().find(": only options of one program stand in such a file"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(Line("-file").error(), "-file needs a value: --file FILE; see oshrun --help");
}

TEST(Standard, AConfigFileHasPartsOnItsLines) {
  const test::TemporaryDirectory files;
  const std::string path = files.path() + "/f";
  std::ofstream(path) << "# Form B\n-n 2 p 'x y'\n-n 3 \\\n q\nr\n";
  for (const char* option : {"-configfile ", "--configfile=", "--app "}) {
    const Line line(option + path, "mpiexec");
    ASSERT_TRUE(line.result) << line.error();
    EXPECT_EQ((*line.result).n_pes, 6);
    EXPECT_STREQ(line.part(0).words[1], "x y");
    EXPECT_EQ(line.program(1), "q");
    EXPECT_EQ(line.program(2), "r");
  }
  EXPECT_EQ(Line("-configfile " + path + " -v").error(),
            "-configfile is alone on the command line; write all options into the file");
  EXPECT_EQ(Line("-v -configfile " + path).error(),
            "-configfile: it is alone on the command line; write all options into the file");
  std::ofstream(path) << "# nothing\n";
  EXPECT_EQ(Line("-configfile " + path).error(), "no program given; use: oshrun -n 4 ./program, or see oshrun --help");
  EXPECT_EQ(Line("-configfile").error(),
            "-configfile needs a value: the file with a program and its options on each line");
}

TEST(Standard, UnitsAsOpenMpiHasThem) {
  EXPECT_EQ((*Line("-n 2 --bind-to core:overload-allowed p").result).bind_to, "core");
  EXPECT_EQ((*Line("-n 2 --bind-to package p").result).bind_to, "socket");
  EXPECT_EQ((*Line("-n 2 --bind-to core --map-by package:OVERSUBSCRIBE p").result).map_by, "socket");
  EXPECT_EQ((*Line("--map-by ppr:2:node:oversubscribe -H a,b p").result).per_host, 2);
  EXPECT_NE(Line("-n 2 --bind-to core:x p").error().find("--bind-to core:x: no such choice"), std::string::npos);
}

TEST(Standard, HelpSpeaksOfRanks) {
  const std::string text = help_text(Called("mpiexec"));
  EXPECT_EQ(text.find("usage: mpiexec -n N"), 0U);
  EXPECT_NE(text.find("number of ranks; 1 without it"), std::string::npos);
  EXPECT_EQ(text.find("PEs"), std::string::npos);
  EXPECT_NE(text.find("begin each line of rank 3's output"), std::string::npos);
}

}  // namespace
}  // namespace weft::launch::command
