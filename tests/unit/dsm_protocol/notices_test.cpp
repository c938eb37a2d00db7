#include "dsm/protocol/notices.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft::dsm::protocol
