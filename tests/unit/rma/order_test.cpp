// What a fence waits for, over a network that keeps the order of what was begun and over one that turns it round: it
// carries out the operation last that was begun first, unless somebody waits for it.
#include "rma/order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "boot/enter.hpp"
#include "job/node.hpp"
#include "rma/atomics.hpp"

namespace weft::rma {
namespace {

class Turning final : public transport::Transport {
 public:
  bool ordered = false;
  std::vector<std::uint64_t> done;  // operands, in the order of their effects
  int polls = 0;
  int fences = 0;  // that it was told of

  void atomic(const transport::Remote&, const transport::Atomic& what, void*,
              transport::Pending& pending) noexcept override {
    begun_.push_back({what.operand, pending.begin()});
  }
  void progress() noexcept override {
    ++polls;
    if (begun_.empty()) return;
    const auto next = ordered ? begun_.begin() : begun_.end() - 1;
    done.push_back(next->operand);
    next->count->end();
    begun_.erase(next);
  }
  bool keeps_order() const noexcept override { return ordered; }
  void fenced() noexcept override { ++fences; }

  const char* name() const noexcept override { return "turning"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t) noexcept override { return {}; }
  base::Result<void> open(boot::PeerCard*) noexcept override { return {}; }
  void close() noexcept override {}
  base::Result<transport::RegionKey> lend(const transport::Memory&) noexcept override { return transport::RegionKey{}; }
  void take_back(const transport::RegionKey&) noexcept override {}
  void put(const transport::Remote&, const void*, std::size_t, transport::Source,
           transport::Pending&) noexcept override {}
  void get(void*, const transport::Remote&, std::size_t, transport::Pending&) noexcept override {}
  void put_then(const transport::Remote&, const void*, std::size_t, bool, const transport::Remote&,
                const transport::Atomic&, transport::Pending&) noexcept override {}
  transport::Told tell(int, const transport::Message&, transport::Pending&) noexcept override {
    return transport::Told::kAgain;
  }
  bool sleep(int) noexcept override { return false; }

 private:
  struct Begun {
    std::uint64_t operand;
    transport::Pending::Count* count;
  };
  std::vector<Begun> begun_;
};

class Order : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto attached = boot::enter_alone(1 << 20);
    ASSERT_TRUE(attached) << attached.error().text();
    job::node().job = attached->job;
  }
  void SetUp() override {
    job::node().network = &network;
    job::node().amo_by_network = false;
    job::node().patience.poll = []() noexcept { job::node().network->progress(); };
  }
  void TearDown() override {
    job::node().network = nullptr;
    job::node().patience.poll = nullptr;
  }
  void begin(std::uint64_t number) {
    network.atomic({1, {}, 0}, {Op::kAdd, transport::Type::k64, number}, nullptr, pending);
  }
  // A fence between the first two and the last one; then all is let go on.
  std::vector<std::uint64_t> effects() {
    begin(1);
    begin(2);
    fence(pending);
    polls_in_fence = network.polls;
    begin(3);
    quiet(pending);
    return network.done;
  }
  Turning network;
  transport::Pending pending;
  int polls_in_fence = -1;
};

TEST_F(Order, AFenceWaitsWhereTheNetworkKeepsNone) {
  EXPECT_EQ(effects(), (std::vector<std::uint64_t>{2, 1, 3}));
  EXPECT_GT(polls_in_fence, 0);
  EXPECT_EQ(network.fences, 0);
}

TEST_F(Order, AndForNothingWhereItDoes) {
  network.ordered = true;
  EXPECT_EQ(effects(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(polls_in_fence, 0);
  EXPECT_EQ(network.fences, 1);
}

// Then a PE of this node is reached in two ways, by stores and by the network.
TEST_F(Order, ButWaitsWhereAtomicOperationsGoAnotherWayThanPuts) {
  network.ordered = true;
  job::node().amo_by_network = true;
  (void)effects();
  EXPECT_GT(polls_in_fence, 0);
}

}  // namespace
}  // namespace weft::rma
