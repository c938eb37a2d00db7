// Jobs on several hosts, which are all this machine: what stands for ssh runs the agent here. Each agent makes a node
// of its own all the same.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "job.hpp"

namespace weft::fault {
namespace {

class Agents : public JobTest {
 protected:
  void SetUp() override {
    // As ssh does it: options, a host, and the rest is for a shell there.
    const std::string script = write("ssh",
                                     "#!/bin/sh\n"
                                     "while case $1 in -*) true;; *) false;; esac; do shift; done\n"
                                     "test \"$1\" = down && { echo \"ssh: $1: No route to host\" >&2; exit 255; }\n"
                                     "test \"$1\" = chatty && echo Welcome to chatty\n"
                                     "shift\n"
                                     "exec /bin/sh -c \"exec $*\"\n");
    ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
    environment.push_back("WEFT_SSH=" + script);
  }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = files.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  Output on(const std::string& hosts, int n_pes, const std::string& script, Words options = {}) const {
    Words words = {"-n", std::to_string(n_pes), "--hosts", hosts};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"/bin/sh", "-c", script});
    return job(words);
  }
  Running start(Words words) const { return {command(std::move(words)), files.path()}; }
  /// The agents of this test, by what they are called; guards of theirs have the same name and lead a session.
  std::vector<pid_t> agents() const {
    std::vector<pid_t> found;
    for (const test::Process& process : test::processes(mark)) {
      const std::string command = content("/proc/" + std::to_string(process.pid) + "/cmdline");
      const bool is_agent = command.find("weft-agent") != std::string::npos && command[0] != '\0' &&
                            command.substr(0, 7) != "/bin/sh" && ::getsid(process.pid) != process.pid;
      if (is_agent) found.push_back(process.pid);
    }
    return found;
  }
  /// When there are so many: a guard that has just been made does not lead its session yet.
  std::vector<pid_t> agents_when(std::size_t n) const {
    std::vector<pid_t> found;
    (void)test::eventually([&] {
      found = agents();
      return found.size() == n;
    });
    return found;
  }
};

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_F(Agents, EachPeHasItsNumberInTheJob) {
  const Output output = on("a,b", 4, "echo $WEFT_PE of $WEFT_NPES");
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(sorted_lines(output.out), (Words{"0 of 4", "1 of 4", "2 of 4", "3 of 4"}));
  EXPECT_EQ(output.err, "");
}

TEST_F(Agents, ThisHostNeedsNoSsh) {
  environment.back() = "WEFT_SSH=/nowhere/ssh";
  const Output output = on("localhost", 2, "echo $WEFT_PE");
  EXPECT_EQ(sorted_lines(output.out), (Words{"0", "1"})) << output.err;
}

