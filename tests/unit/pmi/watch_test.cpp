#include "pmi/watch.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/process.hpp"

namespace weft::pmi {
namespace {

// One watch for a process, so one test.
std::atomic<int> g_lost{-1};
std::atomic<int> g_calls{0};

TEST(Watch, TellsOnlyOfWhoLeftTooEarly) {
  constexpr int kPes = 3;
  const std::size_t bytes = boot::control_bytes(kPes);
  void* memory = std::aligned_alloc(4096, bytes);
  ASSERT_NE(memory, nullptr);
  std::memset(memory, 0, bytes);
  auto* job = static_cast<boot::JobHeader*>(memory);
  job->n_pes = kPes;
  std::vector<test::Child> children;
  for (int local = 1; local < kPes; ++local) {
    children.push_back(test::Child::start([] { ::pause(); }));
    boot::pe_record(job, local)->pid.store(children.back().pid());
    boot::pe_record(job, local)->phase.store(static_cast<std::uint32_t>(boot::Phase::kInitialised));
  }
  boot::pe_record(job, 0)->pid.store(::getpid());
  const auto watched = watch_neighbours(job, 0, [](int local) noexcept {
    g_lost.store(local);
    g_calls.fetch_add(1);
  });
  ASSERT_TRUE(watched) << watched.error().text();
  // PE 1 has finalised before it ends, PE 2 has not.
  boot::pe_record(job, 1)->phase.store(static_cast<std::uint32_t>(boot::Phase::kFinalised));
  for (const test::Child& child : children) (void)::kill(child.pid(), SIGKILL);
  EXPECT_TRUE(test::eventually([] { return g_calls.load() > 0; }));
  EXPECT_EQ(g_lost.load(), 2);
  EXPECT_EQ(g_calls.load(), 1);
  // The memory stays: the thread does.
}

}  // namespace
}  // namespace weft::pmi
