#include "support/leftovers.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace weft::test {
namespace {

constexpr Milliseconds kSoon{200};

TEST(Leftovers, NothingWasLeft) {
  const Mark mark;
  const TemporaryDirectory files;
  (void)run({{"true"}, {mark.assignment()}, {}, {}});
  EXPECT_EQ(leftovers(mark, files, kSoon), "");
}

TEST(Leftovers, FindsAProcessThatLeftItsParentAndKillsIt) {
  const Mark mark;
  const TemporaryDirectory files;
  const Output output = run({{"sh", "-c", "setsid sleep 50 >/dev/null 2>&1 &"}, {mark.assignment()}, {}, {}});
  ASSERT_TRUE(output.ending.clean());
  ASSERT_TRUE(
      eventually([&] { return leftovers(mark, files, Milliseconds(0)).find("sleep 50") != std::string::npos; }));
  kill_all(mark);
  EXPECT_TRUE(processes(mark).empty());
}

// The process exists when the command has ended, but may be in one of its two execs. One look must find it all the
// same.
TEST(Leftovers, FindsAProcessInTheMiddleOfExec) {
  for (int i = 0; i < 100; ++i) {
    const Mark mark;
    const TemporaryDirectory files;
    const Output output = run({{"sh", "-c", "setsid sleep 50 >/dev/null 2>&1 &"}, {mark.assignment()}, {}, {}});
    ASSERT_TRUE(output.ending.clean());
    ASSERT_FALSE(processes(mark).empty()) << "round " << i;
    kill_all(mark);
  }
}

TEST(Leftovers, DoesNotFindTheProcessesOfAnotherTest) {
  const Mark mine;
  const Mark other;
  const Output output = run({{"sh", "-c", "setsid sleep 50 >/dev/null 2>&1 &"}, {other.assignment()}, {}, {}});
  ASSERT_TRUE(output.ending.clean());
  ASSERT_TRUE(eventually([&] { return !processes(other).empty(); }));
  EXPECT_TRUE(processes(mine).empty());
  kill_all(other);
}

TEST(Leftovers, FindsFiles) {
  const Mark mark;
  const TemporaryDirectory files;
  std::ofstream(files.path() + "/forgotten") << "x";
  EXPECT_EQ(leftovers(mark, files, kSoon), "temporary file forgotten\n");
}

TEST(Leftovers, WaitsForWhatIsJustGoing) {
  const Mark mark;
  const TemporaryDirectory files;
  const Output output = run({{"sh", "-c", "setsid sleep 0.3 >/dev/null 2>&1 &"}, {mark.assignment()}, {}, {}});
  ASSERT_TRUE(output.ending.clean());
  EXPECT_EQ(leftovers(mark, files, default_limit()), "");
}

TEST(TemporaryDirectory, IsRemovedWithItsFiles) {
  std::string path;
  {
    const TemporaryDirectory files;
    path = files.path();
    std::ofstream(path + "/file") << "x";
    EXPECT_EQ(files_in(path).size(), 1U);
  }
  EXPECT_TRUE(files_in(path).empty());
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

}  // namespace
}  // namespace weft::test
