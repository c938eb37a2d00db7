#include "copy/staged.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "copy/classes.hpp"

namespace weft::copy {
namespace {

constexpr std::size_t kRoom = 128;  // around the target, to see stores that go too far

void expect_copied(std::size_t bytes, std::size_t to, std::size_t from, unsigned seed) {
  std::vector<unsigned char> source(bytes + from);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<unsigned char>(i * 7 + i / 251 + seed);
  }
  std::vector<unsigned char> target(bytes + to + 2 * kRoom, 0xee);
  copy_staged(target.data() + kRoom + to, source.data() + from, bytes);
  std::vector<unsigned char> expected(target.size(), 0xee);
  if (bytes > 0) {
    std::memcpy(expected.data() + kRoom + to, source.data() + from, bytes);
  }
  ASSERT_TRUE(target == expected) << bytes << " bytes from offset " << from << " to " << to;
}

// While routines are tried and afterwards.
TEST(Staged, CopiesAllSizesAndAlignments) {
  unsigned seed = 1;
  for (int round = 0; round < 8; ++round) {
    for (const std::size_t bytes : {0, 1, 2047, 2048, 2049, 4095, 8192, 8193, 70000, 131072, 400001}) {
      expect_copied(bytes, seed % 67, seed * 13 % 65, seed);
      ++seed;
    }
  }
}

// More than it tries. Both lie alike in their pages: where a target is just ahead of its source nothing is tried.
void copy_often(std::size_t bytes) {
  alignas(4096) static std::byte from[65536];
  alignas(4096) static std::byte to[65536];
  for (int k = 0; k < 9 * kChoices + 1; ++k) {
    copy_staged(to, from, bytes);
  }
}

TEST(Staged, FindsOutWhatItTakes) {
  if (is_named()) {
    GTEST_SKIP() << "another test of this program has named a routine; ctest runs each alone";
  }
  constexpr std::size_t kBytes = 16384;
  copy_often(kBytes);
  const Choice found = chosen_staged(kBytes);
  EXPECT_NE(found, Choice::kAuto);
  EXPECT_NE(found, Choice::k_streaming);
  EXPECT_NE(routine(found), nullptr);
  EXPECT_EQ(chosen_staged(8), Choice::k_libc);
}

// Who comes while another one tries copies all the same.
TEST(Staged, ManyThreadsFindOutAtOnce) {
  if (is_named()) {
    GTEST_SKIP() << "another test of this program has named a routine; ctest runs each alone";
  }
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([thread] {
      for (unsigned k = 0; k < 60; ++k) {
        expect_copied(40000 + k, thread * 17 % 64, k % 64, thread * 100 + k);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  copy_often(40000);
  EXPECT_NE(chosen_staged(40000), Choice::kAuto);
}

}  // namespace
}  // namespace weft::copy
