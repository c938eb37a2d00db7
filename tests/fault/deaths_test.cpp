// Every way in which a PE, the launcher or what is around them can die, in jobs of few and of many PEs: the job ends
// soon, the message names the culprit, and nothing is left. Each case is a test of its own:
// Deaths/EndTheJob/abort_32_PEs.
//
// This is the one suite that asserts how long something takes, because that is what it is about: the launcher's own
// patience. A busy machine may be slower than the limit once, but not each time.
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <ostream>
#include <regex>
#include <sstream>
#include <tuple>
#include <utility>

#include "job.hpp"

namespace weft::fault {
namespace {

constexpr int kSizes[] = {2, 8, 32};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kLimit = 20.0;  // everything is slower
#else
constexpr double kLimit = 2.0;  // seconds from a death to the end of the job
#endif
constexpr int kAttempts = 3;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

class DeathsTest : public JobTest {
 protected:
  void SetUp() override {
    environment = {"TMPDIR=" + files.path(), "WEFT_TEST_STAMP=" + stamp_, "SHMEM_SYMMETRIC_SIZE=1M"};
  }
  void TearDown() override {
    (void)::unlink(stamp_.c_str());
    EXPECT_EQ(test::leftovers(mark, files), "");
    JobTest::TearDown();
  }
  // Seconds since the victim died, or since the beginning where it is the job's output that dies.
  double since_death(std::uint64_t begin) const {
    const std::uint64_t end = now_ns();
    std::istringstream(content(stamp_)) >> begin;
    return static_cast<double>(end - begin) * 1e-9;
  }
  // Runs the job until it has ended in time once; all but the time must hold each time.
  void expect_soon(const test::Command& command, const std::function<void(const Output&)>& check) {
    double best = 1e9;
    for (int attempt = 0; attempt < kAttempts && best > kLimit; ++attempt) {
      const std::uint64_t begin = now_ns();
      const Output output = test::run(command);
      best = std::min(best, since_death(begin));
      EXPECT_FALSE(output.ending.overdue);
      EXPECT_FALSE(output.held_open) << "something outlived the job";
      check(output);
    }
    EXPECT_LE(best, kLimit);
    RecordProperty("seconds", std::to_string(best));
  }
  // The files of a job that ran in the background.
  void forget_output() const {
    (void)::unlink((files.path() + "/out").c_str());
    (void)::unlink((files.path() + "/err").c_str());
  }
  static int own_lines(const Output& output) { return lines_with(output.err, "oshrun: "); }