TEST_F(Agents, ATreeOfThem) {
  const Output output = on("a,b,c,d,e,f,g", 7, "echo $WEFT_PE", {"--fanout", "2"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(sorted_lines(output.out), (Words{"0", "1", "2", "3", "4", "5", "6"}));
}

TEST_F(Agents, HostsOfAFile) {
  const std::string file = write("hosts", "a slots=1\nb:2 # fast\n");
  const Output output = job({"-v", "-n", "3", "--hostfile", file, "/bin/true"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.err, "starting 1 PE on a, from PE 0 on"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "starting 2 PEs on b, from PE 1 on"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, " on b) ended with exit code 0"), 2) << output.err;
}

TEST_F(Agents, PesCountedByHosts) {
  const Output output = job({"--host", "a,b", "-N", "2", "/bin/sh", "-c", "echo $WEFT_PE of $WEFT_NPES"});
  EXPECT_EQ(sorted_lines(output.out), (Words{"0 of 4", "1 of 4", "2 of 4", "3 of 4"})) << output.err;
  const Output spread = job({"-v", "-n", "2", "--map-by", "node", "-H", "a:2,b:2", "/bin/true"});
  EXPECT_EQ(lines_with(spread.err, "starting 1 PE on b, from PE 1 on"), 1) << spread.err;
}

// As users of other launchers expect: PE after PE on the next host that has room.
TEST_F(Agents, PesInTurn) {
  const Output output = job({"-v", "-n", "7", "--map-by", "node", "-H", "a:1,b:4,c:4", WEFT_CARDS, "1"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.err, "starting 1 PE on a, from PE 0 on"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "starting 3 PEs on b, from PE 1 on, in turn with the other hosts"), 1) << output.err;
  const Words lines = sorted_lines(output.out);
  ASSERT_EQ(lines.size(), 7U) << output.out;
  const std::string all = ": 1000@0.0 1001@1.0 1002@2.0 1003@1.1 1004@2.1 1005@1.2 1006@2.2";
  EXPECT_EQ(lines[3], "1: PE 3, here 1 of 3, node 1 of 3, key 1" + all);
  EXPECT_EQ(lines[6], "1: PE 6, here 2 of 3, node 2 of 3, key 1" + all);
  for (const char* pe : {"PE 1 (pid ", "PE 3 (pid ", "PE 5 (pid "}) EXPECT_EQ(lines_with(output.err, pe), 2);
  EXPECT_EQ(lines_with(output.err, " on b) ended with exit code 0"), 3) << output.err;
}

TEST_F(Agents, ProgramsOfTheirOwnInTurn) {
  const Output output = job({"--map-by", "node", "--hosts", "a,b", "-n", "3", "/bin/sh", "-c", "echo x$WEFT_PE", ":",
                             "-n", "1", "/bin/sh", "-c", "echo y$WEFT_PE"});
  EXPECT_EQ(sorted_lines(output.out), (Words{"x0", "x1", "x2", "y3"})) << output.err;
}

TEST_F(Agents, AHostOfPesInTurnThatIsLostTakesItsOwn) {
  Running running = start({"-n", "4", "--map-by", "node", "--hosts", "a,b", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(4, "up")) << running.err();
  (void)::kill(agents_when(2).back(), SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 1);
  EXPECT_EQ(lines_with(running.err(), "oshrun: "), 1) << running.err();
  EXPECT_EQ(lines_with(running.err(), "its weft-agent was told to end by signal 15 and ends its PEs; ending the job"),
            1)
      << running.err();
}

TEST_F(Agents, APeInTurnThatNeverComesIsNoticedOnItsHost) {
  const Output output = job({"-n", "3", "--map-by", "node", "--hosts", "a,b", WEFT_CARDS, "1", "2"});
  EXPECT_EQ(output.ending.exit_code, 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 2 (pid "), 1) << output.err;
  // Beside other load PE 1 may not have come so far when PE 2 has gone.
  EXPECT_EQ(lines_with(output.err, " on a) left without shmem_init while PEs 0 and 1 wait") +
                lines_with(output.err, " on a) left without shmem_init while PE 0 waits") +
                lines_with(output.err, " on a) left without shmem_init while PE 1 waits"),
            1)
      << output.err;
}

// More than one host runs.
TEST_F(Agents, ManyPes) {
  rlimit open{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &open), 0);
  if (open.rlim_max < 5000) GTEST_SKIP() << "two pipes of each PE are open files: ulimit -Hn is " << open.rlim_max;
  environment.insert(environment.end(), {"SHMEM_SYMMETRIC_SIZE=1M"});
  const Output output = job({"-n", "4200", "--hosts", "a:2100,b:2100", "--link-timeout", "60", "/bin/true"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.ending.text() << output.err;
  EXPECT_EQ(output.err, "");
}

TEST_F(Agents, TooManyPesForTheHosts) {
  const Output output = on("a:1,b:2", 4, "echo no");
  EXPECT_EQ(output.ending.exit_code, 2);
  EXPECT_EQ(lines_with(output.err, "oshrun: 4 PEs do not fit on 2 hosts with room for 3"), 1) << output.err;
  EXPECT_EQ(output.out, "");
}

TEST_F(Agents, ProgramsOfTheirOwnOnEachHost) {
  const Output output =
      job({"--hosts", "a,b", "-n", "3", "/bin/sh", "-c", "echo x$WEFT_PE", ":", "-n", "1", "/bin/echo", "y"});
  EXPECT_EQ(sorted_lines(output.out), (Words{"x0", "x1", "x2", "y"})) << output.err;
}

TEST_F(Agents, CardsOfAllPesComeToAllNodes) {
  const Output output = job({"-n", "3", "--hosts", "a:2,b:1", WEFT_CARDS, "2"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  const Words lines = sorted_lines(output.out);
  ASSERT_EQ(lines.size(), 6U) << output.out;
  EXPECT_EQ(lines[0], "1: PE 0, here 0 of 2, node 0 of 2, key 1: 1000@0.0 1001@0.1 1002@1.0");
  EXPECT_EQ(lines[2], "1: PE 2, here 0 of 1, node 1 of 2, key 1: 1000@0.0 1001@0.1 1002@1.0");
  EXPECT_EQ(lines[4], "2: PE 1, here 1 of 2, node 0 of 2, key 1: 2000@0.0 2001@0.1 2002@1.0");
}

TEST_F(Agents, APeThatNeverComesToTheExchangeIsNoticed) {
  const Output output = job({"-n", "3", "--hosts", "a,b", WEFT_CARDS, "1", "2"});
  EXPECT_EQ(output.ending.exit_code, 1) << output.err;
  EXPECT_EQ(lines_with(output.err, " left without shmem_init while PE"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "PE 2 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, " on b)"), 1) << output.err;
}

TEST_F(Agents, TheEnvironmentOfPes) {
  environment.insert(environment.end(), {"SHMEM_MINE=1", "FI_MINE=2", "OTHER=3"});
  const Output output = on("a,b", 2, "echo $SHMEM_MINE $FI_MINE $MORE", {"--env", "MORE=4", "--env", "OTHER"});
  EXPECT_EQ(sorted_lines(output.out), (Words{"1 2 4", "1 2 4"})) << output.err;
}

TEST_F(Agents, TheFolderOfPes) {
  const std::string folder = files.path();
  Output output = on("a,b", 2, "pwd", {"--wdir", folder});
  EXPECT_EQ(sorted_lines(output.out), (Words{folder, folder})) << output.err;
  output = on("a,b", 2, "pwd", {"--wdir", "/nowhere"});
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, ": --wdir /nowhere: cannot go there: No such file"), 1) << output.err;
}

TEST_F(Agents, AFolderThatIsNotOnTheHost) {
  const std::string folder = files.path() + "/gone";
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  // What stands for ssh takes the folder away before the agent is there.
  const std::string script =
      write("rm", "#!/bin/sh\nrmdir " + folder + " 2>/dev/null\nshift\ncd /\nexec /bin/sh -c \"$*\"\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  test::Command made = command({"-n", "2", "--hosts", "a,b", "--ssh", script, "/bin/true"});
  made.directory = folder;
  const Output output = test::run(made);
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, ": cannot go to " + folder + ", where oshrun was started"), 1) << output.err;
}

TEST_F(Agents, LinesStayWhole) {
  const Output output = on("a,b", 4, "for i in 1 2 3 4 5 6 7 8 9; do printf 'aaaa'; printf 'bbbb\\n'; done");
  EXPECT_EQ(lines_with(output.out, "aaaabbbb"), 36);
  EXPECT_EQ(output.out.size(), 36U * 9) << output.out;
}

TEST_F(Agents, MuchOutputComesWhole) {
  const Output output = on("a,b", 2, "seq 300000; echo $WEFT_PE >&2");
  EXPECT_EQ(output.ending.exit_code, 0);
  EXPECT_EQ(std::count(output.out.begin(), output.out.end(), '\n'), 600'000);
  EXPECT_EQ(sorted_lines(output.err), (Words{"0", "1"}));
}

TEST_F(Agents, OutputWithTags) {
  const Output output = on("a,b", 2, "echo hello", {"--tag-output"});
  EXPECT_EQ(sorted_lines(output.out), (Words{"[0] hello", "[1] hello"})) << output.out;
}

TEST_F(Agents, OutputInFiles) {
  const std::string folder = files.path() + "/out";
  const Output output = on("a,b", 2, "echo hello $WEFT_PE", {"--output-dir", folder});
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(content(folder + "/pe.0.out"), "hello 0\n");
  EXPECT_EQ(content(folder + "/pe.1.out"), "hello 1\n");
}

TEST_F(Agents, InputGoesToPe0OrToAll) {
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += "line " + std::to_string(line) + "\n";
  input = write("input", text);
  EXPECT_EQ(sorted_lines(on("a,b", 3, "wc -c").out), (Words{"0", "0", std::to_string(text.size())}));
  EXPECT_EQ(sorted_lines(on("a,b", 3, "wc -c", {"--stdin", "all"}).out), Words(3, std::to_string(text.size())));
  EXPECT_EQ(sorted_lines(on("a,b", 3, "wc -c", {"--stdin", "none"}).out), (Words{"0", "0", "0"}));
}

TEST_F(Agents, TheCodeOfThePeThatFailed) {
  const Output output = on("a,b", 4, "test $WEFT_PE = 3 && exit 7; sleep 1000");
  EXPECT_EQ(output.ending.exit_code, 7);
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 3 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, " on b) exited with code 7; ending the job"), 1) << output.err;
}

TEST_F(Agents, ASignalThatEndedAPe) {
  const Output output = on("a,b", 4, "test $WEFT_PE = 2 && kill -9 $$; sleep 1000");
  EXPECT_EQ(output.ending.exit_code, 128 + SIGKILL);
  EXPECT_EQ(lines_with(output.err, " on b) was killed by signal 9 (Killed)"), 1) << output.err;
}

TEST_F(Agents, GlobalExitEndsAllNodes) {
  const Output output = job({"-v", "-n", "4", "--hosts", "a,b", WEFT_CARDS, "1", "3", "exits"});
  EXPECT_EQ(output.ending.exit_code, 9);
  EXPECT_EQ(lines_with(output.err, "shmem_global_exit(9) was called; ending the job"), 1) << output.err;
}

TEST_F(Agents, AnExitRequestThatNobodyMadeIsSaid) {
  const Output output = job({"-n", "4", "--hosts", "a,b", WEFT_CARDS, "1", "3", "strays"});
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "oshrun: something has written 0x109 where PEs ask for the end"), 1) << output.err;
}

TEST_F(Agents, APeThatBecomesAnotherProgramIsNamed) {
  const Output output = job({"-n", "4", "--hosts", "a,b", WEFT_ACTOR, "compute", "exec"});
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "oshrun: PE 3 (pid "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, " on b) has become another program after shmem_init, /"), 1) << output.err;
}

TEST_F(Agents, WhatPesLeaveBehindIsEnded) {
  const Output output = on("a,b", 2, "sleep 1000 & exit 0");
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
}

TEST_F(Agents, APeThatIgnoresSignalsIsKilled) {
  const Output output = on("a,b", 2, "trap '' TERM; test $WEFT_PE = 0 && exit 3; while :; do sleep 1; done");
  EXPECT_EQ(output.ending.exit_code, 3) << output.err;
}

TEST_F(Agents, AProgramThatIsNotThere) {
  const Output output = job({"-n", "2", "--hosts", "a,b", "./nowhere"});
  EXPECT_EQ(output.ending.exit_code, 127);
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, ": ./nowhere: no such file"), 1) << output.err;
}

