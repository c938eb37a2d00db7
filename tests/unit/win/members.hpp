// Members of a window in one process: each has its Window, and threads play them. All are of one PE, so what is "the
// member's alone" is copied here by this process; the locks around it are the same.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "job/node.hpp"
#include "win/window.hpp"

namespace weft::win {

class Members : public testing::Test {
 protected:
  static constexpr std::uint64_t kAreaBytes = std::uint64_t{64} << 20;
  void SetUp() override {
    ASSERT_TRUE(job::node().own.map({.bytes = kAreaBytes}));
    // More threads than processors: yields before naps.
    job::node().patience = sync::patience_for(4, 1);
  }
  void TearDown() override {
    windows_.clear();
    EXPECT_EQ(job::node().own.in_use(), 0U) << "each window gives back what it took";
    job::node().own.unmap();
  }

  /// n members with `bytes` each, of the own area or of memory that nobody else would have mapped.
  void make(int n, std::uint64_t bytes, Way way = Way::kMapped, bool has_threads = true) {
    std::vector<Card> cards(static_cast<std::size_t>(n));
    memory_.assign(static_cast<std::size_t>(n), std::vector<std::uint64_t>(bytes / 8 + 1));
    for (int k = 0; k < n; ++k) {
      windows_.push_back(std::make_unique<Window>());
      if (!has_threads) windows_.back()->expect_one_thread();
      ASSERT_TRUE(windows_.back()->open_line(n));
      windows_.back()->expect_attached();
      Card& card = cards[static_cast<std::size_t>(k)];
      card.line = windows_.back()->line_place();
      card.bytes = bytes;
      card.address = reinterpret_cast<std::uintptr_t>(memory_[static_cast<std::size_t>(k)].data());
    }
    for (int k = 0; k < n; ++k) {
      ASSERT_EQ(window(k).meet(cards, k), -1);
      for (int other = 0; other < n; ++other) window(k).member(other).way = way;
    }
  }
  Window& window(int member) { return *windows_[static_cast<std::size_t>(member)]; }
  std::byte* memory(int member) {
    return reinterpret_cast<std::byte*>(memory_[static_cast<std::size_t>(member)].data());
  }
  /// One thread for each member.
  template <class Do>
  void each(Do&& play) {
    std::vector<std::thread> threads;
    for (int k = 0; k < static_cast<int>(windows_.size()); ++k) threads.emplace_back([&play, k] { play(k); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::vector<std::unique_ptr<Window>> windows_;
  std::vector<std::vector<std::uint64_t>> memory_;
};

}  // namespace weft::win
