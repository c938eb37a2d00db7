// What the record of a wait says of members that are not evenly spaced.
#include "group/notes.hpp"

#include <vector>

#include "support/job_of_one.hpp"

namespace weft::group {
namespace {

class Notes : public test::JobOfOne {
 protected:
  boot::WaitRecord& told(const std::vector<int>& pes) {
    const auto members = members_of(pes.data(), static_cast<int>(pes.size()));
    EXPECT_TRUE(members);
    place_ = job::begin_wait({.why = boot::Waiting::kTeam,
                              .start = members->start,
                              .stride = members->stride,
                              .size = members->size,
                              .pes = told_pes(*members)});
    members->drop();
    return job::node().record().waits[place_];
  }
  void TearDown() override { job::end_wait(place_); }

  int place_ = -1;
};

TEST_F(Notes, AProgressionHasItsStride) {
  const boot::WaitRecord& record = told({8, 5, 2});
  EXPECT_EQ(record.stride, -3);
  EXPECT_EQ(record.size, 3);
  EXPECT_EQ(record.n_missing, 0U);
}

TEST_F(Notes, AFewRunsAreRanges) {
  const boot::WaitRecord& record = told({7, 1, 900'000, 6, 2, 3});
  EXPECT_EQ(record.start, 7);
  EXPECT_EQ(record.stride, 0);
  EXPECT_EQ(record.size, 6);
  ASSERT_EQ(record.n_missing, 3U);
  EXPECT_EQ(record.missing[0].first, 1U);
  EXPECT_EQ(record.missing[0].last, 3U);
  EXPECT_EQ(record.missing[1].first, 6U);
  EXPECT_EQ(record.missing[1].last, 7U);
  EXPECT_EQ(record.missing[2].first, 900'000U);
  EXPECT_EQ(record.missing[2].last, 900'000U);
}

TEST_F(Notes, MoreRunsAreBits) {
  const boot::WaitRecord& record = told({10, 12, 14, 16, 18, 20, 22, 41, 42, 457});
  EXPECT_EQ(record.size, 10);
  ASSERT_EQ(record.n_missing, boot::kByBits);
  EXPECT_EQ(record.given, 10U);
  EXPECT_EQ(record.missing[0].first, 0x80001555U);
  EXPECT_EQ(record.missing[0].last, 1U);
  EXPECT_EQ(record.missing[6].first, 0U);
  EXPECT_EQ(record.missing[6].last, 0x80000000U);
}

TEST_F(Notes, OfTheOthersNothingIsSaid) { EXPECT_EQ(told({10, 12, 14, 16, 18, 20, 22, 41, 458}).size, 0); }

}  // namespace
}  // namespace weft::group
