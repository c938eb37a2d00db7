#include "launch/command/called.hpp"

#include <gtest/gtest.h>

namespace weft::launch::command {
namespace {

TEST(Called, ByItsFilesName) {
  EXPECT_FALSE(Called().for_mpi());
  EXPECT_EQ(Called().name(), "oshrun");
  for (const char* word : {"oshrun", "/usr/bin/oshrun", "./mpi", "xmpiexec", "mpiexec/oshrun", "mpiexecs", ""}) {
    EXPECT_EQ(Called(word).name(), "oshrun") << word;
  }
  for (const char* word : {"mpiexec", "/opt/weft/bin/mpiexec", "mpiexec.weft"}) {
    EXPECT_EQ(Called(word).name(), "mpiexec") << word;
    EXPECT_TRUE(Called(word).for_mpi()) << word;
  }
  EXPECT_EQ(Called("../mpirun").name(), "mpirun");
}

TEST(Called, OshrunSpeaksOfPes) {
  EXPECT_EQ(Called("oshrun").line("oshrun: PE 3 of oshrun"), "oshrun: PE 3 of oshrun");
}

TEST(Called, MpiexecSpeaksOfRanks) {
  const Called mpiexec("mpiexec");
  EXPECT_EQ(mpiexec.line("oshrun: PE 0 (pid 7) exited with code 3"), "mpiexec: rank 0 (pid 7) exited with code 3");
  EXPECT_EQ(mpiexec.line("oshrun:   PEs 0, 1 have waited"), "mpiexec:   ranks 0, 1 have waited");
  EXPECT_EQ(mpiexec.line("elements (PEs); see oshrun."), "elements (ranks); see mpiexec.");
  EXPECT_EQ(Called("mpirun").line("see oshrun --help"), "see mpirun --help");
  EXPECT_EQ(mpiexec.line(""), "");
}

TEST(Called, LeavesNamesAlone) {
  const Called mpiexec("mpiexec");
  for (const char* text : {"WEFT_PE=3", "/opt/oshrun/x", "oshrun-guard", "man oshrun", "OPEN", "SPECIAL", "-PE", "PE=2",
                           "oshrun.cpp", "x.PE", "moshrun", "oshrun/x"}) {
    EXPECT_EQ(mpiexec.line(text), text);
  }
}

}  // namespace
}  // namespace weft::launch::command
