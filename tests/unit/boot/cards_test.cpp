#include "boot/cards.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "os/futex.hpp"

namespace weft::boot {
namespace {

constexpr int kHere = 3;  // PEs of the node; the job has another node of two

std::atomic<int> g_told{0};
void count_signal(int) { g_told.fetch_add(1); }

// PEs 0, 2 and 4 of 5 are here: numbers on the node and in the job differ.
class CardsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::size_t bytes = control_bytes(kHere, 5);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(4096, bytes)));
    std::memset(memory_.get(), 0, bytes);
    job = new (memory_.get()) JobHeader{};
    job->n_pes = kHere;
    job->job_pes = 5;
    job->n_nodes = 2;
    job->launcher_pid = ::getpid();
    for (std::uint32_t pe = 0; pe < 5; ++pe) {
      peer_card(job, static_cast<int>(pe))->node = pe % 2;
      peer_card(job, static_cast<int>(pe))->local = pe / 2;
    }
    g_told = 0;
    (void)std::signal(SIGCHLD, count_signal);
  }
  void TearDown() override { (void)std::signal(SIGCHLD, SIG_DFL); }

  static PeerCard card(std::uint64_t program) {
    PeerCard made{};
    made.node = 77;  // not a PE's to say
    made.local = 88;
    made.program = program;
    return made;
  }
  static void await(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load() != value) std::this_thread::yield();
  }
  // What the launcher does when all nodes' cards have come.
  void hand_out(std::uint32_t rounds) {
    job->cards_here.store(rounds);
    os::futex_wake_all(job->cards_here);
  }

  JobHeader* job = nullptr;

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

TEST_F(CardsTest, EveryPeWaitsUntilTheCardsOfAllAreHere) {
  std::atomic<int> back{0};
  std::vector<std::thread> pes;
  for (std::uint32_t round = 0; round < 3; ++round) {
    back = 0;
    for (const int pe : {0, 2, 4}) {
      pes.emplace_back([this, &back, pe, round] {
        EXPECT_TRUE(exchange_cards(job, pe, card(100 * (round + 1) + static_cast<std::uint64_t>(pe))));
        ++back;
      });
    }
    await(job->cards_filled, (round + 1) * kHere);
    while (g_told.load() < static_cast<int>(round) + 1) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(back.load(), 0);
    hand_out(round + 1);
    for (std::thread& pe : pes) pe.join();
    pes.clear();
    EXPECT_EQ(back.load(), 3);
    for (const int pe : {0, 2, 4}) {
      const PeerCard& seen = *peer_card(job, pe);
      EXPECT_EQ(seen.program, 100 * (round + 1) + static_cast<std::uint64_t>(pe));
      EXPECT_EQ(seen.node, 0U);
      EXPECT_EQ(seen.local, static_cast<std::uint32_t>(pe) / 2);
    }
    EXPECT_EQ(g_told.load(), static_cast<int>(round) + 1) << "the launcher is told once a round";
  }
}

TEST_F(CardsTest, TheWaitIsInTheRecordOfThePe) {
  std::thread pe([this] { EXPECT_TRUE(exchange_cards(job, 2, card(1))); });
  await(job->cards_filled, 1);
  const WaitRecord& wait = pe_record(job, 1)->waits[0];
  while (wait.since.load() == 0) std::this_thread::yield();
  EXPECT_EQ(wait.why.load(), static_cast<std::uint32_t>(Waiting::kInit));
  EXPECT_EQ(wait.size.load(), 5);
  hand_out(1);
  pe.join();
  EXPECT_EQ(wait.since.load(), 0U);
  EXPECT_EQ(wait.why.load(), static_cast<std::uint32_t>(Waiting::kNot));
}

TEST_F(CardsTest, AWaitForALauncherThatHasGoneIsAnError) {
  job->launcher_pid = INT32_MAX;  // beyond what the kernel gives
  const base::Result<void> done = exchange_cards(job, 0, card(1));
  ASSERT_FALSE(done);
  EXPECT_NE(std::strstr(done.error().text(), "launcher"), nullptr) << done.error().text();
}

}  // namespace
}  // namespace weft::boot
