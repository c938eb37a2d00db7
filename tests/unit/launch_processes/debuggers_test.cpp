// What becomes of debuggers when the job ends.
#include "launch/processes/debuggers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/process.hpp"

namespace weft::launch::processes {
namespace {

/// A job of one PE that waits for its debugger, and a tmux that says what the test wants.
class DebuggersTest : public testing::Test {
 protected:
  void SetUp() override {
    void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    job = static_cast<boot::JobHeader*>(at);
    job->n_pes = 1;
    plan.in = command::DebugIn::kTmux;
    plan.pes = {0};
    plan.with.tmux = testing::TempDir() + "weft-tmux-" + std::to_string(::getpid());
    plan.with.gdb = "/bin/gdb";
  }
  void TearDown() override {
    (void)::unlink(plan.with.tmux.c_str());
    (void)::munmap(job, kBytes);
  }
  void tmux_says(const std::string& text) {
    std::ofstream(plan.with.tmux) << "#!/bin/sh\necho '" << text << "'\n";
    ASSERT_EQ(::chmod(plan.with.tmux.c_str(), 0700), 0);
  }
  std::string opened(Debuggers& debuggers) {
    debuggers.hold();
    boot::pe_record(job, 0)->pid = ::getpid();
    boot::pe_record(job, 0)->hold = static_cast<std::uint32_t>(boot::Hold::kHeld);
    return debuggers.look(1).at(0);
  }

  static constexpr std::size_t kBytes = boot::control_bytes(1);
  boot::JobHeader* job = nullptr;
  command::DebugPlan plan;
};

// The user ended the server, and its number may be another process's by now: here it is one's of the test.
TEST_F(DebuggersTest, WhatHasAServersNumberNextIsLeft) {
  test::Child other = test::Child::start([] { return ::sleep(60); });
  tmux_says(std::to_string(other.pid()) + " @1");
  Debuggers debuggers(plan, job);
  EXPECT_NE(opened(debuggers).find("tmux window"), std::string::npos);
  EXPECT_EQ(debuggers.server(), other.pid());
  debuggers.ended(other.pid());
  EXPECT_EQ(debuggers.server(), 0);
  debuggers.close();
  EXPECT_FALSE(test::eventually([&] { return other.poll().has_value(); }, test::Milliseconds(100))) << "it was ended";
}

TEST_F(DebuggersTest, ATmuxThatNamesNoProcessOpensNone) {
  for (const char* said : {"0 @1", "nonsense"}) {
    tmux_says(said);
    Debuggers debuggers(plan, job);
    EXPECT_NE(opened(debuggers).find("(tmux could not open a window)"), std::string::npos) << said;
    EXPECT_EQ(debuggers.server(), 0);
    debuggers.close();
  }
}

}  // namespace
}  // namespace weft::launch::processes
