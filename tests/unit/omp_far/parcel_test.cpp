#include "omp/far/parcel.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::omp::far {
namespace {

// Process 0 of two, each on a node of its own.
class Parcels : public testing::Test {
 protected:
  void SetUp() override {
    dsm::g.me = 0;
    dsm::g.n_pes = 2;
    dsm::g.pages = 100;
    job::g_node.n_pes = 2;
    job::g_node.n_local = 1;
    job::g_node.first_here = 0;
    job::g_node.run_here = 1;
    dsm::forget_owed();
  }
  void TearDown() override { dsm::forget_owed(); }

  static std::span<const std::byte> data_of(const transport::Message& message) {
    return {static_cast<const std::byte*>(message.data), message.bytes};
  }
};

constexpr dsm::Run kPages[] = {{7, 1}, {9, 3}};

Message a_message(What what, std::size_t given) {
  Message message;
  message.what = what;
  message.given = static_cast<std::uint16_t>(given);
  return message;
}

TEST_F(Parcels, WhatIsGivenAndOwedComesAsItWas) {
  ASSERT_TRUE(dsm::owe(dsm::kOweAll, kPages, 4));
  const char given[] = "what a function is given";
  const Message message = a_message(What::kRun, sizeof given);
  const Parcel parcel(1, message, given);
  const auto sent = parcel.of_kind(3);
  ASSERT_EQ(sent.bytes, sizeof given + 2 * sizeof(dsm::Owed));
  EXPECT_EQ(std::memcmp(sent.data, given, sizeof given), 0);
  const Opened opened = open_parcel(0, message, data_of(sent));
  EXPECT_EQ(opened.wrong, nullptr);
  ASSERT_EQ(opened.many, 2U);
  EXPECT_EQ(opened.owed[1].run.first, 9U);
  EXPECT_EQ(opened.owed[1].run.pages, 3U);
  EXPECT_EQ(opened.owed[1].round, 4U);
  EXPECT_FALSE(dsm::owes_beside(dsm::kOweNobody));
}

// Who gives a lock back may go on before that has come, and be seen.
TEST_F(Parcels, OnlyWhatAllWaitForTakesSomethingAlong) {
  ASSERT_TRUE(dsm::owe(dsm::kOweAll, kPages, 4));
  for (int k = 0; k < static_cast<int>(What::kWhats); ++k) {
    const auto what = static_cast<What>(k);
    if (what == What::kRun || what == What::kDone || what == What::kArrive) {
      continue;
    }
    const Parcel parcel(1, a_message(what, 0), nullptr);
    EXPECT_EQ(parcel.of_kind(3).bytes, 0U) << k;
    const dsm::Owed owed{{7, 1}, 1};
    EXPECT_NE(open_parcel(0, a_message(what, 0), std::as_bytes(std::span(&owed, 1))).wrong, nullptr) << k;
  }
  EXPECT_TRUE(dsm::owes_beside(dsm::kOweNobody));
}

TEST_F(Parcels, AnyOtherLengthIsRefused) {
  const std::vector<std::byte> bytes(kMostParcel + sizeof(dsm::Owed));
  const std::span<const std::byte> all(bytes);
  const auto wrong = [&](What what, std::size_t given, std::size_t length) {
    return open_parcel(0, a_message(what, given), all.first(length)).wrong;
  };
  EXPECT_EQ(wrong(What::kRun, 0, 0), nullptr);
  EXPECT_EQ(wrong(What::kRun, kMostGiven, kMostParcel), nullptr);
  EXPECT_NE(wrong(What::kRun, kMostGiven, kMostGiven - 1), nullptr) << "less than was given";
  EXPECT_NE(wrong(What::kRun, kMostGiven + 1, kMostGiven + 1), nullptr) << "more than may be given";
  EXPECT_NE(wrong(What::kRun, 8, 8 + sizeof(dsm::Owed) - 1), nullptr) << "half of a run";
  EXPECT_NE(wrong(What::kArrive, 0, (dsm::kMostOwed + 1) * sizeof(dsm::Owed)), nullptr);
  EXPECT_EQ(wrong(What::kArrive, 0, dsm::kMostOwed * sizeof(dsm::Owed)), nullptr);
  EXPECT_NE(wrong(What::kDone, 16, 16), nullptr) << "no function is given anything";
}

// Rings have no lengths of their own: what a message says is all that there is.
TEST_F(Parcels, OnlyProcess0GivesAFunctionSomethingAndNotTooMuch) {
  EXPECT_TRUE(may_be_given(0, a_message(What::kRun, kMostGiven)));
  EXPECT_FALSE(may_be_given(0, a_message(What::kRun, kMostGiven + 1)));
  EXPECT_FALSE(may_be_given(0, a_message(What::kRun, UINT16_MAX)));
  EXPECT_FALSE(may_be_given(1, a_message(What::kRun, 1)));
  EXPECT_TRUE(may_be_given(1, a_message(What::kRun, 0))) << "refused for another reason";
  for (int k = 0; k < static_cast<int>(What::kWhats); ++k) {
    const auto what = static_cast<What>(k);
    EXPECT_TRUE(may_be_given(1, a_message(what, 0))) << k;
    EXPECT_EQ(may_be_given(0, a_message(what, 1)), what == What::kRun) << k;
  }
  const std::vector<std::byte> given(8);
  EXPECT_NE(open_parcel(1, a_message(What::kRun, 8), given).wrong, nullptr);
}

}  // namespace
}  // namespace weft::omp::far
