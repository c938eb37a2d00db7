// Runs of every length, and loops that must not be joined.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "reference.hpp"
#include "type/cursor.hpp"

namespace weft::type {
namespace {

constexpr std::byte kUntouched{0xee};

/// Bytes 0, 1, 2 and so on.
std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::byte>(k);
  return bytes;
}

// Lengths have loops and moves of their own; a byte too many or too few is only seen beside a run.
TEST(Runs, OfEveryLengthAreMovedAndNothingBesideThem) {
  Problem problem;
  constexpr std::int64_t kApart = 48;
  constexpr std::int64_t kRuns = 3;
  for (std::int64_t length = 1; length < kApart; ++length) {
    const Ref type = make_hvector(&problem, {kRuns, length, kApart}, make_basic(kByte));
    type->commit();
    const Cursor cursor(*type, 1);
    const std::vector<std::byte> from = numbered(kRuns * kApart);
    std::vector<std::byte> row(cursor.bytes() + 1, kUntouched);
    cursor.pack(from.data(), 0, row.data(), cursor.bytes());
    EXPECT_EQ(row.back(), kUntouched) << length;
    std::vector<std::byte> to(kRuns * kApart, kUntouched);
    cursor.unpack(to.data(), 0, row.data(), cursor.bytes());
    for (std::size_t k = 0; k < to.size(); ++k) {
      const bool data = static_cast<std::int64_t>(k) % kApart < length;
      ASSERT_EQ(to[k], data ? from[k] : kUntouched) << length << " at " << k;
    }
  }
}

/// As programs have them: members of several lengths, in an array, also as members of other structs.
Ref member_lengths(std::int64_t longest) {
  Problem problem;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> places;
  std::vector<Ref> types;
  std::int64_t place = 0;
  for (std::int64_t length = 1; length <= longest; ++length) {
    lengths.push_back(length);
    places.push_back(place);
    types.push_back(make_basic(kByte));
    place += length + 1;
  }
  return make_struct(&problem, lengths, places, types);
}

TEST(Runs, OfArraysOfStructsAreMovedWholeAndInParts) {
  Problem problem;
  const Ref inner = member_lengths(9);
  const std::int64_t lengths[] = {2, 1, 1};
  const std::int64_t places[] = {0, 2 * inner->extent() + 5, 4 * inner->extent()};
  const Ref types[] = {inner, make_basic(kInt), inner};
  const Ref outer = make_struct(&problem, lengths, places, types);
  for (const Ref& type : {inner, outer}) {
    type->commit();
    constexpr std::int64_t kCount = 4;
    const Cursor cursor(*type, kCount);
    const std::vector<std::byte> from = numbered(static_cast<std::size_t>(kCount * type->extent()));
    std::vector<std::byte> whole(cursor.bytes());
    cursor.pack(from.data(), 0, whole.data(), whole.size());
    for (std::size_t k = 0; k < whole.size(); ++k) {
      std::byte one{};
      cursor.pack(from.data(), k, &one, 1);
      ASSERT_EQ(one, whole[k]) << type->text() << " at " << k;
    }
    for (std::size_t split = 0; split <= whole.size(); ++split) {
      std::vector<std::byte> parts(whole.size());
      cursor.pack(from.data(), 0, parts.data(), split);
      cursor.pack(from.data(), split, parts.data() + split, whole.size() - split);
      ASSERT_EQ(parts, whole) << type->text() << " at " << split;
      std::vector<std::byte> back(from.size(), kUntouched);
      cursor.unpack(back.data(), split, whole.data() + split, whole.size() - split);
      cursor.unpack(back.data(), 0, whole.data(), split);
      std::vector<std::byte> again(whole.size());
      cursor.pack(back.data(), 0, again.data(), again.size());
      ASSERT_EQ(again, whole) << type->text() << " at " << split;
    }
  }
}

TEST(Runs, OfLoopsThatReachFarAreNotTakenForOneLoop) {
  Problem problem;
  constexpr std::int64_t kFar = std::int64_t{1} << 62;  // twice that is no displacement
  const Ref far = make_resized(&problem, 0, 8, make_hvector(&problem, {2, 1, kFar}, make_basic(kByte)));
  const Ref type = make_contiguous(&problem, 2, far);
  ASSERT_TRUE(type);
  type->commit();
  Piece pieces[4];
  ASSERT_EQ(Cursor(*type, 1).list(nullptr, 1, 3, pieces, 4), 3U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[0].at), static_cast<std::uintptr_t>(kFar));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[1].at), 8U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[2].at), static_cast<std::uintptr_t>(kFar) + 8);
}

// Of the whole datatype, however its beginning looks, and without a walk through it.
TEST(Runs, PiecesAreCountedInTheMean) {
  Problem problem;
  const auto mean = [](const Ref& type, std::int64_t count = 1) {
    type->commit();
    return Cursor(*type, count).piece_bytes();
  };
  EXPECT_EQ(mean(make_basic(kByte), 100), 1U) << "one run for each, though they touch";
  const Ref loop = make_hvector(&problem, {1'000'000, 8, 16}, make_basic(kByte));
  EXPECT_EQ(mean(loop), 8U);
  EXPECT_EQ(mean(loop, 1000), 8U);
  EXPECT_EQ(mean(make_hvector(&problem, {1000, 1, 100'000'000}, loop)), 8U);
  // 1 to 4 bytes in a structure, and that in a row.
  EXPECT_EQ(mean(member_lengths(4)), 2U);
  EXPECT_EQ(mean(make_hvector(&problem, {50, 1, 1000}, member_lengths(4))), 2U);
  // A hundred short ones and a long one behind them.
  const std::vector<std::int64_t> lengths{1, 100'000};
  const std::vector<std::int64_t> places{0, 1'000'000};
  const std::vector<Ref> both{make_hvector(&problem, {100, 8, 16}, make_basic(kByte)), make_basic(kByte)};
  EXPECT_EQ(mean(make_struct(&problem, lengths, places, both)), (800U + 100'000U) / 101U);
}

}  // namespace
}  // namespace weft::type
