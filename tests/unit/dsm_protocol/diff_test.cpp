#include "dsm/protocol/diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/processor.hpp"
#include "dsm/protocol/ways.hpp"

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

// Each way that this processor has, against the one by words; from and to where pages begin and elsewhere.
TEST(Diff, AllWaysDoTheSame) {
  std::vector<const Ways*> others;
#if defined(__x86_64__)
  if (base::has_avx2()) {
    others.push_back(&kByAvx2);
  }
  if (base::has_avx512()) {
    others.push_back(&kByAvx512);
  }
#endif
  std::mt19937 random(5);
  for (int k = 0; k < 300; ++k) {
    const Bytes before = random_page(random);
    Bytes page = before;
    change_some(page, random);
    const Bytes home = random_page(random);
    Bytes twin = before;
    Changes changes;
    const bool changed = kByWords.compare(page.at, twin.at, &changes);
    Bytes applied = home;
    kByWords.apply(applied.at, twin.at, changes);
    Bytes merged = home;
    Bytes merged_twin = before;
    kByWords.merge(merged.at, merged_twin.at, page.at);
    for (const Ways* each : others) {
      Bytes other_twin = before;
      Changes other;
      EXPECT_EQ(each->compare(page.at, other_twin.at, &other), changed);
      EXPECT_EQ(other_twin, twin);
      EXPECT_EQ(other.lines, changes.lines);
      for (std::size_t line = 0; line < kLines; ++line) {
        EXPECT_TRUE((changes.lines >> line & 1) == 0 || other.bytes[line] == changes.bytes[line]);
      }
      Bytes there = home;
      each->apply(there.at, other_twin.at, other);
      EXPECT_EQ(there, applied);
      there = home;
      other_twin = before;
      std::vector<std::byte> fresh(kPageBytes + 8);
      std::memcpy(fresh.data() + 8, page.at, kPageBytes);
      each->merge(there.at, other_twin.at, fresh.data() + 8);
      EXPECT_EQ(there, merged);
      EXPECT_EQ(other_twin, merged_twin);
      std::fill(fresh.begin(), fresh.end(), std::byte{0});
      each->copy(fresh.data() + 8, page.at, kPageBytes);
      EXPECT_EQ(std::memcmp(fresh.data() + 8, page.at, kPageBytes), 0);
    }
  }
}

// What goes to other nodes is the same whoever makes it, and is read up to its end and no further.
TEST(Diff, IsCodedTheSameInAllWays) {
  std::vector<const Coding*> all = {&kCodingByWords};
#if defined(__x86_64__)
  if (base::has_avx512_vbmi2()) {
    all.push_back(&kCodingByVbmi2);
  }
#endif
  std::mt19937 random(7);
  for (int k = 0; k < 300; ++k) {
    const Bytes before = random_page(random);
    Bytes page = before;
    if (k % 10 != 0) {
      change_some(page, random);
    } else {
      for (std::byte& each : page.at) {
        each ^= std::byte{1};  // as long as it may be
      }
    }
    Bytes twin = before;
    Changes changes;
    (void)compare(page.at, twin.at, &changes);
    std::vector<std::byte> expected(kMostDiffBytes);
    expected.resize(kCodingByWords.encode(twin.at, changes, expected.data()));
    const Bytes home = random_page(random);
    Bytes applied = home;
    apply(applied.at, twin.at, changes);
    for (const Coding* each : all) {
      std::vector<std::byte> coded(kMostDiffBytes);
      coded.resize(each->encode(twin.at, changes, coded.data()));
      coded.shrink_to_fit();  // for who sees accesses behind it
      EXPECT_EQ(coded, expected);
      Bytes there = home;
      each->apply(there.at, coded.data(), coded.data() + coded.size());
      EXPECT_EQ(there, applied);
    }
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
