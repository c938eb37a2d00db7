// The thread with a network: who polls keeps it away, and who says so leaves the network to it at once.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "os/futex.hpp"
#include "progress/progress.hpp"

namespace weft::progress {
namespace {

// Nothing ever comes. It counts who looks and who sleeps.
class StillNetwork final : public transport::Transport {
 public:
  const char* name() const noexcept override { return "still"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t /*bytes*/) noexcept override { return {}; }
  base::Result<void> open(boot::PeerCard* /*own*/) noexcept override { return {}; }
  void close() noexcept override {}
  base::Result<transport::RegionKey> lend(const transport::Memory& /*memory*/) noexcept override {
    return transport::RegionKey{};
  }
  void take_back(const transport::RegionKey& /*key*/) noexcept override {}
  void put(const transport::Remote& /*to*/, const void* /*from*/, std::size_t /*bytes*/, transport::Source /*source*/,
           transport::Pending& /*pending*/) noexcept override {}
  void get(void* /*to*/, const transport::Remote& /*from*/, std::size_t /*bytes*/,
           transport::Pending& /*pending*/) noexcept override {}
  void atomic(const transport::Remote& /*at*/, const transport::Atomic& /*what*/, void* /*fetched*/,
              transport::Pending& /*pending*/) noexcept override {}
  void put_then(const transport::Remote& /*to*/, const void* /*from*/, std::size_t /*bytes*/, bool /*reusable*/,
                const transport::Remote& /*signal*/, const transport::Atomic& /*what*/,
                transport::Pending& /*pending*/) noexcept override {}
  bool keeps_order() const noexcept override { return true; }
  transport::Told tell(int /*pe*/, const transport::Message& /*what*/,
                       transport::Pending& /*pending*/) noexcept override {
    return transport::Told::kAgain;
  }
  void progress() noexcept override {}
  bool sleep(int timeout_ms) noexcept override {
    if (timeout_ms == 0) {
      ++looks;
      return false;
    }
    ++sleeps;
    os::futex_wait(never_, 0, static_cast<std::uint64_t>(timeout_ms) * 1'000'000);
    return false;
  }

  std::atomic<int> looks = 0;
  std::atomic<int> sleeps = 0;

 private:
  std::atomic<std::uint32_t> never_ = 0;
};

class WithNetwork : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(progress_.start(&network_, bell_)); }
  void TearDown() override { progress_.stop(); }

  // Until the thread has taken over; how often it has looked in vain by then.
  int take_over(Progress::While what) {
    progress_.polled();  // who has slept keeps away again
    const int before = network_.sleeps;
    const int looks = network_.looks;
    while (network_.sleeps == before) {
      progress_.take_over(what);
      std::this_thread::yield();
    }
    return network_.looks - looks;
  }

  StillNetwork network_;
  sync::Doorbell bell_{};
  Progress progress_;
};

TEST_F(WithNetwork, WhoLiesDownHasTheThreadLookForAWhile) { EXPECT_GT(take_over(Progress::While::kLiesDown), 0); }

// Else it would look on the processor that the program needs, and be put behind it for that.
TEST_F(WithNetwork, WhoComputesHasItSleepAtOnce) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(take_over(Progress::While::kComputes), 0);
  }
}

}  // namespace
}  // namespace weft::progress
