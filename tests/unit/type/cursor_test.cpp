// The data of datatypes as rows of bytes, against the list of their elements.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "reference.hpp"
#include "type/cursor.hpp"

namespace weft::type {
namespace {

/// Memory around a buffer, all of it different, and the row that the standard's rules make of it.
struct Memory {
  Memory(const Map& map, std::int64_t count) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      low = std::min(low, k * map.extent() + map.true_lb());
      high = std::max(high, k * map.extent() + map.true_ub());
    }
    bytes.resize(static_cast<std::size_t>(high - low));
    std::mt19937 random(static_cast<unsigned>(bytes.size()));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    before = -low;
    for (std::int64_t k = 0; k < count; ++k) {
      for (const Map::Entry& entry : map.entries) {
        for (int b = 0; b < entry.basic->size; ++b) places.push_back(before + k * map.extent() + entry.at + b);
      }
    }
  }
  std::byte* buffer() { return bytes.data() + before; }
  std::vector<std::byte> row() const {
    std::vector<std::byte> row;
    for (const std::int64_t place : places) row.push_back(bytes[static_cast<std::size_t>(place)]);
    return row;
  }

  std::vector<std::byte> bytes;
  std::vector<std::int64_t> places;  // of the row's bytes
  std::int64_t before = 0;
};

/// A buffer's end is where sanitizers look; a vector of no bytes has none.
std::byte* start_of(std::vector<std::byte>* bytes) {
  static std::byte none;
  return bytes->empty() ? &none : bytes->data();
}

TEST(Cursor, PacksAnyDatatypeFromAnyByteToAnyOther) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Samples samples(seed);
    const Sample sample = samples.any(static_cast<int>(seed % 4));
    if (sample.map.entries.size() > 4000) continue;
    sample.type->commit();
    const std::int64_t count = samples.number(0, 3);
    Memory memory(sample.map, count);
    const Cursor cursor(*sample.type, count);
    const std::vector<std::byte> row = memory.row();
    ASSERT_EQ(cursor.bytes(), row.size()) << sample.type->text() << " seed " << seed;
    for (int round = 0; round < 4; ++round) {
      const auto size = static_cast<std::int64_t>(row.size());
      const std::int64_t from = round == 0 ? 0 : samples.number(0, size);
      const std::int64_t to = round == 0 ? size : samples.number(from, size);
      std::vector<std::byte> packed(static_cast<std::size_t>(to - from));
      cursor.pack(memory.buffer(), static_cast<std::uint64_t>(from), start_of(&packed), packed.size());
      ASSERT_TRUE(std::equal(packed.begin(), packed.end(), row.begin() + from))
          << sample.type->text() << " x " << count << " seed " << seed << " from " << from << " to " << to;
    }
  }
}

TEST(Cursor, UnpacksWhatBelongsThereAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Samples samples(seed);
    const Sample sample = samples.any(static_cast<int>(seed % 4));
    if (sample.map.entries.size() > 4000) continue;
    sample.type->commit();
    const std::int64_t count = samples.number(0, 3);
    Memory memory(sample.map, count);
    const Cursor cursor(*sample.type, count);
    const auto size = static_cast<std::int64_t>(memory.places.size());
    const std::int64_t from = samples.number(0, size);
    const std::int64_t to = samples.number(from, size);
    std::vector<std::byte> data(static_cast<std::size_t>(to - from));
    for (std::byte& byte : data) byte = static_cast<std::byte>(samples.number(0, 255));
    std::vector<std::byte> expected = memory.bytes;
    for (std::int64_t k = from; k < to; ++k) {
      expected[static_cast<std::size_t>(memory.places[static_cast<std::size_t>(k)])] =
          data[static_cast<std::size_t>(k - from)];
    }
    cursor.unpack(memory.buffer(), static_cast<std::uint64_t>(from), start_of(&data), data.size());
    ASSERT_EQ(memory.bytes, expected) << sample.type->text() << " seed " << seed;
  }
}

TEST(Cursor, ListsPiecesThatAreTheRow) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Samples samples(seed);
    const Sample sample = samples.any(static_cast<int>(seed % 4));
    if (sample.map.entries.size() > 4000) continue;
    sample.type->commit();
    const std::int64_t count = samples.number(0, 3);
    Memory memory(sample.map, count);
    const Cursor cursor(*sample.type, count);
    const std::vector<std::byte> row = memory.row();
    const auto most = static_cast<std::size_t>(samples.number(1, 7));
    std::vector<std::byte> got;
    while (got.size() < row.size()) {
      Piece pieces[7];
      const std::size_t n = cursor.list(memory.buffer(), got.size(), row.size() - got.size(), pieces, most);
      ASSERT_GT(n, 0U);
      ASSERT_LE(n, most);
      for (std::size_t k = 0; k < n; ++k) {
        const auto* at = static_cast<const std::byte*>(pieces[k].at);
        ASSERT_GT(pieces[k].bytes, 0U);
        got.insert(got.end(), at, at + pieces[k].bytes);
      }
    }
    ASSERT_EQ(got, row) << sample.type->text() << " seed " << seed;
  }
}

