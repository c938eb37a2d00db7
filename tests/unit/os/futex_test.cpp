#include "os/futex.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "os/clock.hpp"

namespace weft::os {
namespace {

TEST(Futex, ReturnsAtOnceWhenTheWordHasChanged) {
  std::atomic<std::uint32_t> word{1};
  futex_wait(word, 0, 3'600'000'000'000);
}

TEST(Futex, EndsWhenItsTimeIsUp) {
  std::atomic<std::uint32_t> word{0};
  const std::uint64_t begin = now_ns();
  futex_wait(word, 0, 20'000'000);
  EXPECT_GE(now_ns() - begin, 15'000'000U);
}

TEST(Futex, WakesOnlyTheWaitersThatAreMeant) {
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> woken{0};
  std::thread first([&] {
    while (word.load() == 0) {
      futex_wait(word, 0, 3'600'000'000'000, 1U);
    }
    ++woken;
  });
  std::thread second([&] {
    while (word.load() != 2) {
      futex_wait(word, word.load() == 2 ? 0 : word.load(), 50'000'000, 2U);
    }
    ++woken;
  });
  word.store(1);
  futex_wake_all(word, 1U);
  first.join();
  EXPECT_EQ(woken.load(), 1);
  word.store(2);
  futex_wake_all(word, 2U);
  second.join();
  EXPECT_EQ(woken.load(), 2);
}

}  // namespace
}  // namespace weft::os
