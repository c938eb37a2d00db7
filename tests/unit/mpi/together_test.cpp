// Which puts and gets between hosts go together: the whole datatype decides, and how much of it is used.
#include "mpi/win_together.hpp"

#include <gtest/gtest.h>

#include <array>

#include "type/make.hpp"

namespace weft::mpi {
namespace {

using type::Cursor;
using type::Problem;
using type::Ref;

constexpr type::Basic kByte{.name = "MPI_BYTE"};

Ref pieces(std::int64_t count, std::int64_t bytes) {
  Problem problem;
  Ref made = type::make_hvector(&problem, {count, bytes, 2 * bytes}, type::make_basic(kByte));
  made->commit();
  return made;
}

bool goes_together(const Ref& type, std::int64_t count = 1) {
  type->commit();
  const Cursor row(*type, count);
  return is_scattered(row, row.bytes(), short_bytes(false, true));
}

TEST(Together, ManyShortPiecesGo) {
  EXPECT_TRUE(goes_together(pieces(9, 8)));
  EXPECT_TRUE(goes_together(pieces(1'000'000, 128)));
  EXPECT_TRUE(goes_together(pieces(3, 8), 3));
  EXPECT_FALSE(goes_together(pieces(8, 8))) << "a few";
  EXPECT_FALSE(goes_together(pieces(1'000'000, 129))) << "long ones";
  EXPECT_FALSE(goes_together(type::make_basic(kByte))) << "one piece";
  const Ref many = pieces(1'000'000, 8);
  EXPECT_FALSE(is_scattered(Cursor(*many, 1), 64, 128)) << "of which a few are used";
}

TEST(Together, PutsThatTheNetworkJoinsGoWhereTheyAreShorter) {
  const Ref words = pieces(1000, 32);
  const Ref lines = pieces(1000, 40);
  for (const bool joins : {false, true}) {
    for (const bool puts : {false, true}) {
      const std::uint64_t few = short_bytes(puts, joins);
      EXPECT_TRUE(is_scattered(Cursor(*words, 1), 32'000, few));
      EXPECT_EQ(is_scattered(Cursor(*lines, 1), 40'000, few), !(puts && joins));
    }
  }
}

TEST(Together, TheBeginningDoesNotDecide) {
  Problem problem;
  const Ref shorts = pieces(100, 8);
  const Ref longs = pieces(100, 100'000);
  const std::array<std::int64_t, 2> one_each{1, 1};
  const std::array<std::int64_t, 2> places{0, 1 << 20};
  for (const auto& both : {std::array{shorts, longs}, std::array{longs, shorts}}) {
    const Ref type = type::make_struct(&problem, one_each, places, both);
    EXPECT_FALSE(goes_together(type));
  }
  const std::array<std::int64_t, 2> far{0, 1 << 28};
  const std::array lots_behind_few{pieces(4, 1000), pieces(1000, 8)};
  const Ref type = type::make_struct(&problem, one_each, far, lots_behind_few);
  EXPECT_TRUE(goes_together(type));
}

}  // namespace
}  // namespace weft::mpi
