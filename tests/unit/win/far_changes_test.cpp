#include "win/far_changes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "members.hpp"
#include "win/far.hpp"

namespace weft::win {
namespace {

constexpr std::uint32_t kSum = 1;
constexpr std::uint32_t kWhole = 2;  // of 8 bytes
constexpr std::uint32_t kOdd = 3;    // of 3 bytes

bool find_element(std::uint32_t op, std::uint32_t element, FarElement* found) noexcept {
  if (op != kSum || (element != kWhole && element != kOdd)) {
    return false;
  }
  const std::size_t bytes = element == kWhole ? 8 : 3;
  *found = {bytes, bytes, bytes, false, {}};
  return true;
}

// Adds each byte: what has come shows.
void add_bytes(std::uint32_t /*op*/, std::uint32_t element, std::byte* at, std::size_t count, const std::byte* with,
               std::byte* /*before*/) noexcept {
  for (std::size_t k = 0; k < count * (element == kWhole ? 8 : 3); ++k) {
    at[k] = static_cast<std::byte>(std::to_integer<int>(at[k]) + std::to_integer<int>(with[k]));
  }
}

// What kChangeMany is asked with.
class FarMany : public Members {
 protected:
  static constexpr std::uint64_t kBytes = 4096;

  void SetUp() override {
    Members::SetUp();
    set_far_elements(find_element, add_bytes);
    make(1, kBytes);
    question_.asks = Asks::kChangeMany;
    question_.has_data = 1;
  }
  template <class What>
  void put(const What& what) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&what);
    data_.insert(data_.end(), bytes, bytes + sizeof what);
  }
  void run(std::uint32_t element, std::uint64_t rows) { put(FarRun{kSum, element, rows}); }
  void row(std::uint64_t at, std::uint64_t count, std::size_t bytes, std::uint8_t with) {
    put(FarRow{reinterpret_cast<std::uintptr_t>(memory(0)) + at, count});
    data_.insert(data_.end(), in_run(bytes), std::byte{with});
    ++question_.address;
    question_.count += count;
  }
  // Two of eight bytes, and one row of two of three.
  void fill() {
    run(kWhole, 2);
    row(0, 1, 8, 1);
    row(4088, 1, 8, 2);
    run(kOdd, 1);
    row(5, 2, 6, 4);
  }
  bool change() {
    Place place;
    Before before;
    return change_for(window(0), question_, {data_.data(), data_.size(), 5}, &place, &before);
  }
  // In the data, where a run or a row is.
  template <class What>
  void alter(std::size_t at, What what) {
    ASSERT_LE(at + sizeof what, data_.size());
    std::memcpy(data_.data() + at, &what, sizeof what);
  }
  void expect_refused(const char* why) { EXPECT_DEATH((void)change(), why); }
  int byte(std::size_t at) { return std::to_integer<int>(memory(0)[at]); }

  static constexpr const char* kWrongRows = "PE 5 has sent rows that there are not";
  Question question_{};
  std::vector<std::byte> data_;
};

TEST_F(FarMany, ChangesAllOfThemInTheirOrder) {
  fill();
  ASSERT_TRUE(change());
  EXPECT_EQ(byte(4), 1);
  EXPECT_EQ(byte(5), 5);
  EXPECT_EQ(byte(7), 5);
  EXPECT_EQ(byte(8), 4);
  EXPECT_EQ(byte(10), 4);
  EXPECT_EQ(byte(11), 0);
  EXPECT_EQ(byte(4095), 2);
}

TEST_F(FarMany, RefusesAHeadThatSaysSomethingElse) {
  fill();
  const Question right = question_;
  ++question_.count;
  expect_refused("PE 5 has sent rows of another number of elements");
  question_.count = 0;
  expect_refused("PE 5 has sent rows of another number of elements");
  question_ = right;
  ++question_.address;
  expect_refused(kWrongRows);
  question_ = right;
  question_.has_data = 0;
  expect_refused(kWrongRows);
  question_ = right;
  question_.wants_before = 1;
  expect_refused(kWrongRows);
}

TEST_F(FarMany, RefusesLengthsThatAreNot) {
  fill();
  const std::vector<std::byte> right = data_;
  data_.pop_back();
  expect_refused(kWrongRows);
  data_ = right;
  data_.insert(data_.end(), 8, std::byte{});
  expect_refused(kWrongRows);
  data_.clear();
  expect_refused(kWrongRows);
}

TEST_F(FarMany, RefusesMoreBytesThanAreSentTogether) {
  const std::size_t bytes_of_one = sizeof(FarRow) + 8;
  const std::size_t most = (kMostOfRows - sizeof(FarRun)) / bytes_of_one;
  run(kWhole, most);
  for (std::size_t k = 0; k < most; ++k) row(0, 1, 8, 1);
  ASSERT_LE(data_.size(), kMostOfRows);
  ASSERT_TRUE(change());
  EXPECT_EQ(byte(0), static_cast<int>(most));
  alter(0, FarRun{kSum, kWhole, most + 1});
  row(0, 1, 8, 1);
  ASSERT_GT(data_.size(), kMostOfRows);
  expect_refused(kWrongRows);
}

TEST_F(FarMany, RefusesRunsAndRowsThatAreNot) {
  fill();
  const std::vector<std::byte> right = data_;
  alter(0, FarRun{kSum, kWhole, 0});
  expect_refused(kWrongRows);
  alter(0, FarRun{kSum, kWhole, ~std::uint64_t{0}});
  expect_refused(kWrongRows);
  // The next run would be a row.
  alter(0, FarRun{kSum, kWhole, 3});
  expect_refused("PE 5 has sent a change beyond the window");
  alter(0, FarRun{kSum, 77, 2});
  expect_refused("PE 5 has sent a change that there is not");
  data_ = right;
  const auto address = reinterpret_cast<std::uintptr_t>(memory(0));
  alter(sizeof(FarRun), FarRow{address, 0});
  expect_refused(kWrongRows);
  alter(sizeof(FarRun), FarRow{address, ~std::uint64_t{0} / 8 + 2});
  expect_refused(kWrongRows);
  alter(sizeof(FarRun), FarRow{address + kBytes - 7, 1});
  expect_refused("PE 5 has sent a change beyond the window");
  EXPECT_EQ(byte(0), 0) << "all of it is looked at before anything is changed";
}

}  // namespace
}  // namespace weft::win
