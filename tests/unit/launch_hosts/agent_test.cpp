// weft-agent, with a test in the place of oshrun.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "launch/hosts/tree.hpp"
#include "os/clock.hpp"
#include "support/process.hpp"

namespace weft::launch::hosts {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

/// One agent of a job, of which this host runs the first PE and others that do not exist the rest.
class AgentTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)std::signal(SIGPIPE, SIG_IGN);
    sigemptyset(&none);
    errand.agent = WEFT_AGENT;
    errand.shares = {{"localhost", {0}}, {"elsewhere", {}}, {"far", {}}, {"farther", {}}};
    for (int pe = 1; pe < 10'000; ++pe) errand.shares[static_cast<std::size_t>(1 + pe % 3)].pes.push_back(pe);
    errand.parts = {{10'000, {"sleep", "60"}}};
    errand.directory = "/";
    errand.silence = 3 * kSecond;
  }
  void TearDown() override {
    (void)std::signal(SIGPIPE, SIG_DFL);
    EXPECT_TRUE(test::eventually([] {
      const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
      return ended < 0;
    }));
  }

  /// For so long, as oshrun does, or without a word of its own. What the agent has said of itself, or is said of it.
  void live(Tree& tree, streams::Poller& poller, std::uint64_t time, bool speaks = true) {
    for (const std::uint64_t end = os::now_ns() + time; os::now_ns() < end && why.empty();) {
      std::array<epoll_event, 8> events;
      const int came = poller.wait(events.data(), 8, 100);
      for (int k = 0; k < came; ++k) {
        if (streams::Poller::about(events[k]) == streams::About::kLinkIn) tree.readable(0);
        if (streams::Poller::about(events[k]) == streams::About::kLinkOut) tree.writable(0);
        if (streams::Poller::about(events[k]) == streams::About::kLinkErr) tree.errors_readable(0);
      }
      if (speaks) tree.look(os::now_ns());
      while (const std::optional<Frame> frame = tree.next(os::now_ns())) {
        if (frame->kind == FrameKind::kReady) {
          tree.send(FrameKind::kGo, 0, Packer().put(std::uint64_t{1} << 20).bytes());
        }
        started |= frame->kind == FrameKind::kAllStarted;
        if (frame->kind != FrameKind::kLost && frame->kind != FrameKind::kNotStarted) continue;
        Unpacker from(frame->payload);
        (void)from.get<int>();
        if (frame->kind == FrameKind::kLost) (void)from.get<int>();
        why = from.text();
      }
    }
  }

  sigset_t none{};
  Errand errand;
  bool started = false;
  std::string why;
};

// The end of the link alone would look like a fault of the network.
TEST_F(AgentTest, SaysWhyItGivesUp) {
  errand.shares = {{"localhost", {0}}};
  errand.parts[0].n_pes = 1;
  streams::Poller poller;
  Tree tree(poller, none);
  tree.start(errand, 0, 1, os::now_ns());
  live(tree, poller, 60 * kSecond, false);
  EXPECT_TRUE(started);
  EXPECT_EQ(why, "its weft-agent has heard nothing of oshrun for 3 s (--link-timeout) and ends its PEs");
  tree.finish();
}

// Their records are told seldom, then; but who says nothing for the errand's time is given up.
TEST_F(AgentTest, SaysThatItLivesHoweverManyPesAJobHas) {
  streams::Poller poller;
  Tree tree(poller, none);
  tree.start(errand, 0, 1, os::now_ns());
  live(tree, poller, 6 * kSecond);
  EXPECT_TRUE(started);
  EXPECT_EQ(why, "");
  tree.finish();
  tree.send(FrameKind::kFinish, kAllNodes);
  live(tree, poller, kSecond);
}

}  // namespace
}  // namespace weft::launch::hosts
