// Changes of elements: none of several is lost, whichever way they are made.
#include "win/elements.hpp"

#include "members.hpp"

namespace weft::win {
namespace {

class Elements : public Members {};

template <class T>
void add(const void* with, void* into, std::size_t count) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<T*>(into)[k] = static_cast<T>(static_cast<T*>(into)[k] + static_cast<const T*>(with)[k]);
  }
}

TEST_F(Elements, OneRuleDecides) {
  EXPECT_TRUE(by_processor(Way::kMapped, 2));
  EXPECT_TRUE(by_processor(Way::kMapped, 4));
  EXPECT_TRUE(by_processor(Way::kMapped, 8));
  for (const std::size_t element : {0, 1, 3, 6, 12, 16, 32}) EXPECT_FALSE(by_processor(Way::kMapped, element));
  for (const std::size_t element : {1, 2, 4, 8, 16}) EXPECT_FALSE(by_processor(Way::kCopied, element));
}

TEST_F(Elements, NoneIsLost) {
  constexpr int kMembers = 4;
  constexpr int kTimes = 5000;
  make(kMembers, 256);
  each([this](int me) {
    Member& member = window(me).member(0);
    std::byte* const at = memory(0);
    const Change adds{Change::Does::kCombine, true, add<std::uint64_t>};
    const Change combines{Change::Does::kCombine, false, add<double>};
    const Change adds_short{Change::Does::kCombine, false, add<std::uint16_t>};
    const std::uint64_t one = 1;
    const double half = 0.5;
    const std::uint16_t short_one = 1;
    std::uint64_t last = 0;
    for (int k = 0; k < kTimes; ++k) {
      std::uint64_t was = 0;
      change_row(member, at, 8, 1, &one, &was, adds);
      ASSERT_TRUE(k == 0 || was > last);
      last = was;
      change_row(member, at + 8, 8, 1, &half, nullptr, combines);
      change_row(member, at + 16, 2, 1, &short_one, nullptr, adds_short);
      change_row(member, at + 33, 8, 1, &one, nullptr, adds);  // no address of such an element
      for (std::uint64_t expected = 0, next = 1;; next = expected + 1) {
        std::uint64_t seen = 0;
        swap_one(at + 48, 8, &expected, &next, &seen);
        if (seen == expected) break;
        expected = seen;
      }
      const ElementsLock lock(member);
      ++*reinterpret_cast<long*>(at + 56);
    }
  });
  const auto all = static_cast<std::uint64_t>(kMembers) * kTimes;
  std::uint64_t odd = 0;
  std::memcpy(&odd, memory(0) + 33, 8);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(memory(0)), all);
  EXPECT_EQ(*reinterpret_cast<double*>(memory(0) + 8), 0.5 * static_cast<double>(all));
  EXPECT_EQ(*reinterpret_cast<std::uint16_t*>(memory(0) + 16), static_cast<std::uint16_t>(all));
  EXPECT_EQ(odd, all);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(memory(0) + 48), all);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(memory(0) + 56), all);
}

// Of rows for which the operation is called once for many elements: none is lost to others who change single ones or
// the same row, and what each was is told to one of them only.
TEST_F(Elements, OfARowNoneIsLost) {
  constexpr int kMembers = 4;
  constexpr int kTimes = 2000;
  constexpr std::size_t kRow = 150;
  make(kMembers, 2048);
  std::atomic<std::uint64_t> sums[kRow]{};
  each([&](int me) {
    Member& member = window(me).member(0);
    const Change combines{Change::Does::kCombine, false, add<double>};
    alignas(8) std::byte room[kRow * sizeof(double) + 1];
    double before[kRow];
    std::byte* const with = room + me % 2;  // a program's buffer may lie anywhere
    for (std::size_t k = 0; k < kRow; ++k) {
      const double one = 1;
      std::memcpy(with + k * sizeof one, &one, sizeof one);
    }
    for (int times = 0; times < kTimes; ++times) {
      change_row(member, memory(0), sizeof(double), kRow, with, before, combines);
      for (std::size_t k = 0; k < kRow; ++k) {
        sums[k].fetch_add(static_cast<std::uint64_t>(before[k]), std::memory_order_relaxed);
      }
      const double one = 1;
      change_row(member, memory(0) + 8 * kRow, sizeof one, 1, &one, nullptr, combines);
    }
  });
  const std::uint64_t all = static_cast<std::uint64_t>(kMembers) * kTimes;
  for (std::size_t k = 0; k <= kRow; ++k) {
    EXPECT_EQ(reinterpret_cast<double*>(memory(0))[k], static_cast<double>(all));
  }
  for (std::size_t k = 0; k < kRow; ++k) {
    EXPECT_EQ(sums[k].load(), all * (all - 1) / 2);
  }
}

TEST_F(Elements, RowsAreReplacedUnread) {
  make(1, 64);
  Member& member = window(0).member(0);
  alignas(8) std::byte with[25];
  for (std::size_t k = 0; k < sizeof with; ++k) with[k] = static_cast<std::byte>(k + 1);
  for (const std::size_t element : {2, 4, 8}) {
    for (const std::size_t from : {0, 1}) {
      std::memset(memory(0), 0, 64);
      change_row(member, memory(0) + 8, element, 24 / element, with + from, nullptr,
                 {Change::Does::kReplace, false, nullptr});
      EXPECT_EQ(std::memcmp(memory(0) + 8, with + from, 24), 0);
      EXPECT_EQ(memory(0)[7], std::byte{0});
      EXPECT_EQ(memory(0)[32], std::byte{0});
    }
  }
}

TEST_F(Elements, AreReplacedAndRead) {
  make(1, 64);
  Member& member = window(0).member(0);
  const std::uint32_t with[3] = {7, 8, 9};
  std::uint32_t before[3] = {};
  for (const std::size_t offset : {0, 33}) {
    std::memset(memory(0), 0, 64);
    change_row(member, memory(0) + offset, 4, 3, with, before, {Change::Does::kReplace, false, nullptr});
    EXPECT_EQ(before[0] + before[1] + before[2], 0U);
    change_row(member, memory(0) + offset, 4, 3, nullptr, before, {Change::Does::kNothing, false, nullptr});
    EXPECT_TRUE(std::equal(before, before + 3, with));
    before[0] = before[1] = before[2] = 0;
  }
}

}  // namespace
}  // namespace weft::win