TEST_F(Agents, AHostThatCannotBeReached) {
  const Output output = on("a,down", 2, "echo started");
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(output.out, "") << "no PE runs before all hosts are there";
  EXPECT_EQ(lines_with(output.err, "oshrun: "), 1) << output.err;
  EXPECT_EQ(lines_with(output.err, "oshrun: host down: cannot start weft-agent there: ssh: down: No route to host"), 1)
      << output.err;
}

TEST_F(Agents, AHostBelowAnotherThatCannotBeReached) {
  const Output output = on("a,b,down", 3, "echo started", {"--fanout", "1"});
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(lines_with(output.err, "oshrun: host down: cannot start weft-agent there: ssh: down: No route"), 1)
      << output.err;
}

TEST_F(Agents, AShellThatTalks) {
  const Output output = on("a,chatty", 2, "echo started");
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "host chatty: it answered \"Welcome to chatty\" instead of weft-agent's greeting"),
            1)
      << output.err;
}

TEST_F(Agents, NoSuchSsh) {
  const Output output = on("a,b", 2, "echo started", {"--ssh", "/nowhere/ssh"});
  EXPECT_EQ(output.ending.exit_code, 1);
  EXPECT_EQ(lines_with(output.err, "cannot start /nowhere/ssh: no such file; ending the job"), 1) << output.err;
}

