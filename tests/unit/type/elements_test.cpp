// How many elements a message had, and whether they are those that were expected.
#include <gtest/gtest.h>

#include "reference.hpp"
#include "type/elements.hpp"

namespace weft::type {
namespace {

TEST(Elements, CountWhatIsWhole) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Samples samples(seed);
    const Sample sample = samples.any(static_cast<int>(seed % 4));
    const std::int64_t size = sample.map.size();
    const std::int64_t bytes = samples.number(0, 2 * size + 3);
    // By hand: elements one after the other until the bytes are used up.
    std::int64_t left = bytes;
    std::int64_t found = 0;
    Signature signature;
    for (std::size_t k = 0; !sample.map.entries.empty(); k = (k + 1) % sample.map.entries.size()) {
      const Basic& basic = *sample.map.entries[k].basic;
      if (left < basic.size) break;
      left -= basic.size;
      ++found;
      signature = signature.then(Signature::of(basic));
    }
    const auto counted = elements_in(*sample.type, bytes);
    const auto hashed = signature_of(*sample.type, bytes);
    ASSERT_EQ(counted.has_value(), left == 0) << sample.type->text() << " seed " << seed << " bytes " << bytes;
    if (left == 0) {
      EXPECT_EQ(*counted, found) << sample.type->text() << " seed " << seed;
      EXPECT_EQ(hashed->hash, signature.hash) << sample.type->text() << " seed " << seed;
    }
  }
}

TEST(Signature, IsThatOfTheRowAndNotOfTheConstructors) {
  Problem problem;
  const Ref of = make_basic(kInt);
  const Ref twelve = make_contiguous(&problem, 12, of);
  const Ref rows = make_contiguous(&problem, 3, make_vector(&problem, {2, 2, 7}, of));
  EXPECT_EQ(twelve->signature().brief(), rows->signature().brief());
  EXPECT_NE(twelve->signature().brief(), make_contiguous(&problem, 13, of)->signature().brief());
  EXPECT_NE(twelve->signature().brief(), make_contiguous(&problem, 12, make_basic(kShort))->signature().brief());
  EXPECT_EQ(make_contiguous(&problem, 12, make_basic(kByte))->signature().brief(), 0U);
  EXPECT_NE(make_contiguous(&problem, 0, of)->signature().brief(), 0U);
}

}  // namespace
}  // namespace weft::type
