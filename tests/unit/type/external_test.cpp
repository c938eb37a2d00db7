// The form "external32", with bytes written by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "reference.hpp"
#include "type/external.hpp"

namespace weft::type {
namespace {

using Bytes = std::vector<unsigned char>;

template <class T>
Bytes packed(const Basic& basic, const T& value) {
  Bytes bytes(basic.external);
  pack_external(*make_basic(basic), 1, &value, bytes.data());
  return bytes;
}

template <class T>
T unpacked(const Basic& basic, const Bytes& bytes) {
  T value{};
  unpack_external(*make_basic(basic), 1, &value, bytes.data());
  return value;
}

constexpr Basic kShortLongInt{20, Kind::kSigned, 8, 8, 4, false, "MPI_LONG"};
constexpr Basic kWide{21, Kind::kCharacter, 4, 4, 2, false, "MPI_WCHAR"};
constexpr Basic kLogical{22, Kind::kLogical, 4, 4, 4, false, "MPI_LOGICAL"};
constexpr Basic kComplex{23, Kind::kComplex, 16, 8, 16, false, "MPI_C_DOUBLE_COMPLEX"};

TEST(External, TurnsNumbersRound) {
  EXPECT_EQ(packed(kInt, 0x01020304), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(packed(kShort, static_cast<short>(-2)), (Bytes{0xff, 0xfe}));
  EXPECT_EQ(packed(kDouble, 1.0), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(unpacked<int>(kInt, {1, 2, 3, 4}), 0x01020304);
  EXPECT_EQ(unpacked<double>(kDouble, {0xc0, 0, 0, 0, 0, 0, 0, 0}), -2.0);
}

TEST(External, ChangesLengths) {
  EXPECT_EQ(packed(kShortLongInt, -3L), (Bytes{0xff, 0xff, 0xff, 0xfd}));
  EXPECT_EQ(unpacked<long>(kShortLongInt, {0xff, 0xff, 0xff, 0xfd}), -3L);
  EXPECT_EQ(unpacked<long>(kShortLongInt, {0x7f, 0, 0, 1}), 0x7f000001L);
  EXPECT_EQ(packed(kWide, L'\u20ac'), (Bytes{0x20, 0xac}));
  EXPECT_EQ(unpacked<wchar_t>(kWide, {0xff, 0xac}), L'\uffac');
}

TEST(External, LooksAtAllBytesOfALogical) {
  EXPECT_EQ(packed(kLogical, 0x00010000), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(packed(kLogical, 0), (Bytes{0, 0, 0, 0}));
}

TEST(External, TurnsBothPartsOfAComplexNumber) {
  const double value[2] = {1.0, -2.0};
  EXPECT_EQ(packed(kComplex, value), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0}));
}

#if defined(__x86_64__)
__extension__ using Quad = __float128;

TEST(External, WritesLongDoublesAsIeeeDoes) {
  EXPECT_EQ(packed(kLongDouble, 1.0L), (Bytes{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(packed(kLongDouble, -1.5L), (Bytes{0xbf, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  using Limits = std::numeric_limits<long double>;
  for (const long double value : {0.0L, 1.0L, -3.25L, Limits::max(), Limits::min(), Limits::denorm_min(),
                                  Limits::epsilon(), Limits::infinity(), 3.14159265358979323846L}) {
    const Quad wide = value;
    Bytes expected(16);
    std::memcpy(expected.data(), &wide, 16);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(packed(kLongDouble, value), expected) << value;
    EXPECT_EQ(unpacked<long double>(kLongDouble, packed(kLongDouble, value)), value);
  }
  EXPECT_TRUE(std::isnan(unpacked<long double>(kLongDouble, packed(kLongDouble, Limits::quiet_NaN()))));
}
#endif

TEST(External, GoesThroughAnyDatatypeAndBack) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Samples samples(seed);
    const Sample sample = samples.any(static_cast<int>(seed % 3));
    std::int64_t low = sample.map.true_lb();
    std::int64_t bytes = sample.map.true_ub() - low;
    if (bytes > 100'000 || sample.map.overlaps()) continue;
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes) + 1);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(samples.number(0, 63));  // no NaNs that are changed
    std::vector<std::byte> copy(memory.size());
    std::vector<std::byte> external(static_cast<std::size_t>(sample.type->external()) + 1);
    const auto at = [&](std::vector<std::byte>& in) { return in.data() - low; };
    pack_external(*sample.type, 1, at(memory), external.data());
    unpack_external(*sample.type, 1, at(copy), external.data());
    for (const Map::Entry& entry : sample.map.entries) {
      if (entry.basic == &kLongDouble) continue;  // six of its bytes are nothing
      const auto place = static_cast<std::size_t>(entry.at - low);
      ASSERT_EQ(std::memcmp(&memory[place], &copy[place], entry.basic->size), 0) << sample.type->text() << " " << seed;
    }
  }
}

}  // namespace
}  // namespace weft::type