  std::string stamp_ = files.path() + "/stamp";
};

struct Death {
  const char* name;
  const char* others;  // what they do
  const char* victim;  // what the last PE does
  int exit_code;
  const char* line;  // what is said, of which there is one; "*" is its number and its process. Empty: nothing
};

void PrintTo(const Death& death, std::ostream* out) { *out << death.name; }

constexpr Death kDeaths[] = {
    {"signal", "barrier", "segv", 128 + SIGSEGV, "oshrun: * was killed by signal 11 (Segmentation fault"},
    {"signal_while_others_compute", "compute", "segv", 128 + SIGSEGV, "oshrun: * was killed by signal 11"},
    {"kill", "wait", "kill", 128 + SIGKILL, "oshrun: * was killed by signal 9 (Killed"},
    {"abort", "barrier", "abort", 128 + SIGABRT, "oshrun: * was killed by signal 6 (Aborted"},
    {"exit", "barrier", "exit3", 3, "oshrun: * exited with code 3"},
    {"exit_without_finalize", "barrier", "leave", 1, "oshrun: * left without shmem_finalize while PE"},
    {"exit_before_init", "barrier", "noinit", 1, "oshrun: * left without shmem_init while PE"},
    {"failure_before_init", "barrier", "noinit3", 3, "oshrun: * exited with code 3; ending the job"},
    {"in_a_collective", "sleep", "alarm", 128 + SIGALRM,
     "oshrun: * was killed by signal 14 (Alarm clock); its last Weft call: shmem_long_sum_reduce"},
    {"while_others_are_in_a_collective", "reduce", "segv", 128 + SIGSEGV, "oshrun: * was killed by signal 11"},
    {"holding_a_lock", "lock", "kill", 128 + SIGKILL, "oshrun: * was killed by signal 9 (Killed"},
    {"leaving_with_a_lock", "lock", "leave", 1, "oshrun: * left without shmem_finalize while PE"},
    {"in_a_signal_handler", "barrier", "in-handler", 128 + SIGSEGV, "oshrun: * was killed by signal 11"},
    {"global_exit", "barrier", "global", 99, ""},
    {"global_exit_that_hangs", "compute", "hanging-exit", 99, ""},
    {"becoming_another_program", "compute", "exec", 1, "oshrun: * has become another program after shmem_init, /"},
    {"becoming_another_while_others_wait", "barrier", "exec", 1,
     "oshrun: * has become another program after shmem_init"},
    {"after_its_children_became_others", "compute", "children", 3, "oshrun: * exited with code 3"},
    {"stray_exit_request", "compute", "stray", 1, "oshrun: something has written 0x41414141 where PEs ask for the end"},
    {"misuse", "barrier", "badpe", 1, "weft: PE N: shmem_long_p"},
};

class Deaths : public DeathsTest, public testing::WithParamInterface<std::tuple<Death, int>> {};

TEST_P(Deaths, EndTheJob) {
  const Death& death = std::get<0>(GetParam());
  const int n_pes = std::get<1>(GetParam());
  const std::string victim = std::to_string(n_pes - 1);
  const std::regex who("PE " + victim + " \\(pid [0-9]+\\)");
  const std::string line = std::regex_replace(std::string(death.line), std::regex("PE N"), "PE " + victim);
  expect_soon(
      command({"-n", std::to_string(n_pes), WEFT_ACTOR, death.others, death.victim}), [&](const Output& output) {
        EXPECT_EQ(output.ending.exit_code, death.exit_code) << output.ending.text() << "\n" << output.err;
        // The calls that a crashing PE was in come on lines of their own.
        EXPECT_EQ(lines_with(output.err, "") - lines_with(output.err, ":   in "), line.empty() ? 0 : 1) << output.err;
        EXPECT_EQ(lines_with(std::regex_replace(output.err, who, "*"), line), line.empty() ? 0 : 1)
            << "'" << line << "' is missing in: " << output.err;
      });
}

INSTANTIATE_TEST_SUITE_P(All, Deaths, testing::Combine(testing::ValuesIn(kDeaths), testing::ValuesIn(kSizes)),
                         [](const auto& about) {
                           return std::string(std::get<0>(about.param).name) + "_" +
                                  std::to_string(std::get<1>(about.param)) + "_PEs";
                         });

// Those that need something around the job.
class DeathsAround : public DeathsTest, public testing::WithParamInterface<int> {
 protected:
  test::Command act(const std::string& others, const std::string& victim, Words options = {}) const {
    options.insert(options.end(), {"-n", std::to_string(GetParam()), WEFT_ACTOR, others, victim});
    return command(std::move(options));
  }
  // The same in a shell that prepares something, as it is written in front of `exec`.
  test::Command prepared(test::Command command, const std::string& before, const std::string& redirection = "") const {
    command.arguments.insert(command.arguments.begin(),
                             {"/bin/bash", "-c", before + " exec \"$0\" \"$@\" " + redirection});
    return command;
  }
  std::string last() const { return "oshrun: PE " + std::to_string(GetParam() - 1) + " (pid "; }
  bool all_ready(const Running& running) const { return running.says(GetParam(), "ready"); }
};

// The last is stopped when the first fails.
TEST_P(DeathsAround, EndAStoppedPe) {
  expect_soon(act("first-exits", "stop"), [](const Output& output) {
    EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text() << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: PE 0 (pid "), 1) << output.err;
    EXPECT_EQ(own_lines(output), 1) << output.err;
  });
}

// While one is stopped the others wait for it, longer than for one that has left: nothing has died.
TEST_P(DeathsAround, AStoppedPeGoesOn) {
  Running running(act("barrier-once", "stop-once"), files.path());
  ASSERT_TRUE(all_ready(running)) << running.out() << running.err();
  pid_t stopped = 0;
  ASSERT_TRUE(test::eventually([&] {
    for (const test::Process& process : test::processes(mark)) {
      if (process.text.rfind("state T", 0) == 0) stopped = process.pid;
    }
    return stopped != 0;
  }));
  ::usleep(1'000'000);
  EXPECT_EQ(running.err(), "");
  ASSERT_EQ(::kill(stopped, SIGCONT), 0);
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  EXPECT_EQ(running.err(), "");
  forget_output();
}

// A control group with little memory, if we may make one: its directory. Removed with the test.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t bytes) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line) && path_.empty();) {
      const std::size_t memory = line.find(":memory:");
      if (memory != std::string::npos)
        try_below("/sys/fs/cgroup/memory", line.substr(memory + 8), "memory.limit_in_bytes", bytes);
      if (line.rfind("0::", 0) == 0) try_below("/sys/fs/cgroup", line.substr(3), "memory.max", bytes);
    }
  }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup() {
    if (!path_.empty()) (void)test::eventually([&] { return ::rmdir(path_.c_str()) == 0; });
  }
  const std::string& path() const { return path_; }

