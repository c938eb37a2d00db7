// Answers that are given later: from a handler, by who finds the network free, and by who finds it taken.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "transport/late.hpp"

namespace weft::transport {
namespace {

constexpr Kind kKind = 3;

class Leaf final : public LateAnswers {
 public:
  Leaf() : LateAnswers(progress) {}
  void send_late(int pe, std::uint64_t connection, const Message& what) noexcept override {
    EXPECT_EQ(what.kind, kKind);
    sent.push_back(std::to_string(pe) + "/" + std::to_string(connection) + " " +
                   std::string(static_cast<const char*>(what.head), what.head_bytes) +
                   std::string(static_cast<const char*>(what.data), what.bytes));
  }
  void no_memory_for_answer(int /*pe*/) noexcept override { ADD_FAILURE(); }

  std::mutex progress;
  std::vector<std::string> sent;
};

Message answer(const std::string& head, const std::string& data) {
  return {kKind, head.data(), head.size(), data.data(), data.size()};
}

TEST(LateAnswers, GoAtOnceWhereNobodyHasTheNetwork) {
  Leaf leaf;
  EXPECT_TRUE(leaf.keep(2, 7)->answer(answer("head ", "data")));
  EXPECT_EQ(leaf.sent, std::vector<std::string>{"2/7 head data"});
}

TEST(LateAnswers, GoAtOnceFromAHandler) {
  Leaf leaf;
  const LateAnswers::Turn turn(leaf);
  EXPECT_TRUE(turn.is_mine());
  EXPECT_TRUE(leaf.keep(1, 1)->answer(answer("a", "")));
  EXPECT_EQ(leaf.sent.size(), 1U);
}

// The data is copied, and who gives the network up sends it.
TEST(LateAnswers, WaitForWhoHasTheNetwork) {
  Leaf leaf;
  {
    const LateAnswers::Turn turn(leaf);
    std::thread other([&] {
      const LateAnswers::Turn none(leaf, std::try_to_lock);
      EXPECT_FALSE(none.is_mine());
      std::string head = "head ";
      std::string data(kMostAnswer, 'x');
      EXPECT_TRUE(leaf.keep(1, 4)->answer(answer(head, data)));
      head.assign(5, '-');
      data.assign(kMostAnswer, '-');
    });
    other.join();
    EXPECT_TRUE(leaf.sent.empty());
  }
  EXPECT_EQ(leaf.sent, std::vector<std::string>{"1/4 head " + std::string(kMostAnswer, 'x')});
}

TEST(LateAnswers, AreStillOwedWhenTheyAreTooLarge) {
  Leaf leaf;
  Owed* owed = leaf.keep(1, 1);
  EXPECT_FALSE(owed->answer(answer("", std::string(kMostAnswer + 1, 'x'))));
  EXPECT_FALSE(owed->answer(answer(std::string(kMostHead + 1, 'x'), "")));
  EXPECT_TRUE(owed->answer(answer("", "y")));
  leaf.keep(1, 1)->give_back();
  EXPECT_EQ(leaf.sent, std::vector<std::string>{"1/1 y"});
}

// None stays behind when all threads are gone, whoever had the network when.
TEST(LateAnswers, AreAllSent) {
  constexpr int kThreads = 4;
  constexpr std::size_t kEach = 2000;
  Leaf leaf;
  std::atomic<int> left = kThreads;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&, k] {
      for (std::size_t n = 0; n < kEach; ++n) {
        EXPECT_TRUE(leaf.keep(k, n)->answer(answer("h", "d")));
      }
      --left;
    });
  }
  while (left != 0) {
    const LateAnswers::Turn turn(leaf, std::try_to_lock);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(leaf.sent.size(), kThreads * kEach);
}

}  // namespace
}  // namespace weft::transport
