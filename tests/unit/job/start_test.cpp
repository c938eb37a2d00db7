// Start and stop, counted, in a job of one PE: what there is follows from what the front ends need that go on.
#include "job/start.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "job/attach.hpp"
#include "job/node.hpp"
#include "os/process.hpp"

namespace weft::job {
namespace {

constexpr const char* kName = "weft_no_such_symbol";

int g_forked = 0;
int g_settled = 0;
int g_opened = 0;

// Whoever has a heap and symmetric static data, a heap alone, and nothing but the job's records.
constexpr FrontEnd kWhole{.interface = boot::Interface{3},
                          .needs = {.statics = Statics::kSymmetric, .heap = true, .network = true},
                          .words = {.begin = "whole_begin", .end = "whole_end"},
                          .symbol = kName,
                          .settled = [](const Node&) noexcept { ++g_settled; },
                          .opening = [](transport::Transport*) noexcept { ++g_opened; }};
constexpr FrontEnd kHeap{.interface = boot::Interface{4}, .needs = {.heap = true}, .symbol = kName};
constexpr FrontEnd kServed{.interface = boot::Interface{6}, .needs = {.agent = true}};
constexpr FrontEnd kBare{.interface = boot::Interface{5}, .forked = []() noexcept { ++g_forked; }};

base::Options options() {
  const auto read = base::read_options();
  EXPECT_TRUE(read) << read.error().text();
  return *read;
}

bool mapped() { return node().space.mapped(); }

// Each test in a process of its own: the job is begun once.
class Start : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("SHMEM_SYMMETRIC_SIZE", "4M", 1);
    char name[] = "start_test";
    char* argv[] = {name, nullptr};
    for (const FrontEnd* front_end : {&kWhole, &kHeap, &kServed, &kBare}) attach(argv, *front_end);
  }
  void TearDown() override {
    EXPECT_FALSE(running());
    EXPECT_FALSE(mapped());
  }
};

TEST_F(Start, IsCounted) {
  ASSERT_TRUE(start(kWhole, options()));
  ASSERT_TRUE(start(kWhole, options()));
  EXPECT_TRUE(mapped());
  stop(kWhole);
  EXPECT_TRUE(mapped());
  EXPECT_TRUE(running());
  stop(kWhole);
  EXPECT_FALSE(mapped());
}

TEST_F(Start, WorksAgainAfterTheEnd) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(start(kHeap, options())) << round;
    *reinterpret_cast<volatile int*>(node().space.heap().lo) = round;
    stop(kHeap);
    EXPECT_EQ(node().record().phase.load(), static_cast<std::uint32_t>(boot::Phase::kFinalised));
  }
}

TEST_F(Start, TakesNothingForWhoNeedsNothing) {
  ASSERT_TRUE(start(kBare, options()));
  EXPECT_TRUE(running());
  EXPECT_FALSE(mapped());
  EXPECT_EQ(node().n_pes, 1);
  stop(kBare);
}

TEST_F(Start, AddsTheHeapWhenWhoNeedsItStartsSecond) {
  ASSERT_TRUE(start(kBare, options()));
  EXPECT_FALSE(mapped());
  ASSERT_TRUE(start(kHeap, options()));
  EXPECT_TRUE(mapped());
  *reinterpret_cast<volatile int*>(node().space.heap().lo) = 1;
  stop(kHeap);
  EXPECT_FALSE(mapped()) << "nobody needs it any more";
  EXPECT_TRUE(running());
  ASSERT_TRUE(start(kHeap, options()));
  EXPECT_TRUE(mapped());
  stop(kBare);
  EXPECT_TRUE(mapped());
  stop(kHeap);
}

// Static data in the process that made the front end's addresses, and none before.
TEST_F(Start, MakesStaticDataSymmetricForWhoAsks) {
  static int variable = 7;
  const auto at = reinterpret_cast<std::uintptr_t>(&variable);
  ASSERT_TRUE(start(kHeap, options()));
  EXPECT_FALSE(node().space.symmetric(at, sizeof variable));
  EXPECT_TRUE(node().space.symmetric(node().space.heap().lo, 1));
  stop(kHeap);
  ASSERT_TRUE(start(kWhole, options())) << "nothing is mapped, so the addresses are taken anew";
  EXPECT_TRUE(node().space.symmetric(at, sizeof variable));
  EXPECT_EQ(variable, 7);
  stop(kWhole);
}

TEST_F(Start, RefusesWhatComesTooLate) {
  ASSERT_TRUE(start(kHeap, options()));
  const auto late = start(kWhole, options());
  ASSERT_FALSE(late);
  EXPECT_NE(std::string(late.error().text()).find("cannot become symmetric any more"), std::string::npos)
      << late.error().text();
  EXPECT_TRUE(mapped()) << "the other one goes on";
  stop(kHeap);
}

TEST_F(Start, TellsAFrontEndWhatItAskedToBeTold) {
  g_settled = g_opened = 0;
  ASSERT_TRUE(start(kWhole, options()));
  EXPECT_EQ(g_settled, 1);
  EXPECT_EQ(g_opened, 1);
  stop(kWhole);
}

TEST_F(Start, HasAThreadWhileAnybodyNeedsOne) {
  std::thread([] {}).join();  // a sanitizer's own one comes with the first
  const int before = os::count_threads();
  ASSERT_TRUE(start(kWhole, options()));
  EXPECT_EQ(os::count_threads(), before) << "nobody has asked for one";
  ASSERT_TRUE(start(kServed, options()));
  EXPECT_EQ(os::count_threads(), before + 1);
  ASSERT_TRUE(start(kServed, options()));
  EXPECT_EQ(os::count_threads(), before + 1) << "one serves all";
  stop(kServed);
  stop(kWhole);
  EXPECT_EQ(os::count_threads(), before + 1);
  stop(kServed);
  EXPECT_EQ(os::count_threads(), before);
}

// The launcher speaks of a PE in the words of its interface also before the PE's first call.
TEST_F(Start, TellsWhoseThePeIsBeforeItsFirstCall) {
  ASSERT_TRUE(start(kBare, options()));
  EXPECT_EQ(node().record().call.load(), none_of(kWhole.interface)) << "of the one that was there first";
  stop(kBare);
}

TEST_F(Start, WordsAreTheFirstFrontEndsThatHasSome) {
  EXPECT_STREQ(base::words().begin, "whole_begin");
  EXPECT_STREQ(base::words().end, "whole_end");
  EXPECT_NE(base::words().allocate, nullptr) << "described where nobody has a word";
}

}  // namespace
}  // namespace weft::job
