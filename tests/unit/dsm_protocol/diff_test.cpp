#include "dsm/protocol/diff.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace weft::dsm::protocol {
namespace {

struct alignas(64) Bytes {
  std::byte at[kPageBytes] = {};
  bool operator==(const Bytes& other) const { return std::memcmp(at, other.at, sizeof at) == 0; }
};

Bytes random_page(std::mt19937& random) {
  Bytes page;
  for (std::byte& b : page.at) {
    b = static_cast<std::byte>(random());
  }
  return page;
}

void change_some(Bytes& page, std::mt19937& random) {
  const unsigned one_in = 1U << random() % 13;
  for (std::byte& b : page.at) {
    if (random() % one_in == 0) {
      b = static_cast<std::byte>(random());
    }
  }
}

TEST(Diff, OfTheSameIsNothing) {
  std::mt19937 random(1);
  const Bytes page = random_page(random);
  Bytes twin = page;
  Changes changes;
  EXPECT_FALSE(compare(page.at, twin.at, &changes));
  EXPECT_EQ(changes.lines, 0U);
}

TEST(Diff, MakesOneOfTheOtherAndTouchesNothingElse) {
  std::mt19937 random(2);
  for (int k = 0; k < 300; ++k) {
    const Bytes before = random_page(random);
    Bytes page = before;
    change_some(page, random);
    Bytes twin = before;
    Changes changes;
    EXPECT_EQ(compare(page.at, twin.at, &changes), !(page == before));
    EXPECT_EQ(twin, page);
    // Another one's page, all of whose bytes are different: those that changed are taken, no others.
    Bytes home;
    for (std::size_t b = 0; b < kPageBytes; ++b) {
      home.at[b] = before.at[b] ^ std::byte{0xff};
    }
    Bytes coded_home = home;
    apply(home.at, twin.at, changes);
    for (std::size_t b = 0; b < kPageBytes; ++b) {
      ASSERT_EQ(home.at[b], page.at[b] != before.at[b] ? page.at[b] : before.at[b] ^ std::byte{0xff});
    }
    std::vector<std::byte> coded(kMostDiffBytes);
    const std::size_t length = encode(twin.at, changes, coded.data());
    ASSERT_LE(length, kMostDiffBytes);
    EXPECT_EQ(apply_coded(coded_home.at, {coded.data(), length}), length);
    EXPECT_EQ(coded_home, home);
  }
}

TEST(Diff, ThatEndsTooSoonIsNone) {
  std::mt19937 random(3);
  const Bytes before = random_page(random);
  Bytes page = before;
  change_some(page, random);
  page.at[77] ^= std::byte{1};
  Bytes twin = before;
  Changes changes;
  ASSERT_TRUE(compare(page.at, twin.at, &changes));
  std::vector<std::byte> coded(kMostDiffBytes);
  const std::size_t length = encode(twin.at, changes, coded.data());
  Bytes untouched = before;
  for (std::size_t shorter = 0; shorter < length; ++shorter) {
    ASSERT_EQ(apply_coded(untouched.at, {coded.data(), shorter}), 0U);
  }
  EXPECT_EQ(untouched, before);
}

TEST(Diff, MergesWhatOthersHaveChanged) {
  std::mt19937 random(4);
  for (int k = 0; k < 300; ++k) {
    const Bytes before = random_page(random);
    Bytes mine = before;
    Bytes home = before;
    const unsigned parity = random() % 2;
    for (std::size_t b = 0; b < kPageBytes; ++b) {
      if (random() % 3 == 0) {
        (b % 2 == parity ? mine : home).at[b] ^= static_cast<std::byte>(random() % 255 + 1);
      }
    }
    Bytes twin = before;
    Bytes expected = mine;
    for (std::size_t b = 0; b < kPageBytes; ++b) {
      expected.at[b] = home.at[b] != before.at[b] ? home.at[b] : mine.at[b];
    }
    merge(mine.at, twin.at, home.at);
    EXPECT_EQ(mine, expected);
    EXPECT_EQ(twin, home);
    // What is left to go home is what is written here.
    Changes changes;
    compare(mine.at, twin.at, &changes);
    apply(home.at, twin.at, changes);
    EXPECT_EQ(home, expected);
  }
}

TEST(Diff, BesideAWriterLosesNothing) {
  Bytes page;
  Bytes twin;
  Bytes home;
  std::thread writer([&] {
    for (unsigned k = 0; k < 200000; ++k) {
      __atomic_store_n(reinterpret_cast<unsigned*>(page.at) + k % 1024, k, __ATOMIC_RELAXED);
    }
  });
  Changes changes;
  for (int k = 0; k < 2000; ++k) {
    if (compare(page.at, twin.at, &changes)) {
      apply(home.at, twin.at, changes);
    }
  }
  writer.join();
  compare(page.at, twin.at, &changes);
  apply(home.at, twin.at, changes);
  EXPECT_EQ(home, page);
}

TEST(Diff, CopiesPagesWhoseLocksAreInUse) {
  std::mt19937 random(6);
  Bytes home = random_page(random);
  const Bytes before = home;
  std::thread holder([&] {
    for (unsigned k = 0; k < 200000; ++k) {
      __atomic_store_n(reinterpret_cast<unsigned*>(home.at) + 3, k, __ATOMIC_RELAXED);
    }
  });
  Bytes copy;
  for (int k = 0; k < 2000; ++k) {
    copy_words(copy.at, home.at, kPageBytes);
    // The lock's word is any that it has been; nothing beside it is.
    copy.at[12] = before.at[12];
    copy.at[13] = before.at[13];
    copy.at[14] = before.at[14];
    copy.at[15] = before.at[15];
    ASSERT_EQ(copy, before);
  }
  holder.join();
  copy_words(copy.at, home.at, kPageBytes);
  EXPECT_EQ(copy, home);
}

}  // namespace
}  // namespace weft::dsm::protocol