TEST(Cursor, KnowsWhatLiesInOnePiece) {
  Problem problem;
  const Ref ints = make_contiguous(&problem, 4, make_contiguous(&problem, 3, make_basic(kInt)));
  ints->commit();
  EXPECT_TRUE(Cursor(*ints, 5).in_one_piece());
  const Ref spread = make_vector(&problem, {4, 1, 2}, make_basic(kInt));
  spread->commit();
  EXPECT_FALSE(Cursor(*spread, 1).in_one_piece());
  const Ref touching = make_vector(&problem, {4, 2, 2}, make_basic(kInt));
  touching->commit();
  EXPECT_TRUE(Cursor(*touching, 7).in_one_piece());
  const Ref wide = make_resized(&problem, 0, 8, make_basic(kInt));
  wide->commit();
  EXPECT_TRUE(Cursor(*wide, 1).in_one_piece());
  EXPECT_FALSE(Cursor(*wide, 2).in_one_piece());
  int here[3] = {};
  const std::int64_t places[] = {8};
  const Ref shifted = make_hindexed_block(&problem, 1, places, make_basic(kInt));
  shifted->commit();
  EXPECT_EQ(Cursor(*shifted, 1).first(here), reinterpret_cast<std::byte*>(&here[2]));
}

TEST(Program, IsTheSameLoopWhicheverConstructorMadeIt) {
  Problem problem;
  const Ref of = make_basic(kDouble);
  std::vector<std::int64_t> places(64);
  std::vector<std::int64_t> bytes(64);
  const std::vector<std::int64_t> ones(64, 1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    places[k] = static_cast<std::int64_t>(k) * 3;
    bytes[k] = places[k] * 8;
  }
  const std::int64_t sizes[] = {64, 3};
  const std::int64_t parts[] = {64, 1};
  const std::int64_t starts[] = {0, 0};
  const Ref all[] = {
      make_vector(&problem, {64, 1, 3}, of),
      make_hvector(&problem, {64, 1, 24}, of),
      make_indexed(&problem, ones, places, of),
      make_hindexed(&problem, ones, bytes, of),
      make_indexed_block(&problem, 1, places, of),
      make_struct(&problem, ones, bytes, std::vector<Ref>(64, of)),
      make_subarray(&problem, {sizes, parts, starts, Order::kC}, of),
      make_vector(&problem, {8, 1, 8}, make_resized(&problem, 0, 24, make_vector(&problem, {1, 1, 1}, of))),
      make_contiguous(&problem, 64, make_resized(&problem, 0, 24, of))};
  for (const Ref& type : all) {
    type->commit();
    const Step& root = type->program().root();
    EXPECT_EQ(root.what, Step::What::kRepeat) << type->text();
    EXPECT_EQ(type->program().body(root).what, Step::What::kRun) << type->text();
    EXPECT_TRUE(root.stride == 24 || type->size() != 512) << type->text();
  }
}

TEST(Cursor, CountsFromNull) {
  Problem problem;
  int here[3] = {1, 2, 3};
  const std::int64_t places[] = {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&here[2])),
                                 static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&here[0]))};
  const Ref type = make_hindexed_block(&problem, 1, places, make_basic(kInt));
  ASSERT_TRUE(type);
  type->commit();
  int got[2] = {};
  Cursor(*type, 1).pack(nullptr, 0, got, sizeof got);
  EXPECT_EQ(got[0], 3);
  EXPECT_EQ(got[1], 1);
}

TEST(Cursor, ReachesFarPlacesAtOnce) {
  Problem problem;
  // 2^40 blocks: what counted them would not come back.
  const Ref huge = make_vector(&problem, {std::int64_t{1} << 40, 1, 2}, make_basic(kInt));
  huge->commit();
  const Cursor cursor(*huge, 1);
  EXPECT_EQ(cursor.bytes(), std::uint64_t{1} << 42);
  Piece pieces[2];
  const std::uint64_t position = (std::uint64_t{1} << 42) - 6;
  ASSERT_EQ(cursor.list(nullptr, position, 6, pieces, 2), 2U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pieces[0].at), ((std::uintptr_t{1} << 40) - 2) * 8 + 2);
  EXPECT_EQ(pieces[0].bytes, 2U);
  EXPECT_EQ(pieces[1].bytes, 4U);
  EXPECT_FALSE(Cursor::fits(*huge, std::int64_t{1} << 21));
  EXPECT_TRUE(Cursor::fits(*huge, 2));
}

}  // namespace
}  // namespace weft::type