TEST_F(Agents, NothingSecretIsSeen) {
  const std::string seen = files.path() + "/seen";
  const std::string script =
      write("spy", "#!/bin/sh\n{ echo \"$@\"; env; } >> " + seen + "\nshift\nexec /bin/sh -c \"$*\"\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  const Output output = job({"-n", "2", "--hosts", "a,b", "--ssh", script, "/bin/echo", "a-word-of-the-job"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(content(seen), "a-word-of-the-job"), 0) << "only the agent's path goes over command lines";
  EXPECT_EQ(lines_with(content(seen), "WEFT_JOB"), 0);
}

TEST_F(Agents, AnAgentThatIsKilledEndsTheJob) {
  Running running = start({"-n", "4", "--hosts", "a,b", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(4, "up")) << running.err();
  const std::vector<pid_t> found = agents_when(2);
  ASSERT_EQ(found.size(), 2U);
  (void)::kill(found[1], SIGKILL);
  EXPECT_EQ(running.wait().exit_code, 1);
  EXPECT_EQ(lines_with(running.err(), ": lost the connection to its weft-agent"), 1) << running.err();
}

TEST_F(Agents, OshrunThatIsKilledLeavesNothing) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "guards share their launcher's memory, which TSan's run-time does not survive";
#endif
  Running running = start({"-n", "4", "--hosts", "a,b,c", "--fanout", "1", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(4, "up")) << running.err();
  running.signal(SIGKILL);
  EXPECT_EQ(running.wait().signal, SIGKILL);
}  // and the fixture looks for what is left

// An agent of this machine that was killed with oshrun, as PEs are, left behind what it was just about to end.
TEST_F(Agents, AnAgentEndsByItselfWhenOshrunIsKilled) {
  Running running = start({"-n", "2", "--hosts", "a", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(2, "up")) << running.err();
  const std::vector<pid_t> found = agents_when(1);
  ASSERT_EQ(found.size(), 1U);
  // Stopped, it cannot have left before; the kernel lets a group go on that has lost its last tie to others.
  (void)::kill(found[0], SIGSTOP);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  running.signal(SIGKILL);
  EXPECT_EQ(running.wait().signal, SIGKILL);
  (void)::kill(found[0], SIGCONT);
  int status = 0;
  EXPECT_EQ(::waitpid(found[0], &status, 0), found[0]);
  EXPECT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 0);
}  // and the fixture looks for what is left

TEST_F(Agents, AnAgentWithoutItsGuardsGetsOthers) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "guards share their launcher's memory, which TSan's run-time does not survive";
#endif
  const std::string note = files.path() + "/hidden";
  Running running = start({"-n", "2", "--hosts", "a,b", "/bin/sh", "-c",
                           "(setsid env -i /bin/sh -c 'echo $$ >" + note +
                               ".'$WEFT_PE'; exec sleep 1000' </dev/null >/dev/null 2>&1 &); echo up; sleep 1000"});
  ASSERT_TRUE(running.says(2, "up")) << running.err();
  ASSERT_TRUE(test::eventually([&] { return content(note + ".0").size() > 1 && content(note + ".1").size() > 1; }));
  const auto guards = [&] {
    std::vector<pid_t> found;
    for (const test::Process& process : test::processes(mark)) {
      if (content("/proc/" + std::to_string(process.pid) + "/comm") == "oshrun-guard\n") found.push_back(process.pid);
    }
    return found;
  };
  ASSERT_TRUE(test::eventually([&] { return guards().size() == 4; })) << "two of each agent: oshrun has no PEs here";
  for (const pid_t pid : guards()) (void)::kill(pid, SIGKILL);
  EXPECT_TRUE(test::eventually([&] { return guards().size() == 4; }));
  for (const pid_t pid : agents()) (void)::kill(pid, SIGKILL);
  EXPECT_EQ(running.wait().exit_code, 1);
  for (const std::string pe : {"0", "1"}) {
    const pid_t hidden = std::atoi(content(note + "." + pe).c_str());
    EXPECT_TRUE(test::eventually([&] { return ::kill(hidden, 0) != 0; })) << "PE " << pe;
    (void)::kill(hidden, SIGKILL);
    (void)::unlink((note + "." + pe).c_str());
  }
}

TEST_F(Agents, AnAgentThatIsStoppedForLongEndsTheJob) {
  Running running =
      start({"-n", "2", "--hosts", "a,b", "--link-timeout", "2s", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(2, "up")) << running.err();
  const std::vector<pid_t> found = agents_when(2);
  ASSERT_EQ(found.size(), 2U);
  (void)::kill(found[0], SIGSTOP);
  EXPECT_EQ(running.wait().exit_code, 1);
  EXPECT_EQ(lines_with(running.err(), "has not answered for 2 s (--link-timeout)"), 1) << running.err();
}

TEST_F(Agents, OshrunThatIsSilentIsGone) {
  Running running =
      start({"-n", "2", "--hosts", "a,b", "--link-timeout", "2s", "/bin/sh", "-c", "echo up; sleep 1000"});
  ASSERT_TRUE(running.says(2, "up")) << running.err();
  running.signal(SIGSTOP);
  EXPECT_TRUE(test::eventually([&] { return agents().empty(); }));
  running.signal(SIGCONT);
  EXPECT_EQ(running.wait().exit_code, 1);
  EXPECT_EQ(lines_with(running.err(), "oshrun: "), 1) << running.err();
  EXPECT_EQ(lines_with(running.err(), "oshrun: was stopped for "), 1) << running.err();
  EXPECT_EQ(lines_with(running.err(), "host "), 0) << "none is to blame: " << running.err();
}

TEST_F(Agents, AStopByTheUserIsNoSilence) {
  Running running =
      start({"-n", "2", "--hosts", "a,b", "--link-timeout", "2s", "/bin/sh", "-c", "echo up; sleep 4; echo done"});
  ASSERT_TRUE(running.says(2, "up")) << running.err();
  running.signal(SIGTSTP);
  ::sleep(5);
  EXPECT_EQ(lines_with(running.out(), "done"), 0) << "the PEs are stopped";
  running.signal(SIGCONT);
  EXPECT_EQ(running.wait().exit_code, 0) << running.err();
  EXPECT_EQ(lines_with(running.out(), "done"), 2);
}

TEST_F(Agents, SignalsReachAllHosts) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Running running = start({"-n", "4", "--hosts", "a,b", "/bin/sh", "-c",
                             "trap 'echo told; exit 0' INT TERM; echo up; while :; do sleep 0.05; done"});
    ASSERT_TRUE(running.says(4, "up")) << running.err();
    running.signal(signal);
    EXPECT_EQ(running.wait().exit_code, 128 + signal);
    EXPECT_EQ(lines_with(running.out(), "told"), 4) << running.out();
  }
}

