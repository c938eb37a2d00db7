#include "doctor/state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

namespace weft::doctor {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

class StateTest : public testing::Test {
 protected:
  StateTest() : memory_(std::aligned_alloc(4096, boot::control_bytes(2))) {
    std::memset(memory_.get(), 0, boot::control_bytes(2));
    job = new (memory_.get()) boot::JobHeader{};
    job->n_pes = 2;
  }
  boot::WaitRecord& wait(int pe, int k) { return boot::pe_record(job, pe)->waits[k]; }

  std::unique_ptr<void, Free> memory_;
  boot::JobHeader* job = nullptr;
};

TEST_F(StateTest, ReadsWhatIsThere) {
  boot::PeRecord& record = *boot::pe_record(job, 1);
  record.phase = static_cast<std::uint32_t>(boot::Phase::kInitialised);
  record.held[2] = 40;
  wait(1, 3).why = static_cast<std::uint32_t>(boot::Waiting::kLock);
  wait(1, 3).object = 7;
  wait(1, 3).since = 99;
  const auto pes = look_at(job, {true, true});
  EXPECT_TRUE(pes[0].waits.empty());
  EXPECT_EQ(pes[0].oldest(), nullptr);
  ASSERT_EQ(pes[1].waits.size(), 1U);
  EXPECT_EQ(pes[1].waits[0].object, 7U);
  EXPECT_EQ(pes[1].locks, std::vector<boot::Place>{40});
  // What a PE that has gone had waited for is no wait.
  EXPECT_TRUE(look_at(job, {true, false})[1].waits.empty());
}

TEST_F(StateTest, TheOldestWaitCounts) {
  for (int k = 0; k < 3; ++k) {
    wait(0, k).why = static_cast<std::uint32_t>(boot::Waiting::kValue);
    wait(0, k).since = static_cast<std::uint64_t>(10 + (k + 1) % 3);
  }
  EXPECT_EQ(look_at(job, {true, true})[0].oldest()->since, 10U);
}

// The writer as rma/notes.cpp does it. A copy is of one wait: all its numbers are the same.
TEST_F(StateTest, NeverMixesTwoWaits) {
  std::atomic<bool> stop = false;
  boot::WaitRecord& record = wait(0, 0);
  std::thread writer([&] {
    for (std::uint64_t number = 1; !stop.load(); ++number) {
      record.why.store(static_cast<std::uint32_t>(boot::Waiting::kValue), std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      record.object.store(number, std::memory_order_relaxed);
      record.wanted.store(number, std::memory_order_relaxed);
      record.since.store(number, std::memory_order_release);
      record.since.store(0, std::memory_order_relaxed);
      record.why.store(0, std::memory_order_release);
    }
  });
  int seen = 0;
  for (int look = 0; look < 2'000'000 && seen < 1000; ++look) {
    const auto pes = look_at(job, {true, true});
    for (const Wait& copy : pes[0].waits) {
      ++seen;
      ASSERT_EQ(copy.object, copy.since);
      ASSERT_EQ(copy.wanted, copy.since);
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace weft::doctor
