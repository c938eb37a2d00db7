// Signals sent to oshrun, SIGKILL included.
#include <csignal>

#include "job.hpp"

namespace weft::fault {
namespace {

class Signals : public JobTest {
 protected:
  // Three PEs, each with a child, all of which would go on for long.
  Running begin(const std::string& script = "sleep 1000; echo never") {
    Running running(command({"-n", "3", "/bin/sh", "-c", "echo ready; " + script}), files.path());
    EXPECT_TRUE(running.says(3, "ready")) << running.out();
    return running;
  }
};

TEST_F(Signals, EndTheJobAndGiveTheCode) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Running running = begin();
    running.signal(signal);
    const test::Ending ending = running.wait();
    EXPECT_EQ(ending.exit_code, 128 + signal) << ending.text();
    EXPECT_EQ(running.out(), "ready\nready\nready\n");
    EXPECT_EQ(running.err(), "");
  }
}

TEST_F(Signals, ReachThePesAsTheyAre) {
  Running running = begin("trap 'echo got int; exit 0' INT; while :; do sleep 0.01; done");
  ::usleep(50'000);  // the trap is set after the line has been written
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGINT);
  EXPECT_EQ(lines_with(running.out(), "got int"), 3) << running.out();
}

TEST_F(Signals, EndPesThatIgnoreThem) {
  Running running = begin("trap '' INT TERM; while :; do sleep 1000; done");
  ::usleep(50'000);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGINT);
}

TEST_F(Signals, OfTheUserAreForwarded) {
  Running running = begin("trap 'trap \"exit 0\" USR2; echo got it' USR2; while :; do sleep 0.01; done");
  ::usleep(50'000);
  running.signal(SIGUSR2);
  EXPECT_TRUE(running.says(3, "got it")) << running.out();
  running.signal(SIGUSR2);
  EXPECT_EQ(running.wait().exit_code, 0);
}

TEST_F(Signals, StopAndContinueTheJob) {
  Running running = begin("i=0; while [ $i -lt 1000000 ]; do echo $i; i=$((i+1)); sleep 0.01; done");
  running.signal(SIGTSTP);
  std::string before;
  EXPECT_TRUE(test::eventually([&] {
    before = running.out();
    ::usleep(100'000);
    return running.out() == before;
  }));
  running.signal(SIGCONT);
  EXPECT_TRUE(test::eventually([&] { return running.out().size() > before.size(); }));
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGTERM);
}

TEST_F(Signals, NohupIsRespected) {
  test::Command immune = command({"-n", "2", "/bin/sh", "-c", "echo ready; sleep 0.5; echo done"});
  immune.arguments.insert(immune.arguments.begin(), {"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""});
  Running running(immune, files.path());
  EXPECT_TRUE(running.says(2, "ready"));
  running.signal(SIGHUP);
  EXPECT_EQ(running.wait().exit_code, 0);
  EXPECT_EQ(lines_with(running.out(), "done"), 2) << running.out();
}

TEST_F(Signals, IgnoredSigchldDoesNotConfuse) {
  test::Command odd = command({"-n", "2", "/bin/sh", "-c", "exit 3"});
  odd.arguments.insert(odd.arguments.begin(), {"/usr/bin/env", "--ignore-signal=CHLD"});
  const Output output = test::run(odd);
  EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text() << output.err;
}

TEST_F(Signals, KillNineLeavesNothing) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the guard shares its memory with the launcher, which TSan's run-time does not survive";
#endif
  Running running = begin();
  running.signal(SIGKILL);
  EXPECT_EQ(running.wait().signal, SIGKILL);
  EXPECT_TRUE(test::eventually([&] { return test::processes(mark).empty(); }));
}

TEST_F(Signals, KillNineInTheMiddleOfAStartLeavesNothing) {
  for (int delay = 0; delay < 8000; delay += 400) {
    Running running(command({"-n", "8", "/bin/sh", "-c", "sleep 1000; echo"}), files.path());
    ::usleep(static_cast<useconds_t>(delay));
    running.signal(SIGKILL);
    (void)running.wait();
    ASSERT_TRUE(test::eventually([&] { return test::processes(mark).empty(); })) << "after " << delay << " us";
  }
}

// Of oshrun, and of what watches over it.
class KillNine : public Signals {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the guards share their memory with the launcher, which TSan's run-time does not survive";
#endif
  }
  void TearDown() override {
    for (const pid_t pid : hidden()) (void)::kill(pid, SIGKILL);
    Signals::TearDown();
    for (const int pe : {0, 1, 2}) (void)::unlink(note(pe).c_str());
  }
  std::string note(int pe) const { return files.path() + "/hidden." + std::to_string(pe); }
  // Processes that nobody finds by parent, group, session, environment or open files; each has noted its id.
  std::vector<pid_t> hidden() const {
    std::vector<pid_t> pids;
    for (const int pe : {0, 1, 2}) {
      const pid_t pid = std::atoi(content(note(pe)).c_str());
      if (pid > 1 && ::kill(pid, 0) == 0) pids.push_back(pid);
    }
    return pids;
  }
  // Each PE a shell with a child of its group, one of a session of its own, and one of the above.
  static std::string script(const std::string& folder) {
    return "(setsid env -i /bin/sh -c 'echo $$ >" + folder +
           "/hidden.'$WEFT_PE'; exec sleep 1000' </dev/null >/dev/null 2>&1 &); setsid sleep 1000 & sleep 1000; echo";
  }
  Running begin() {
    Running running = Signals::begin(script(files.path()));
    EXPECT_TRUE(test::eventually([&] { return hidden().size() == 3; }));
    return running;
  }
  std::vector<pid_t> guards() const {
    std::vector<pid_t> found;
    for (const test::Process& process : test::processes(mark)) {
      if (content("/proc/" + std::to_string(process.pid) + "/comm") == "oshrun-guard\n") found.push_back(process.pid);
    }
    return found;
  }
  /// Each names itself when it first runs, which may be after the job's programs have.
  std::vector<pid_t> both_guards() const {
    EXPECT_TRUE(test::eventually([&] { return guards().size() == 2; }));
    return guards();
  }
  void expect_nothing() const {
    EXPECT_TRUE(test::eventually([&] { return test::processes(mark).empty() && hidden().empty(); }));
  }
};

TEST_F(KillNine, LeavesNoSessionOfItsOwn) {
  Running running = begin();
  running.signal(SIGKILL);
  (void)running.wait();
  expect_nothing();
}

TEST_F(KillNine, WithAGuardLeavesNothing) {
  for (const std::size_t which : {0U, 1U}) {
    Running running = begin();
    const std::vector<pid_t> found = both_guards();
    ASSERT_EQ(found.size(), 2U);
    (void)::kill(found[which], SIGKILL);
    running.signal(SIGKILL);
    (void)running.wait();
    expect_nothing();
  }
}

TEST_F(KillNine, OfGuardsBringsOthers) {
  Running running = begin();
  for (int times = 0; times < 3; ++times) {
    const std::vector<pid_t> found = both_guards();
    ASSERT_EQ(found.size(), 2U);
    for (const pid_t pid : found) (void)::kill(pid, SIGKILL);
    EXPECT_TRUE(test::eventually([&] {
      const std::vector<pid_t> now = guards();
      return now.size() == 2 && now[0] != found[0] && now[0] != found[1] && now[1] != found[1];
    }));
  }
  running.signal(SIGKILL);
  (void)running.wait();
  expect_nothing();
}

// The guards of the inner job wear what the outer one's look for, and still have work to do.
TEST_F(KillNine, OfAJobEndsTheJobWithinIt) {
  Running running(command({"-n", "1", oshrun(), "-n", "3", "/bin/sh", "-c", "echo ready; " + script(files.path())}),
                  files.path());
  ASSERT_TRUE(running.says(3, "ready")) << running.out();
  ASSERT_TRUE(test::eventually([&] { return hidden().size() == 3; }));
  running.signal(SIGKILL);
  (void)running.wait();
  expect_nothing();
}

}  // namespace
}  // namespace weft::fault
