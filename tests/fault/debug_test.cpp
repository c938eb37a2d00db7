// oshrun --debug, with real debuggers where there are some.
#include <sys/stat.h>

#include <csignal>
#include <regex>

#include "terminal.hpp"

namespace weft::fault {
namespace {

bool is_here(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

// Containers and kernels may forbid it.
bool gdb_can_attach() {
  return is_here("gdb") &&
         std::system("sleep 10 & gdb -batch -p $! -ex detach >/dev/null 2>&1; s=$?; kill $!; exit $s") == 0;
}

class Debug : public JobTest {
 protected:
  Running begin(Words options, const std::string& others = "quit", const std::string& victim = "leave") {
    options.insert(options.end(), {"-n", "3", WEFT_ACTOR, others, victim});
    return {command(std::move(options)), files.path()};
  }
  // The ids of the PEs that wait, in the order in which they are told.
  static Words waiting(const Running& running, int n) {
    EXPECT_TRUE(test::eventually([&] { return lines_with(running.err(), "waits before main for a debugger") == n; }))
        << running.err();
    Words ids;
    const std::string text = running.err();
    const std::regex line("PE [0-9]+ waits before main for a debugger: gdb -p ([0-9]+)\n");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) ids.push_back((*at)[1]);
    return ids;
  }
  // "tmux -S SOCKET attach".
  static std::string socket_of(const Running& running) {
    const std::string text = running.err();
    std::smatch found;
    return std::regex_search(text, found, std::regex(" -S ([^ ]+) attach")) ? found[1].str() : "";
  }
  // Of oshrun itself, in its folder for temporary files.
  std::vector<std::string> weft_files() const {
    std::vector<std::string> names = test::files_in(files.path());
    std::erase_if(names, [](const std::string& name) { return name.rfind("weft-", 0) != 0; });
    return names;
  }
  Output gdb(const std::string& pid, const Words& commands) const {
    test::Command batch;
    batch.arguments = {"gdb", "-batch", "-nx", "-p", pid};
    for (const std::string& text : commands) batch.arguments.insert(batch.arguments.end(), {"-ex", text});
    batch.environment = {mark.assignment(), "DEBUGINFOD_URLS="};
    return test::run(batch);
  }
  void TearDown() override {
    JobTest::TearDown();
    std::system(("rm -rf " + files.path() + "/*").c_str());
  }
};

TEST_F(Debug, APeWaitsBeforeMainForItsDebugger) {
  if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not attach";
  Running running = begin({"--debug=1", "--debug-in", "attach"});
  const Words pids = waiting(running, 1);
  ASSERT_EQ(pids.size(), 1U);
  EXPECT_EQ(lines_with(running.out(), "ready"), 0) << "the others wait for it in shmem_init";
  const Output session = gdb(pids[0], {"break main", "continue", "print argc", "print shmem_my_pe", "continue"});
  EXPECT_EQ(lines_with(session.out, "Breakpoint 1, "), 1) << session.out << session.err;
  EXPECT_EQ(lines_with(session.out, "$1 = 3"), 1) << session.out;
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  EXPECT_EQ(lines_with(running.out(), "ready"), 3);
}

TEST_F(Debug, AllWaitUnlessSomeAreNamed) {
  Running running = begin({"--debug", "--debug-in=attach"});
  EXPECT_EQ(waiting(running, 3).size(), 3U);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGINT);
}

// As for a debugger outside of a container, which the kernel does not name to those inside.
TEST_F(Debug, AVariableLetsAPeGoOn) {
  if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not attach";
  Running running = begin({"--debug=0,2", "--debug-in", "attach"});
  for (const std::string& pid : waiting(running, 2)) {
    const Output session = gdb(pid, {"set var weft_debugger_attached = 1", "detach"});
    EXPECT_EQ(session.err.find("No symbol"), std::string::npos) << session.err;
  }
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
}

TEST_F(Debug, APeBehindAShellIsFound) {
  if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not attach";
  Running running(command({"-n", "2", "--debug=1", "--debug-in=attach", "/bin/sh", "-c",
                           std::string(WEFT_ACTOR) + " quit leave; exit $?"}),
                  files.path());
  const Words pids = waiting(running, 1);
  ASSERT_EQ(pids.size(), 1U);
  (void)gdb(pids[0], {"continue"});
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
}

TEST_F(Debug, ATimeLimitSaysWhoWaitsForADebugger) {
  const Output output = job({"-n", "2", "--debug=1", "--debug-in=attach", "--timeout=1", WEFT_ACTOR, "quit", "leave"});
  EXPECT_EQ(output.ending.exit_code, 124);
  EXPECT_EQ(lines_with(output.err, "oshrun:   PE 1 waits before main for a debugger"), 1) << output.err;
}

TEST_F(Debug, TmuxHasAWindowForEachPe) {
  if (!gdb_can_attach() || !is_here("tmux")) GTEST_SKIP() << "gdb or tmux is not there, or gdb may not attach";
  environment = {"TMUX=", "TMPDIR=" + files.path()};
  Running running = begin({"--debug=0,2", "--debug-in", "tmux"});
  ASSERT_TRUE(test::eventually([&] { return lines_with(running.err(), "to see the debuggers: ") == 1; }))
      << running.err();
  const std::string socket = socket_of(running);
  EXPECT_EQ(socket.rfind(files.path() + "/weft-", 0), 0U) << socket;
  EXPECT_EQ(socket.find(std::to_string(running.pid())), std::string::npos) << "nobody may guess it: " << socket;
  struct stat folder {};
  ASSERT_EQ(::stat(socket.substr(0, socket.rfind('/')).c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 07777U, 0700U);
  const auto tmux = [&](Words words) {
    words.insert(words.begin(), {"tmux", "-S", socket});
    return test::run({words, {mark.assignment()}, {}, {}}).out;
  };
  const std::string windows = tmux({"list-windows", "-F", "#{window_name}"});  // in the order in which the PEs came
  EXPECT_TRUE(windows == "PE 0\nPE 2\n" || windows == "PE 2\nPE 0\n") << windows;
  for (const std::string window : {"PE 0", "PE 2"}) {
    EXPECT_TRUE(test::eventually([&] {
      return tmux({"capture-pane", "-p", "-t", window}).find("(gdb)") != std::string::npos;
    }));
    (void)tmux({"send-keys", "-t", window, "continue", "Enter"});
  }
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  EXPECT_TRUE(weft_files().empty()) << "tmux is ended with the job";
}

TEST_F(Debug, TmuxEndsWithAJobThatIsToldTo) {
  if (!gdb_can_attach() || !is_here("tmux")) GTEST_SKIP() << "gdb or tmux is not there, or gdb may not attach";
  environment = {"TMUX=", "TMPDIR=" + files.path()};
  std::vector<int> signals{SIGTERM, SIGINT, SIGHUP};
#if !defined( \
    __SANITIZE_THREAD__)  // the guard shares its memory with the launcher, which TSan's run-time does not survive
  signals.push_back(SIGKILL);
#endif
  for (const int signal : signals) {
    Running running = begin({"--debug=0,2", "--debug-in", "tmux"});
    ASSERT_TRUE(test::eventually([&] { return lines_with(running.err(), "to see the debuggers: ") == 1; }))
        << running.err();
    running.signal(signal);
    EXPECT_EQ(running.wait().shell_code(), 128 + signal);
    EXPECT_TRUE(test::eventually([&] { return test::processes(mark).empty(); })) << signal;
    EXPECT_TRUE(test::eventually([&] { return weft_files().empty(); })) << signal;
  }
}

// Its PE is a zombie as long as it listens to nothing but its prompt.
TEST_F(Debug, ADebuggerOfTheUserDoesNotKeepTheJob) {
  if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not attach";
  Running running = begin({"--debug=1", "--debug-in", "attach"});
  const Words pids = waiting(running, 1);
  ASSERT_EQ(pids.size(), 1U);
  int typed[2];  // nothing ever is
  ASSERT_EQ(::pipe2(typed, O_CLOEXEC), 0);
  test::Child gdb = test::Child::start([&] {
    const std::string said = files.path() + "/gdb";
    (void)::dup2(typed[0], 0);
    (void)::dup2(::open(said.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    (void)::dup2(1, 2);
    (void)::execlp("gdb", "gdb", "-q", "-nx", "-p", pids[0].c_str(), "-ex", "echo here\\n", nullptr);
    return 127;
  });
  ASSERT_TRUE(test::eventually([&] { return lines_with(content(files.path() + "/gdb"), "here") == 1; }));
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGTERM) << running.err();
  for (const int end : typed) (void)::close(end);
}

// A terminal emulator of ours: it opens no window, but runs what it is told to.
TEST_F(Debug, ATerminalForEachPe) {
  if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not attach";
  const std::string emulator = files.path() + "/x-terminal-emulator";
  std::ofstream(emulator) << "#!/bin/sh\nshift\n\"$@\" -batch -ex continue >/dev/null\nsleep 1000\n";
  ASSERT_EQ(::chmod(emulator.c_str(), 0755), 0);
  environment = {"DISPLAY=:nowhere", "PATH=" + files.path() + ":" + std::getenv("PATH")};
  Running running = begin({"--debug=0,1", "--debug-in", "terminals"});
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  EXPECT_EQ(lines_with(running.err(), "waits before main in gdb, in a terminal of its own"), 2) << running.err();
}

TEST_F(Debug, WishesThatCannotBeMetAreRefused) {
  const Output many = job({"-n", "17", "--debug", WEFT_ACTOR, "quit", "leave"});
  EXPECT_EQ(many.ending.exit_code, 2);
  EXPECT_EQ(lines_with(many.err, "oshrun: --debug: a debugger for each of 17 PEs is too much"), 1) << many.err;
  EXPECT_EQ(job({"-n", "2", "--debug=2", "/bin/true"}).ending.exit_code, 2);
  environment = {"PATH=/nowhere"};
  const Output without = job({"-n", "2", "--debug", "--debug-in", "tmux", "/bin/true"});
  EXPECT_EQ(lines_with(without.err, "oshrun: --debug-in tmux: gdb is not in PATH"), 1) << without.err;
}

// gdb in front, on the terminal of oshrun: what is typed goes to it, and to the program while that runs.
class DebugHere : public Terminal {
 protected:
  void SetUp() override {
    if (!gdb_can_attach()) GTEST_SKIP() << "gdb is not there, or may not trace";
    environment = {"DEBUGINFOD_URLS=", "HOME=" + files.path(), "TERM=dumb"};
  }
  void debug(const std::string& others, const std::string& victim) {
    begin({"-n", "2", "--debug=1", WEFT_ACTOR, others, victim});
    ASSERT_TRUE(shows("(gdb)")) << screen_;
  }
};

TEST_F(DebugHere, RunsThePeInGdb) {
  debug("quit", "leave");
  type("break main\n");
  ASSERT_TRUE(shows("Breakpoint 1 at")) << screen_;
  type("run\n");
  ASSERT_TRUE(shows("Breakpoint 1, main")) << screen_;
  type("continue\n");
  ASSERT_TRUE(shows("exited normally")) << screen_;
  ASSERT_TRUE(shows("PE 0 ready")) << screen_;
  type("quit\n");
  EXPECT_EQ(exit_code(), 0) << screen_;
}

TEST_F(DebugHere, ControlCStopsTheProgramAndNotTheJob) {
  debug("sleep", "nothing");
  type("run\n");
  ASSERT_TRUE(shows("PE 1 ready")) << screen_;
  type("\x03");
  ASSERT_TRUE(shows("received signal SIGINT")) << screen_;
  type("kill\n");
  ASSERT_TRUE(shows("(y or n)")) << screen_;
  type("y\n");
  ASSERT_TRUE(shows("killed]")) << screen_;
  type("quit\n");
  ASSERT_TRUE(test::eventually([&] { return ::tcgetpgrp(master_) == ::getpgid(pid_); })) << "oshrun has the terminal";
  type("\x03");
  EXPECT_EQ(exit_code(), 128 + SIGINT) << screen_;
}

TEST_F(DebugHere, EndsWithItsTerminal) {
  debug("sleep", "nothing");
  type("run\n");
  ASSERT_TRUE(shows("PE 1 ready")) << screen_;
  (void)::close(std::exchange(master_, -1));
  EXPECT_EQ(exit_code(), 128 + SIGHUP);
}

TEST_F(DebugHere, EndsWhenItIsToldTo) {
  debug("sleep", "nothing");
  ASSERT_EQ(::kill(pid_, SIGTERM), 0);
  EXPECT_EQ(exit_code(), 128 + SIGTERM) << screen_;
}

TEST_F(DebugHere, ControlZStopsTheJob) {
  debug("quit", "leave");
  for (const std::string answer : {"$1 = 42", "$2 = 42"}) {
    type("\x1a");
    ASSERT_TRUE(test::eventually([&] { return stopped(oshrun()) >= 1; })) << screen_;
    ASSERT_EQ(::kill(pid_, SIGCONT), 0);
    type("print 6*7\n");
    ASSERT_TRUE(shows(answer)) << screen_;
  }
  type("run\n");
  ASSERT_TRUE(shows("exited normally")) << screen_;
  type("quit\n");
  EXPECT_EQ(exit_code(), 0) << screen_;
}

}  // namespace
}  // namespace weft::fault
