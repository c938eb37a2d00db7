#include "launch/hosts/mirror.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "launch/rules/records.hpp"

namespace weft::launch::hosts {
namespace {

using boot::Waiting;

/// Two PEs of a node, numbers 3 and 4 of a job of 6, and the mirror of that job.
class MirrorTest : public testing::Test {
 protected:
  void SetUp() override {
    processes::JobPlan plan;
    plan.n_pes = 2;
    plan.heap_bytes = 4096;
    plan.node = 1;
    plan.node_pes = {{0, 1, 2}, {3, 4}, {5}};
    plan.key = {11, 12};
    const base::Result<processes::Job> made = processes::make_job(plan);
    ASSERT_TRUE(made) << made.error().text();
    node = *made;
    const base::Result<processes::Job> mirrored = make_mirror(6, 3, 1);
    ASSERT_TRUE(mirrored) << mirrored.error().text();
    mirror = *mirrored;
  }
  void TearDown() override {
    for (const processes::Job& job : {node, mirror}) {
      (void)::munmap(job.header, job.header->control_bytes);
      (void)::close(job.control_fd);
      if (job.data_fd >= 0) (void)::close(job.data_fd);
    }
  }
  processes::Job node;
  processes::Job mirror;
};

TEST_F(MirrorTest, TheFileOfANodeKnowsTheJob) {
  const boot::JobHeader& header = *node.header;
  EXPECT_EQ(header.n_pes, 2U);
  EXPECT_EQ(header.job_pes, 6U);
  EXPECT_EQ(header.n_nodes, 3U);
  EXPECT_EQ(header.node, 1U);
  EXPECT_EQ(header.key[1], 12U);
  const std::uint32_t nodes[] = {0, 0, 0, 1, 1, 2};
  const std::uint32_t locals[] = {0, 1, 2, 0, 1, 0};
  for (int pe = 0; pe < 6; ++pe) {
    EXPECT_EQ(boot::peer_card(node.header, pe)->node, nodes[pe]);
    EXPECT_EQ(boot::peer_card(node.header, pe)->local, locals[pe]);
  }
}

TEST_F(MirrorTest, OnlyWhatHasChangedIsTold) {
  RecordNews news(node.header, {3, 4});
  EXPECT_EQ(news.take(), "");
  node.pe(1).pid = 77;
  const std::string told = news.take();
  EXPECT_LE(told.size(), sizeof(int) + 3 + 8) << "its number, and one word of its record";
  EXPECT_EQ(news.take(), "");
  ASSERT_TRUE(apply_records(told, mirror.header, 0, {3, 4}));
  EXPECT_EQ(mirror.pe(4).pid.load(), 77);
  EXPECT_EQ(mirror.pe(3).pid.load(), 0);
}

// It changes all the time.
TEST_F(MirrorTest, HowOftenAPeHasLookedIsNoNews) {
  RecordNews news(node.header, {3, 4});
  node.pe(0).waits[2].looks = 1;
  node.pe(0).waits[2].missing[1].last = 5;
  EXPECT_EQ(news.take(), "");
  node.pe(0).waits[2].number = 1;
  EXPECT_NE(news.take(), "");
  node.pe(0).waits[2].looks = 2;
  EXPECT_EQ(news.take(), "");
}

TEST_F(MirrorTest, WhoTheMembersAreIsNews) {
  RecordNews news(node.header, {3, 4});
  node.pe(0).waits[2].size = 3;
  EXPECT_NE(news.take(), "");
  node.pe(0).waits[2].missing[1].last = 5;
  EXPECT_NE(news.take(), "");
}

// Whatever the PE's record says of it.
TEST_F(MirrorTest, ThatAPeIsStoppedIsTold) {
  RecordNews news(node.header, {3, 4});
  node.pe(0).presence.stopped = 1;
  EXPECT_EQ(news.take(), "");
  news.set_stopped(1, true);
  ASSERT_TRUE(apply_records(news.take(), mirror.header, 0, {3, 4}));
  EXPECT_EQ(mirror.pe(3).presence.stopped, 0U);
  EXPECT_EQ(mirror.pe(4).presence.stopped, 1U);
  news.set_stopped(1, false);
  ASSERT_TRUE(apply_records(news.take(), mirror.header, 0, {3, 4}));
  EXPECT_EQ(mirror.pe(4).presence.stopped, 0U);
}

TEST_F(MirrorTest, TimesAreThoseOfOurClock) {
  RecordNews news(node.header, {3, 4});
  node.pe(0).waits[0].why = static_cast<std::uint32_t>(Waiting::kBarrier);
  node.pe(0).waits[0].since = 1000;
  ASSERT_TRUE(apply_records(news.take(), mirror.header, -400, {3, 4}));
  EXPECT_EQ(rules::waiting_of(mirror.pe(3), 700).since, 600U);
  EXPECT_EQ(rules::waiting_of(mirror.pe(3), 700).why, Waiting::kBarrier);
  EXPECT_EQ(mirror.pe(3).waits[1].since.load(), 0U) << "no wait";
  // Whether or not they come again.
  node.pe(0).pid = 77;
  ASSERT_TRUE(apply_records(news.take(), mirror.header, -400, {3, 4}));
  EXPECT_EQ(rules::waiting_of(mirror.pe(3), 700).since, 600U);
  node.pe(0).waits[0].since = 2000;
  ASSERT_TRUE(apply_records(news.take(), mirror.header, -400, {3, 4}));
  EXPECT_EQ(rules::waiting_of(mirror.pe(3), 1700).since, 1600U);
}

TEST_F(MirrorTest, OfThreadsOnlyWhatHasChangedIsTold) {
  RecordNews news(node.header, {3, 4});
  boot::PeThreads& threads = *boot::pe_threads(node.header, 1);
  EXPECT_EQ(news.take_threads(), "");
  threads.pid = 77;
  threads.used = 2;
  threads.threads[0].id = 5;
  threads.threads[1].id = 6;
  threads.threads[1].since = 1000;
  threads.threads[1].why = static_cast<std::uint32_t>(boot::ThreadWaits::kBarrier);
  ASSERT_TRUE(apply_threads(news.take_threads(), mirror.header, -400, {3, 4}));
  const boot::PeThreads& heard = *boot::pe_threads(mirror.header, 4);
  EXPECT_EQ(heard.pid, 77);
  EXPECT_EQ(heard.threads[0].since, 0U) << "no wait";
  EXPECT_EQ(heard.threads[1].since, 600U) << "by our clock";
  EXPECT_EQ(news.take_threads(), "");
  threads.threads[1].looks = 7;
  EXPECT_EQ(news.take_threads(), "") << "it changes all the time";
  threads.threads[0].task = 9;
  EXPECT_EQ(news.take_threads().size(), sizeof(int) + sizeof(std::uint32_t) + sizeof(boot::ThreadRecord));
  threads.threads[1].since = 0;
  ASSERT_TRUE(apply_threads(news.take_threads(), mirror.header, -400, {3, 4}));
  EXPECT_EQ(heard.threads[1].since, 0U);
}

// While nobody waits who may wait for them.
TEST_F(MirrorTest, WhichTasksThreadsRunIsNoNews) {
  RecordNews news(node.header, {3, 4});
  boot::PeThreads& threads = *boot::pe_threads(node.header, 0);
  threads.used = 1;
  threads.threads[0].id = 5;
  threads.threads[0].since = 1000;
  threads.threads[0].why = static_cast<std::uint32_t>(boot::ThreadWaits::kRegion);
  EXPECT_NE(news.take_threads(), "");
  threads.threads[0].task = 9;
  EXPECT_EQ(news.take_threads(), "");
}

TEST_F(MirrorTest, ThreadsThatCannotBeAreNotTaken) {
  RecordNews news(node.header, {3, 4});
  boot::PeThreads& threads = *boot::pe_threads(node.header, 0);
  threads.used = UINT32_MAX;
  threads.threads[boot::PeThreads::kMost - 1].id = 5;
  const std::string told = news.take_threads();
  EXPECT_FALSE(apply_threads(told, mirror.header, 0, {4}));
  EXPECT_TRUE(apply_threads(told, mirror.header, 0, {3, 4}));
  EXPECT_EQ(boot::pe_threads(mirror.header, 3)->threads[boot::PeThreads::kMost - 1].id, 5U);
  std::string beyond(sizeof(int) + sizeof(std::uint32_t) + sizeof(boot::ThreadRecord), '\0');
  const int pe = 3;
  const std::uint32_t which = boot::PeThreads::kMost;
  std::memcpy(beyond.data(), &pe, sizeof pe);
  std::memcpy(beyond.data() + sizeof pe, &which, sizeof which);
  EXPECT_FALSE(apply_threads(beyond, mirror.header, 0, {3, 4}));
}

TEST_F(MirrorTest, PesOfANodeNeedNotBeNeighbours) {
  RecordNews news(node.header, {1, 5});
  node.pe(1).pid = 77;
  const std::string told = news.take();
  EXPECT_FALSE(apply_records(told, mirror.header, 0, {1, 2, 3}));
  ASSERT_TRUE(apply_records(told, mirror.header, 0, {1, 5}));
  EXPECT_EQ(mirror.pe(5).pid.load(), 77);
  processes::JobPlan plan;
  plan.n_pes = 2;
  plan.heap_bytes = 4096;
  plan.node = 1;
  plan.node_pes = {{0, 2, 4}, {1, 5}, {3}};
  const base::Result<processes::Job> made = processes::make_job(plan);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(boot::peer_card(made->header, 5)->node, 1U);
  EXPECT_EQ(boot::peer_card(made->header, 5)->local, 1U);
  EXPECT_EQ(boot::peer_card(made->header, 4)->local, 2U);
  (void)::munmap(made->header, made->header->control_bytes);
  (void)::close(made->control_fd);
  (void)::close(made->data_fd);
}

TEST_F(MirrorTest, ANodeCannotSpeakOfOthersPes) {
  RecordNews news(node.header, {2, 3});  // a PE of another's
  node.pe(0).pid = 1;
  EXPECT_FALSE(apply_records(news.take(), mirror.header, 0, {3, 4}));
  EXPECT_EQ(mirror.pe(2).pid.load(), 0);
  EXPECT_FALSE(apply_records("short", mirror.header, 0, {3, 4}));
}

}  // namespace
}  // namespace weft::launch::hosts
