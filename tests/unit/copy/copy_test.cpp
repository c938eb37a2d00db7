#include "copy/copy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace weft::copy {
namespace {

constexpr std::size_t kRoom = 128;  // around the target, to see stores that go too far

struct Named {
  Choice choice;
  const char* name;
};
constexpr Named kAll[] = {
#define WEFT_COPY(name, text) {Choice::k_##name, #name},
#include "api/algorithms.def"
};

std::vector<unsigned char> pattern(std::size_t bytes) {
  std::vector<unsigned char> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<unsigned char>(i * 7 + i / 251 + 1);
  return made;
}

// Copies between the given offsets from an aligned address and looks at every byte of the target and around it.
template <class Copy>
void expect_copies(Copy&& copies, std::size_t bytes, std::size_t to_offset, std::size_t from_offset) {
  const std::vector<unsigned char> source = pattern(bytes + from_offset);
  std::vector<unsigned char> target(bytes + to_offset + 2 * kRoom, 0xee);
  copies(target.data() + kRoom + to_offset, source.data() + from_offset, bytes);
  std::vector<unsigned char> expected(target.size(), 0xee);
  if (bytes > 0) std::memcpy(expected.data() + kRoom + to_offset, source.data() + from_offset, bytes);
  ASSERT_TRUE(target == expected) << bytes << " bytes from offset " << from_offset << " to " << to_offset;
}

class RoutineTest : public testing::TestWithParam<Named> {
 protected:
  void SetUp() override {
    if (routine(GetParam().choice) == nullptr) GTEST_SKIP() << "this processor lacks it";
  }
};

TEST_P(RoutineTest, CopiesEverySmallSize) {
  for (std::size_t bytes = 1; bytes < 700; ++bytes) expect_copies(routine(GetParam().choice), bytes, 0, 0);
}

TEST_P(RoutineTest, CopiesFromAndToEveryAlignment) {
  for (std::size_t to = 0; to < 65; to += 1) {
    for (std::size_t from = 0; from < 65; from += 13) {
      for (const std::size_t bytes : {std::size_t{255}, std::size_t{256}, std::size_t{1000}, std::size_t{4099}}) {
        expect_copies(routine(GetParam().choice), bytes, to, from);
      }
    }
  }
}

TEST_P(RoutineTest, CopiesLargeOddSizes) {
  for (const std::size_t bytes : {(std::size_t{1} << 20) - 1, (std::size_t{3} << 20) + 77}) {
    expect_copies(routine(GetParam().choice), bytes, 3, 5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoutineTest, testing::ValuesIn(kAll),
                         [](const auto& of) { return std::string(of.param.name); });

// Until trials have found the routine for this size: what is moved by a guess, and more copies than are trials.
void copy_until_found(void* to, const void* from, std::size_t bytes) {
  for (std::size_t k = 0; k < kByGuess / bytes + 100 && chosen(bytes) == Choice::kAuto; ++k) copy(to, from, bytes);
}

// A program that makes few copies of a size does not pay for trials.
TEST(Copy, FirstCopiesTryNothing) {
  if (routine(Choice::k_avx2) == nullptr) GTEST_SKIP() << "this processor has no other routine";
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers see the C library's copies only";
#endif
  constexpr std::size_t kBytes = 10000;
  std::vector<unsigned char> memory = pattern(kBytes + 3 * 4096);
  unsigned char* const target = memory.data() + 3 * 4096;  // alike in their pages
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(chosen(kBytes), Choice::kAuto) << k;
    EXPECT_EQ(known(target, memory.data(), kBytes), routine(Choice::k_avx2)) << "the guess";
    copy(target, memory.data(), kBytes);
  }
  copy_until_found(target, memory.data(), kBytes);
  EXPECT_NE(chosen(kBytes), Choice::kAuto);
}

// Each size often enough that copy() has made up its mind, and beyond.
TEST(Copy, CopiesWhileItFindsOutAndAfterwards) {
  for (std::size_t bytes = 1; bytes < std::size_t{9} << 20; bytes = bytes * 2 + 3) {
    for (int k = 0; k < 60; ++k)
      expect_copies(copy, bytes, static_cast<std::size_t>(k % 5), static_cast<std::size_t>(k % 3));
    // Alike in their pages: where the target lies just ahead nothing is tried.
    std::vector<unsigned char> memory = pattern(2 * bytes + 4096);
    unsigned char* const target = memory.data() + (bytes + 4095) / 4096 * 4096;
    copy_until_found(target, memory.data(), bytes);
    copy(target, memory.data(), bytes);
    ASSERT_EQ(std::memcmp(target, memory.data(), bytes), 0) << bytes;
    EXPECT_NE(chosen(bytes), Choice::kAuto) << bytes;
  }
  expect_copies(copy, 0, 0, 0);
}

// A page is what processors compare of addresses there.
TEST(Copy, TakesNoStringWhereTheTargetLiesJustAhead) {
  if (routine(Choice::k_avx2) == nullptr) GTEST_SKIP() << "this processor has no other routine";
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers see the C library's copies only";
#endif
  constexpr std::size_t kMost = 300000;
  std::vector<unsigned char> source(kMost + 4096), target(kMost + 2 * 4096);
  const auto distance = [&](std::size_t from, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(target.data() + to) -
           reinterpret_cast<std::uintptr_t>(source.data() + from);
  };
  const std::size_t same = 4096 - distance(0, 0) % 4096;  // from here in the target both lie alike in their pages
  for (const std::size_t bytes : {std::size_t{2048}, std::size_t{3000}, std::size_t{20000}, kMost}) {
    copy_until_found(target.data() + same, source.data(), bytes);
    ASSERT_NE(chosen(bytes), Choice::kAuto) << bytes;
    for (const std::size_t ahead : {1, 8, 15, 16, 31}) {
      for (const std::size_t pages : {std::size_t{0}, std::size_t{7} << 12}) {
        const Choice there = chosen(bytes, distance(0, same + ahead) + pages);
        EXPECT_NE(there, Choice::k_libc) << bytes << " bytes, " << ahead << " ahead";
        EXPECT_NE(there, Choice::k_rep_movsb) << bytes << " bytes, " << ahead << " ahead";
      }
    }
    for (const std::size_t elsewhere : {0, 32, 100, 4064, 4095})
      EXPECT_EQ(chosen(bytes, distance(0, same + elsewhere)), chosen(bytes)) << elsewhere;
    expect_copies(copy, bytes, (same + 7) % 4096, 0);
  }
}

TEST(Copy, ThreadsMayFindOutTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int k = 0; k < 50; ++k) {
        for (const std::size_t bytes : {std::size_t{5000}, std::size_t{40000}, std::size_t{70000}}) {
          expect_copies(copy, bytes + static_cast<std::size_t>(t), 1, 2);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// What was set stays for the rest of the process, so this suite comes last.
TEST(CopyChoice, IsWhatWasSet) {
  for (const Named& named : kAll) {
    const auto set = choose(named.choice);
    EXPECT_EQ(static_cast<bool>(set), routine(named.choice) != nullptr) << named.name;
    if (set) {
      EXPECT_EQ(chosen(1 << 20), named.choice);
      EXPECT_EQ(chosen(1 << 16, 1), named.choice);
      expect_copies(copy, 100000, 1, 0);
    } else {
      EXPECT_EQ(std::string(set.error().text()).find("WEFT_COPY=" + std::string(named.name) + ": "), 0U);
    }
  }
}

}  // namespace
}  // namespace weft::copy
