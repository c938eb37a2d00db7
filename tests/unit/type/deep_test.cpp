// Datatypes of very many levels: no walk through them uses a thread's stack up.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "reference.hpp"
#include "type/cursor.hpp"
#include "type/elements.hpp"

namespace weft::type {
namespace {

// With a frame for each, 300,000 levels are some 30 MiB.
constexpr int kVery = 300'000;

class Count : public Visitor {
 public:
  bool visit(const Basic&, std::uintptr_t at, std::int64_t count, std::int64_t) noexcept override {
    if (elements == 0) first = at;
    elements += count;
    return true;
  }
  std::int64_t elements = 0;
  std::uintptr_t first = 0;
};

// An int and then what is given.
Ref behind_an_int(Problem* problem, const Ref& rest, std::int64_t at) {
  const std::array<std::int64_t, 2> lengths{1, 1};
  const std::array<std::int64_t, 2> places{0, at};
  const std::array<Ref, 2> types{make_basic(kInt), rest};
  return make_struct(problem, lengths, places, types);
}

TEST(Deep, LevelsThatOnlyRenameArePassedInALoop) {
  Problem problem{};
  const std::int64_t one = 1;
  Ref chain = make_contiguous(&problem, 3, make_basic(kInt));
  for (int k = 0; k < kVery; ++k) {
    switch (k % 4) {
      case 0: chain = make_dup(chain); break;
      case 1: chain = make_contiguous(&problem, 1, chain); break;
      case 2: {
        const std::int64_t at = k == 2 ? 4 : 0;
        chain = make_hindexed(&problem, {&one, 1}, {&at, 1}, chain);
        break;
      }
      default: chain = make_vector(&problem, {1, 1, 7}, chain); break;
    }
    ASSERT_TRUE(chain) << k;
  }
  chain->commit();
  EXPECT_EQ(chain->size(), 12);
  EXPECT_EQ(chain->program().steps(), 1U);
  EXPECT_EQ(elements_in(*chain, 20), 5);
  Count count;
  EXPECT_TRUE(visit_elements(*chain, 2, 1000, &count));
  EXPECT_EQ(count.elements, 6);
  EXPECT_EQ(count.first, 1004U) << "one of them is moved by four bytes";
  chain = {};  // and is deleted in a loop
}

TEST(Deep, OtherLevelsHaveABound) {
  Problem problem{};
  Ref list = make_basic(kInt);
  int levels = 0;
  for (;; ++levels) {
    Ref next = behind_an_int(&problem, list, 8);
    if (!next) break;
    list = next;
    ASSERT_LE(levels, kMostNested);
  }
  EXPECT_EQ(problem, Problem::kTooDeep);
  EXPECT_EQ(levels, kMostNested);
  list->commit();
  const auto ints = static_cast<std::size_t>(kMostNested) + 1;
  std::vector<int> data(2 * ints);
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<int>(k);
  std::vector<int> packed(ints);
  Cursor(*list, 1).pack(data.data(), 0, packed.data(), ints * sizeof(int));
  for (std::size_t k = 0; k < ints; ++k) ASSERT_EQ(packed[k], static_cast<int>(2 * k));
  EXPECT_EQ(elements_in(*list, 8), 2);
  Count count;
  EXPECT_TRUE(visit_elements(*list, 1, 0, &count));
  EXPECT_EQ(count.elements, static_cast<std::int64_t>(ints));
}

}  // namespace
}  // namespace weft::type
