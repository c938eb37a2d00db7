#include "dsm/protocol/notices.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "dsm/protocol/marks.hpp"

namespace weft::dsm::protocol {
namespace {

TEST(Notices, AreReadOnceTheyArePublished) {
  const auto log = std::make_unique<Notices>();
  EXPECT_FALSE(log->publish());
  log->add({5, 3});
  EXPECT_EQ(log->end(), 0U);
  EXPECT_TRUE(log->publish());
  ASSERT_EQ(log->end(), 1U);
  std::vector<protocol::Run> read;
  EXPECT_TRUE(log->read(0, 1, [&](protocol::Run run) { read.push_back(run); }));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].first, 5U);
  EXPECT_EQ(read[0].pages, 3U);
}

TEST(Notices, TellWhoIsTooFarBehind) {
  const auto log = std::make_unique<Notices>();
  for (std::uint32_t k = 0; k <= Notices::kRoom; ++k) {
    log->add({k, 1});
  }
  log->publish();
  EXPECT_FALSE(log->read(0, log->end(), [](protocol::Run) {}));
  std::uint32_t next = 1;
  EXPECT_TRUE(log->read(1, log->end(), [&](protocol::Run run) { EXPECT_EQ(run.first, next++); }));
}

TEST(Notices, ToldAsReadAreRight) {
  const auto log = std::make_unique<Notices>();
  constexpr std::uint32_t kAll = 20 * Notices::kRoom;
  std::thread writer([&] {
    for (std::uint32_t k = 0; k < kAll; ++k) {
      log->add({k, k});
      if (k % 7 == 0) {
        log->publish();
      }
    }
    log->publish();
  });
  std::uint64_t seen = 0;
  while (seen < kAll) {
    const std::uint64_t end = log->end();
    std::vector<protocol::Run> read;
    if (log->read(seen, end, [&](protocol::Run run) { read.push_back(run); })) {
      for (const protocol::Run& run : read) {
        ASSERT_EQ(run.first, seen);
        ASSERT_EQ(run.pages, seen++);
      }
    }
    seen = end;
  }
  writer.join();
}

TEST(Marks, AreFoundOnceAndStayUntilCleared) {
  constexpr std::uint32_t kPages = 300'000;
  const std::unique_ptr<void, decltype(&std::free)> memory(std::calloc(1, Marks::bytes_for(kPages)), std::free);
  const Marks marks(memory.get(), kPages);
  EXPECT_FALSE(marks.any());
  const std::set<std::uint32_t> wanted = {0, 63, 64, 4095, 4096, 262'143, 262'144, kPages - 1};
  for (const std::uint32_t page : wanted) {
    marks.set(page);
  }
  EXPECT_TRUE(marks.any());
  std::set<std::uint32_t> found;
  const auto note = [&](std::uint32_t word, std::uint64_t bits) {
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
      if ((bits >> bit & 1) != 0) {
        found.insert(word * 64 + bit);
      }
    }
    marks.clear(word, bits);
  };
  marks.each(note);
  EXPECT_EQ(found, wanted);
  found.clear();
  EXPECT_FALSE(marks.any());
  marks.each(note);
  EXPECT_TRUE(found.empty());
  marks.set(4095);
  EXPECT_TRUE(marks.any());
  marks.each(note);
  EXPECT_EQ(found, (std::set<std::uint32_t>{4095}));
}

// Two PEs mark pages of the same words while the home looks: each mark is found, and once. Few pages and many times, as
// what is set last is what a home may miss that takes back too much.
TEST(Marks, ThatAreSetMeanwhileAreFoundOnce) {
  constexpr std::uint32_t kPages = 130;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    const std::unique_ptr<void, decltype(&std::free)> memory(std::calloc(1, Marks::bytes_for(kPages)), std::free);
    const Marks marks(memory.get(), kPages);
    std::atomic<int> setting = 2;
    const auto set_every_second = [&](std::uint32_t first) {
      for (std::uint32_t page = first; page < kPages; page += 2) {
        marks.set(page);
      }
      setting.fetch_sub(1);
    };
    std::thread one(set_every_second, 0);
    std::thread two(set_every_second, 1);
    std::vector<int> found(kPages);
    const auto note = [&](std::uint32_t word, std::uint64_t bits) {
      for (std::uint64_t left = bits; left != 0; left &= left - 1) {
        ++found[word * 64 + static_cast<std::uint32_t>(std::countr_zero(left))];
      }
      marks.clear(word, bits);
    };
    while (setting.load() > 0) {
      marks.each(note);
    }
    one.join();
    two.join();
    marks.each(note);
    ASSERT_EQ(found, std::vector<int>(kPages, 1)) << "round " << round;
  }
}

}  // namespace
}  // namespace weft::dsm::protocol
