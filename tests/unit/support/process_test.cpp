#include "support/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <string>
#include <vector>

namespace weft::test {
namespace {

using std::chrono::steady_clock;

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST(Child, EndsWithTheValueOfItsBody) {
  EXPECT_EQ(Child::start([] { return 7; }).wait().exit_code, 7);
  EXPECT_TRUE(Child::start([] {}).wait().clean());
}

TEST(Child, TellsTheSignalThatEndedIt) {
  const Ending ending = Child::start([] { ::raise(SIGTERM); }).wait();
  EXPECT_EQ(ending.signal, SIGTERM);
  EXPECT_EQ(ending.shell_code(), 128 + SIGTERM);
  EXPECT_FALSE(ending.overdue);
}

TEST(Child, IsKilledWhenItsTimeIsUp) {
  Child child = Child::start([] { ::pause(); });
  const pid_t pid = child.pid();
  const Ending ending = child.wait(Milliseconds(50));
  EXPECT_TRUE(ending.overdue);
  EXPECT_EQ(ending.signal, SIGKILL);
  EXPECT_FALSE(alive(pid));
}

TEST(Child, IsKilledWhenNobodyWaitedForIt) {
  pid_t pid = 0;
  {
    const Child child = Child::start([] { ::pause(); });
    pid = child.pid();
    ASSERT_TRUE(alive(pid));
  }
  EXPECT_FALSE(alive(pid));
}

TEST(Child, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Child parent = Child::start([&] {
    Child grandchild = Child::start([] { ::pause(); });
    const pid_t pid = grandchild.pid();
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ::raise(SIGKILL);  // no destructor runs
  });
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_EQ(parent.wait().signal, SIGKILL);
  // Nobody may be there to reap it, so a zombie is as good as gone.
  EXPECT_TRUE(eventually([&] {
    std::ifstream file("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    file >> pid >> name >> state;
    return state.empty() || state == "Z";
  }));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(WaitAll, NamesTheChildrenThatFailed) {
  std::vector<Child> children;
  children.push_back(Child::start([] { return 0; }));
  children.push_back(Child::start([] { return 5; }));
  std::string why;
  EXPECT_FALSE(wait_all(children, default_limit(), &why));
  EXPECT_EQ(why, "child 1: exit code 5\n");
}

TEST(Run, CollectsBothStreamsAndTheExitCode) {
  const Output output = run({{"sh", "-c", "echo out; echo err >&2; exit 4"}, {}, {}, {}});
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  EXPECT_EQ(output.ending.exit_code, 4);
  EXPECT_FALSE(output.held_open);
}

TEST(Run, SetsAndRemovesVariables) {
  ::setenv("WEFT_TEST_REMOVED", "yes", 1);
  const Output output = run({{"sh", "-c", "echo $WEFT_TEST_ADDED ${WEFT_TEST_REMOVED-gone}"},
                             {"WEFT_TEST_ADDED=a b", "WEFT_TEST_REMOVED"},
                             {},
                             "/"});
  EXPECT_EQ(output.out, "a b gone\n");
}

TEST(Run, ReturnsMuchOutputWhole) {
  const Output output = run({{"sh", "-c", "head -c 3000000 /dev/zero"}, {}, {}, {}});
  EXPECT_EQ(output.out.size(), 3000000U);
}

TEST(Run, GoesOnWhileSomethingIsPrintedWhereItMay) {
  Command steady{{"sh", "-c", "for i in 1 2 3 4 5 6; do sleep 0.5; echo $i; done"}, {}, "", "", true};
  EXPECT_TRUE(run(steady, Milliseconds(2500)).ending.clean()) << "3 s in all, and never silent for long";
  Command silent{{"sh", "-c", "echo 1; sleep 60"}, {}, "", "", true};
  const Output output = run(silent, Milliseconds(300));
  EXPECT_TRUE(output.ending.overdue);
  EXPECT_EQ(output.out, "1\n");
}

TEST(Run, ReportsAProgramThatIsMissing) {
  const Output output = run({{"weft-no-such-program"}, {}, {}, {}});
  EXPECT_EQ(output.ending.exit_code, 127);
  EXPECT_NE(output.err.find("weft-no-such-program"), std::string::npos);
}

TEST(Run, KillsWhatIsOverdue) { EXPECT_TRUE(run({{"sleep", "50"}, {}, {}, {}}, Milliseconds(100)).ending.overdue); }

TEST(Run, DoesNotWaitForAChildThatKeepsTheOutputOpen) {
  const Output output = run({{"sh", "-c", "sleep 20 & echo $!"}, {}, {}, {}});
  EXPECT_TRUE(output.held_open);
  EXPECT_TRUE(output.ending.clean());
  (void)::kill(static_cast<pid_t>(std::stol(output.out)), SIGKILL);
}

TEST(ShellLine, CanBePastedIntoAShell) {
  EXPECT_EQ(shell_line({{"echo", "it's", "a b"}, {"A=1 2", "GONE"}, {}, "/tmp"}),
            "cd /tmp && 'A=1 2' echo 'it'\\''s' 'a b'");
}

}  // namespace
}  // namespace weft::test