 private:
  void try_below(const std::string& mount, const std::string& group, const std::string& limit, std::uint64_t bytes) {
    const std::string path = mount + (group == "/" ? "" : group) + "/weft-test-" + std::to_string(::getpid());
    if (::mkdir(path.c_str(), 0755) != 0) return;
    if (std::ofstream(path + "/" + limit) << bytes << std::flush) {
      path_ = path;
    } else {
      (void)::rmdir(path.c_str());
    }
  }
  std::string path_;
};

TEST_P(DeathsAround, OutOfMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more memory itself";
#endif
  const MemoryGroup group(std::uint64_t{300} << 20);
  if (group.path().empty()) GTEST_SKIP() << "may not make a control group with a memory limit";
  expect_soon(
      prepared(act("barrier", "memory"), "echo $$ >" + group.path() + "/cgroup.procs;"), [&](const Output& output) {
        EXPECT_EQ(output.ending.exit_code, 128 + SIGKILL) << output.ending.text() << output.err;
        EXPECT_EQ(lines_with(output.err, last()), 1) << output.err;
        EXPECT_EQ(lines_with(output.err, "was killed by signal 9 (Killed)"), 1) << output.err;
        EXPECT_EQ(lines_with(output.err, "memory ran out, and the kernel has killed a process"), 1) << output.err;
        EXPECT_EQ(own_lines(output), 1) << output.err;
      });
}

TEST_P(DeathsAround, FullDisk) {
  expect_soon(prepared(act("barrier", "print"), "", ">/dev/full"), [](const Output& output) {
    EXPECT_NE(output.ending.exit_code, 0) << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: cannot pass on the output: No space left on device"), 1) << output.err;
  });
}

// A file system with room for a few lines, if we may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(::mkdir(path_.c_str(), 0755), 0);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=256k") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) (void)::umount2(path_.c_str(), MNT_DETACH);
    (void)::rmdir(path_.c_str());
  }
  bool mounted() const { return mounted_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool mounted_ = false;
};

// Each PE writes to a file: the one that cannot go on is named.
TEST_P(DeathsAround, FullDiskOfAnOutputFile) {
  const SmallDisk disk(files.path() + "/disk");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a file system";
  expect_soon(act("barrier", "print", {"--output-dir", disk.path()}), [&](const Output& output) {
    EXPECT_EQ(output.ending.exit_code, 5) << output.ending.text() << output.err;
    EXPECT_EQ(lines_with(output.err, last()), 1) << output.err;
    EXPECT_EQ(lines_with(output.err, "exited with code 5"), 1) << output.err;
  });
}

// As in `oshrun ... | head -1`: nobody is to blame.
TEST_P(DeathsAround, ReaderThatLeaves) {
  test::Command piped = act("barrier", "print");
  piped.arguments.insert(piped.arguments.begin(),
                         {"/bin/bash", "-c", "\"$0\" \"$@\" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}"});
  expect_soon(piped, [](const Output& output) {
    EXPECT_EQ(output.ending.exit_code, 128 + SIGPIPE) << output.ending.text();
    EXPECT_EQ(output.err, "");
  });
}

TEST_P(DeathsAround, ClosedStdout) {
  expect_soon(prepared(act("barrier", "exit3"), "", ">&-"), [&](const Output& output) {
    EXPECT_EQ(output.ending.exit_code, 3) << output.ending.text() << output.err;
    EXPECT_EQ(lines_with(output.err, last()), 1) << output.err;
    EXPECT_EQ(own_lines(output), 1) << output.err;
  });
}

TEST_P(DeathsAround, KillNineOfOshrun) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the guard shares its memory with the launcher, which TSan's run-time does not survive";
#endif
  double best = 1e9;
  for (int attempt = 0; attempt < kAttempts && best > kLimit; ++attempt) {
    Running running(act("barrier", "nothing"), files.path());
    ASSERT_TRUE(all_ready(running)) << running.out() << running.err();
    const std::uint64_t begin = now_ns();
    running.signal(SIGKILL);
    (void)running.wait();
    ASSERT_TRUE(test::eventually([&] { return test::processes(mark).empty(); }));
    best = std::min(best, static_cast<double>(now_ns() - begin) * 1e-9);
    forget_output();
  }
  EXPECT_LE(best, kLimit);
}

INSTANTIATE_TEST_SUITE_P(All, DeathsAround, testing::ValuesIn(kSizes),
                         [](const auto& about) { return std::to_string(about.param) + "_PEs"; });

}  // namespace
}  // namespace weft::fault
