// Jobs of the fault tests: the real oshrun, programs that misbehave, and a look at what is left afterwards.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/leftovers.hpp"
#include "support/process.hpp"

namespace weft::fault {

using test::Milliseconds;
using test::Output;
using Words = std::vector<std::string>;

inline std::string oshrun() { return WEFT_OSHRUN; }

/// Number of lines of `text` that hold `part`.
inline int lines_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // ends where reading fails, as it does in the files of a process that has just ended
  return text.str();
}

/// A test that starts jobs. At its end nothing of them may be left: no process, no shared memory object.
class JobTest : public testing::Test {
 protected:
  void TearDown() override {
    const test::TemporaryDirectory nothing;
    EXPECT_EQ(test::leftovers(mark, nothing), "");
    test::kill_all(mark);
  }

  test::Command command(Words arguments) const {
    test::Command made;
    arguments.insert(arguments.begin(), oshrun());
    made.arguments = std::move(arguments);
    made.environment = environment;
    made.environment.push_back(mark.assignment());
    made.input = input;
    return made;
  }
  /// Runs oshrun with these arguments to its end.
  Output job(Words arguments) const {
    Output output = test::run(command(std::move(arguments)));
    EXPECT_FALSE(output.ending.overdue);
    EXPECT_FALSE(output.held_open) << "something outlived the job";
    return output;
  }
  /// n PEs of a shell script.
  Output shell(int n_pes, const std::string& script) const {
    return job({"-n", std::to_string(n_pes), "/bin/sh", "-c", script});
  }

  /// The same in a shell with a limit, such as "-n 64".
  test::Command limited(const std::string& ulimit, Words arguments) const {
    test::Command made = command(std::move(arguments));
    made.arguments.insert(made.arguments.begin(), {"/bin/bash", "-c", "ulimit " + ulimit + " && exec \"$0\" \"$@\""});
    return made;
  }

  test::Mark mark;
  test::TemporaryDirectory files;
  Words environment;
  std::string input;
};

/// A job that goes on while the test does something to it. Its output goes to files.
class Running {
 public:
  Running(const test::Command& command, const std::string& directory)
      : out_(directory + "/out"), err_(directory + "/err"), child_(start(command)) {}

  pid_t pid() const { return child_.pid(); }
  void signal(int number) const { (void)::kill(pid(), number); }
  /// Waits until so many lines of its output hold this.
  bool says(int lines, const std::string& part) const {
    return test::eventually([&] { return lines_with(out(), part) >= lines; });
  }
  test::Ending wait() { return child_.wait(); }
  std::string out() const { return content(out_); }
  std::string err() const { return content(err_); }

 private:
  test::Child start(const test::Command& command) {
    std::ofstream(out_).close();
    std::ofstream(err_).close();
    return test::Child::start([&] {
      (void)::dup2(::open("/dev/null", O_RDONLY), 0);
      (void)::dup2(::open(out_.c_str(), O_WRONLY | O_APPEND), 1);
      (void)::dup2(::open(err_.c_str(), O_WRONLY | O_APPEND), 2);
      for (const std::string& entry : command.environment) ::putenv(const_cast<char*>(entry.c_str()));
      std::vector<char*> words;
      for (const std::string& word : command.arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      (void)::execv(words[0], words.data());
      return 127;
    });
  }

  std::string out_;
  std::string err_;
  test::Child child_;
};

}  // namespace weft::fault
