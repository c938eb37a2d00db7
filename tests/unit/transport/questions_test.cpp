#include "transport/questions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace weft::transport {
namespace {

Arrival answer_to(std::uint64_t token, int pe, std::uint64_t bytes = 0) {
  Arrival arrival;
  arrival.pe = pe;
  arrival.is_answer = true;
  arrival.bytes = bytes;
  const Reply reply{token, 7, 8};
  arrival.head_bytes = sizeof reply;
  std::memcpy(arrival.head, &reply, sizeof reply);
  return arrival;
}

TEST(Questions, AreAnsweredOnceByWhomTheyWereAsked) {
  const auto asked = std::make_unique<Questions>();
  std::array<std::byte, 16> room{};
  std::atomic<std::uint32_t> left = 1;
  const std::uint64_t token = asked->begin(3, {room.data(), room.size()}, left, true);
  ASSERT_NE(token, 0U);
  Landing landing;
  EXPECT_FALSE(asked->place(answer_to(token, 2), &landing)) << "another PE";
  EXPECT_FALSE(asked->place(answer_to(token + (std::uint64_t{2} << 32), 3), &landing)) << "another turn";
  EXPECT_FALSE(asked->place(answer_to(token | 0xffffff, 3), &landing)) << "no slot";
  EXPECT_FALSE(asked->place(answer_to(token, 3, 17), &landing)) << "more than there is room for";
  Arrival arrival = answer_to(token, 3, 16);
  arrival.head_bytes -= 1;
  EXPECT_FALSE(asked->place(arrival, &landing)) << "another length";
  arrival = answer_to(token, 3, 16);
  ASSERT_TRUE(asked->place(arrival, &landing));
  EXPECT_EQ(landing.at, room.data());
  Landing again;
  EXPECT_FALSE(asked->place(answer_to(token, 3), &again)) << "twice";
  arrival.landing = landing;
  asked->arrived(arrival);
  EXPECT_EQ(left.load(), 0U);
  EXPECT_FALSE(asked->place(answer_to(token, 3), &again)) << "behind the first";
  EXPECT_EQ(asked->end(token).a, 7U);
  EXPECT_FALSE(asked->place(answer_to(token, 3), &again)) << "when it is over";
}

TEST(Questions, ThoseThatAreOpenAreTold) {
  const auto asked = std::make_unique<Questions>();
  std::atomic<std::uint32_t> left = 2;
  std::atomic<std::uint32_t> of_others = 1;
  EXPECT_EQ(asked->open(left).pe, -1);
  (void)asked->begin(5, {}, of_others, false, 9);
  const std::uint64_t first = asked->begin(3, {}, left, false, 7);
  const std::uint64_t second = asked->begin(4, {}, left, true, 8);
  EXPECT_EQ(asked->open(left).pe, 3);
  EXPECT_EQ(asked->open(left).about, 7U);
  for (const auto& [token, pe] : {std::pair{first, 3}, std::pair{second, 4}}) {
    EXPECT_EQ(asked->open(left).pe, pe);
    Arrival arrival = answer_to(token, pe);
    ASSERT_TRUE(asked->place(arrival, &arrival.landing));
    asked->arrived(arrival);
  }
  EXPECT_EQ(asked->open(left).pe, -1) << "answered, though nobody has taken one of the answers";
  EXPECT_EQ(asked->open(of_others).pe, 5);
}

TEST(Questions, TwoCountsGoDown) {
  const auto asked = std::make_unique<Questions>();
  std::atomic<std::uint32_t> left = 1;
  std::atomic<std::uint32_t> also = 5;
  Arrival arrival = answer_to(asked->begin(2, {}, left, false, 0, &also), 2);
  ASSERT_TRUE(asked->place(arrival, &arrival.landing));
  EXPECT_EQ(also.load(), 5U);
  asked->arrived(arrival);
  EXPECT_EQ(left.load(), 0U);
  EXPECT_EQ(also.load(), 4U);
}

TEST(Questions, AreBounded) {
  const auto asked = std::make_unique<Questions>();
  std::atomic<std::uint32_t> left = 0;
  std::uint64_t last = 0;
  int begun = 0;
  for (std::uint64_t token = asked->begin(1, {}, left, false); token != 0 && begun < 100'000; ++begun) {
    last = token;
    left.fetch_add(1);
    token = asked->begin(1, {}, left, false);
  }
  EXPECT_GT(begun, 100);
  EXPECT_LT(begun, 100'000);
  Arrival arrival = answer_to(last, 1);
  ASSERT_TRUE(asked->place(arrival, &arrival.landing));
  asked->arrived(arrival);
  EXPECT_NE(asked->begin(1, {}, left, false), 0U) << "who was answered makes room";
}

}  // namespace
}  // namespace weft::transport
