// Several threads that push, and one that pops.
#include "msg/queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace weft::msg;

constexpr int kSenders = 3;
constexpr std::uint32_t kEach = 50'000;
constexpr std::size_t kNodes = 16;

struct Areas {
  std::array<std::array<QueueNode, kNodes>, kSenders> nodes{};
  QueueEnds ends{};

  QueueNode* at(Spot spot) {
    const int local = local_of(spot);
    const std::uint64_t which = offset_of(spot) / sizeof(QueueNode);
    const bool is_there = local >= 0 && local < kSenders && which < kNodes;
    return is_there ? &nodes[static_cast<std::size_t>(local)][which] : nullptr;
  }
};

void send_all(Areas& areas, int sender) {
  std::size_t next = 0;
  for (std::uint32_t sequence = 1; sequence <= kEach; ++sequence) {
    QueueNode& node = areas.nodes[static_cast<std::size_t>(sender)][next];
    while (node.full.load(std::memory_order_acquire) != 0) {
      std::this_thread::yield();
    }
    node.envelope.sequence = sequence;
    node.envelope.source = sender;
    EXPECT_TRUE(
        push(areas.ends, spot_of(sender, next * sizeof(QueueNode)), node, [&](Spot spot) { return areas.at(spot); }));
    next = (next + 1) % kNodes;
  }
}

TEST(Queue, KeepsTheOrderOfEachSender) {
  const auto areas = std::make_unique<Areas>();
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back(send_all, std::ref(*areas), sender);
  }
  std::array<std::uint32_t, kSenders> came{};
  std::uint32_t all = 0;
  bool in_order = true;
  bool damaged = false;
  while (all < kSenders * kEach && !damaged) {
    const Popped popped = pop(areas->ends, [&](Spot spot) { return areas->at(spot); });
    damaged = popped.is_damaged;
    if (popped.node == nullptr) {
      std::this_thread::yield();
      continue;
    }
    const auto source = static_cast<std::size_t>(popped.node->envelope.source);
    in_order = in_order && popped.node->envelope.sequence == ++came[source];
    give_back(*popped.node);
    ++all;
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(damaged);
  EXPECT_EQ(pop(areas->ends, [&](Spot spot) { return areas->at(spot); }).node, nullptr);
}

TEST(Queue, TellsOfDamage) {
  const auto areas = std::make_unique<Areas>();
  const auto at = [&](Spot spot) { return areas->at(spot); };
  areas->ends.first.store(spot_of(7, 0));
  EXPECT_TRUE(pop(areas->ends, at).is_damaged) << "there is no such PE";
  areas->ends.first.store(spot_of(1, 1 << 20));
  EXPECT_TRUE(pop(areas->ends, at).is_damaged) << "there is no such place";
  areas->ends.first.store(spot_of(1, 0));
  EXPECT_TRUE(pop(areas->ends, at).is_damaged) << "nobody has filled it";
  areas->ends.first.store(0);
  areas->ends.last.store(spot_of(9, 0));
  EXPECT_FALSE(push(areas->ends, spot_of(0, 0), areas->nodes[0][0], at));
}

TEST(Queue, WaitsForASenderThatHasNotLinkedItsNode) {
  const auto areas = std::make_unique<Areas>();
  const auto at = [&](Spot spot) { return areas->at(spot); };
  EXPECT_TRUE(push(areas->ends, spot_of(0, 0), areas->nodes[0][0], at));
  // As a sender that was stopped between its exchange and its link.
  QueueNode& second = areas->nodes[1][0];
  second.full.store(1);
  areas->ends.last.store(spot_of(1, 0));
  EXPECT_EQ(pop(areas->ends, at).node, nullptr);
  EXPECT_EQ(pop(areas->ends, at).node, nullptr);
  areas->nodes[0][0].next.store(spot_of(1, 0));
  EXPECT_EQ(pop(areas->ends, at).node, &areas->nodes[0][0]);
  EXPECT_EQ(pop(areas->ends, at).node, &second);
  EXPECT_EQ(pop(areas->ends, at).node, nullptr);
}

}  // namespace
