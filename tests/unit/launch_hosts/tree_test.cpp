#include "launch/hosts/tree.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "os/clock.hpp"
#include "support/process.hpp"

namespace weft::launch::hosts {
namespace {

TEST(Tree, TheCommandForAHost) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(agent_command({"ssh", "-x"}, "far", "/opt/weft-agent"), (Words{"ssh", "-x", "far", "/opt/weft-agent"}));
  EXPECT_EQ(agent_command({"ssh"}, "far", "/my dir/it's"), (Words{"ssh", "far", "'/my dir/it'\\''s'"}));
  EXPECT_EQ(agent_command({"ssh"}, "localhost", "/my dir/weft-agent"), (Words{"/my dir/weft-agent"}));
}

/// A tree of one agent that is a shell script.
class TreeTest : public testing::Test {
 protected:
  // As oshrun and agents have it: who writes to an agent that has gone reads of it soon.
  void SetUp() override { (void)std::signal(SIGPIPE, SIG_IGN); }
  void TearDown() override { (void)std::signal(SIGPIPE, SIG_DFL); }
  // What the tree has to tell of the host in the end.
  std::string lost(const std::string& script, std::uint64_t silence = 1) {
    sigset_t none;
    sigemptyset(&none);
    streams::Poller poller;
    Tree tree(poller, none);
    Errand errand;
    errand.ssh = {"/bin/sh", "-c", script};
    errand.agent = "agent";
    errand.silence = silence;  // ns; 1: at the first look
    errand.shares = {{"far", {0}}};
    tree.start(errand, 0, 1, os::now_ns());
    std::string why;
    said.clear();
    (void)test::eventually([&] {
      std::array<epoll_event, 8> events;
      const int came = poller.wait(events.data(), 8, 10);
      for (int k = 0; k < came; ++k) {
        if (streams::Poller::about(events[k]) == streams::About::kLinkIn) tree.readable(0);
        if (streams::Poller::about(events[k]) == streams::About::kLinkErr) tree.errors_readable(0);
      }
      int status = 0;
      if (const pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0) (void)tree.child_ended(pid, status);
      tree.look(os::now_ns());
      while (const std::optional<Frame> frame = tree.next(os::now_ns())) {
        if (frame->kind == FrameKind::kSay) said += frame->payload + "\n";
        if (frame->kind != FrameKind::kLost) continue;
        Unpacker from(frame->payload);
        EXPECT_EQ(from.get<int>(), 0);
        EXPECT_EQ(from.get<int>(), 1);
        why = from.text();
      }
      return !why.empty();
    });
    int status = 0;
    while (::waitpid(-1, &status, 0) > 0) {
    }
    return why;
  }
  std::string said;
};

TEST_F(TreeTest, WhatSshSaysAtItsEndIsTheReason) {
  EXPECT_EQ(lost("echo a warning >&2; echo 'far: Permission denied (publickey).' >&2; exit 255"),
            "cannot start weft-agent there: far: Permission denied (publickey). (sh ended with exit code 255)");
  EXPECT_EQ(said, "a warning\n");
}

TEST_F(TreeTest, AnAgentThatIsNotThere) {
  const std::string why = lost("exec /nowhere/weft-agent");
  EXPECT_NE(why.find("/nowhere/weft-agent"), std::string::npos) << why;
  EXPECT_NE(why.find("install Weft in the same place on every host"), std::string::npos) << why;
}

TEST_F(TreeTest, SomebodyElseAnswers) {
  const std::string why = lost("echo hello; sleep 1000");
  EXPECT_NE(why.find("answered \"hello\" instead of weft-agent's greeting"), std::string::npos) << why;
}

// Also where it has ended before we read them, and a look is due.
TEST_F(TreeTest, LastWordsAreHeard) {
  const std::string frame = "\\006\\000\\000\\000\\000\\000\\000\\000\\0" + std::string("26") + "\\000\\000\\000";
  static_assert(static_cast<int>(FrameKind::kGivenUp) == 026);
  EXPECT_EQ(lost("dd bs=40 count=1 2>/dev/null; printf '" + frame + "so be!'; exit 1", 0), "so be!");
}

TEST_F(TreeTest, AnAgentThatFallsSilent) {
  // It greets as we do: what we send is what it answers.
  const std::string why = lost("dd bs=40 count=1 2>/dev/null; sleep 1000");
  EXPECT_NE(why.find("has not answered for"), std::string::npos) << why;
}

}  // namespace
}  // namespace weft::launch::hosts