TEST_F(Agents, TheTimeIsUp) {
  const Output output = on("a,b", 2, "sleep 1000", {"--timeout", "1"});
  EXPECT_EQ(output.ending.exit_code, 124);
  EXPECT_EQ(lines_with(output.err, "the job has not ended within 1 s (--timeout); 2 of 2 PEs had not finished"), 1);
}

TEST_F(Agents, StatusAndReportsOfAJobOnHosts) {
  Running running = start({"-n", "4", "--hosts", "a,b", WEFT_CARDS, "1", "3", "stays"});
  const test::Command status = command({"--status", std::to_string(running.pid())});
  std::string last;
  EXPECT_TRUE(test::eventually([&] {
    last = test::run(status).out;
    return lines_with(last, "PEs 0-2 have waited up to") == 1;
  })) << last;
  running.signal(SIGUSR1);
  EXPECT_TRUE(test::eventually([&] { return lines_with(running.err(), "PEs 0-2 have waited up to") == 1; }))
      << running.err();
  running.signal(SIGTERM);
  EXPECT_EQ(running.wait().exit_code, 128 + SIGTERM);
}

TEST_F(Agents, DebuggersAreForThisHost) {
  const Output output = on("a,b", 2, "true", {"--debug"});
  EXPECT_EQ(output.ending.exit_code, 2);
  EXPECT_EQ(lines_with(output.err, "--debug with --hosts: PEs on other hosts cannot be debugged from here"), 1)
      << output.err;
}

}  // namespace
}  // namespace weft::fault
