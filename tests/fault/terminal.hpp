// Jobs on a terminal of their own.
#pragma once

#include <pty.h>
#include <sys/wait.h>

#include "job.hpp"

namespace weft::fault {

/// Types, and looks at what is shown. oshrun leads the session of the terminal.
class Terminal : public JobTest {
 protected:
  void begin(Words arguments) {
    const test::Command wanted = command(std::move(arguments));
    const pid_t parent = ::getpid();
    pid_ = ::forkpty(&master_, nullptr, nullptr, nullptr);
    if (pid_ == 0) {
      test::die_with_parent(parent);
      for (const std::string& entry : wanted.environment) ::putenv(const_cast<char*>(entry.c_str()));
      std::vector<char*> words;
      for (const std::string& word : wanted.arguments) words.push_back(const_cast<char*>(word.c_str()));
      words.push_back(nullptr);
      (void)::execv(words[0], words.data());
      ::_exit(127);
    }
    (void)::fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  void TearDown() override {
    if (pid_ > 0) {
      (void)::kill(pid_, SIGKILL);
      (void)::waitpid(pid_, nullptr, 0);
    }
    if (master_ >= 0) (void)::close(master_);
    JobTest::TearDown();
  }
  void type(const std::string& text) const {
    EXPECT_EQ(::write(master_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool shows(const std::string& part) {
    return test::eventually([&] {
      char buffer[4096];
      for (ssize_t got = 0; (got = ::read(master_, buffer, sizeof buffer)) > 0;) {
        screen_.append(buffer, static_cast<std::size_t>(got));
      }
      return screen_.find(part) != std::string::npos;
    });
  }
  /// Processes of the job that run this program and are stopped.
  int stopped(const std::string& program) const {
    int count = 0;
    for (const test::Process& process : test::processes(mark)) {
      count += process.text.rfind("state T", 0) == 0 && process.text.find(": " + program) != std::string::npos ? 1 : 0;
    }
    return count;
  }
  int exit_code() {
    int status = -1;
    EXPECT_TRUE(test::eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) << screen_;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t pid_ = -1;
  int master_ = -1;
  std::string screen_;
};

}  // namespace weft::fault
