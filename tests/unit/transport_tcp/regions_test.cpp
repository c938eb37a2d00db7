#include "transport/tcp/regions.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace weft::transport::tcp {
namespace {

class RegionsTest : public testing::Test {
 protected:
  RegionKey lend(std::size_t at, std::size_t bytes) {
    const auto lent = regions.lend({memory + at, bytes});
    EXPECT_TRUE(lent);
    return *lent;
  }
  std::byte memory[1024] = {};
  Regions regions;
};

TEST_F(RegionsTest, AKeyIsOfItsMemory) {
  const RegionKey first = lend(0, 100);
  const RegionKey second = lend(512, 8);
  EXPECT_EQ(regions.place(first.key, 0, 100), memory);
  EXPECT_EQ(regions.place(first.key, 99, 1), memory + 99);
  EXPECT_EQ(regions.place(second.key, 8, 0), memory + 520);
  for (const auto& [offset, bytes] :
       {std::pair<std::uint64_t, std::uint64_t>{0, 101}, {100, 1}, {101, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}}) {
    EXPECT_EQ(regions.place(first.key, offset, bytes), nullptr) << offset << ' ' << bytes;
  }
}

TEST_F(RegionsTest, ASlotThatIsUsedAgainRefusesOldKeys) {
  std::set<std::uint64_t> seen;
  for (int round = 0; round < 1000; ++round) {
    const RegionKey key = lend(0, 8);
    EXPECT_TRUE(seen.insert(key.key).second);
    for (const std::uint64_t old : seen) {
      ASSERT_EQ(regions.place(old, 0, 8), old == key.key ? memory : nullptr);
    }
    Memory was;
    EXPECT_TRUE(regions.take_back(key.key, &was));
    EXPECT_EQ(was.at, memory);
    EXPECT_FALSE(regions.take_back(key.key, &was));
    EXPECT_EQ(regions.place(key.key, 0, 1), nullptr);
  }
}

TEST_F(RegionsTest, ThereMayBeMany) {
  std::vector<RegionKey> keys;
  for (std::size_t at = 0; at < sizeof memory; ++at) keys.push_back(lend(at, 1));
  for (std::size_t at = 0; at < sizeof memory; ++at) {
    ASSERT_EQ(regions.place(keys[at].key, 0, 1), memory + at);
    ASSERT_EQ(regions.place(keys[at].key, 1, 1), nullptr);
  }
  regions.take_back_all();
  for (const RegionKey& key : keys) ASSERT_EQ(regions.place(key.key, 0, 1), nullptr);
  EXPECT_EQ(regions.place(lend(5, 1).key, 0, 1), memory + 5);
}

TEST_F(RegionsTest, MadeUpKeysAreOfNothing) {
  const std::uint64_t key = lend(0, 8).key;
  for (int bit = 0; bit < 64; ++bit) EXPECT_EQ(regions.place(key ^ std::uint64_t{1} << bit, 0, 1), nullptr) << bit;
  EXPECT_EQ(regions.place(0, 0, 0), nullptr);
  EXPECT_EQ(regions.place(UINT64_MAX, 0, 0), nullptr);
}

}  // namespace
}  // namespace weft::transport::tcp
