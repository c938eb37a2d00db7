// Numbers of requests that other nodes answer.
#include "msg/numbers.hpp"

#include <gtest/gtest.h>

namespace {

using weft::msg::Numbers;
using weft::msg::Request;

TEST(Numbers, FindsWhatHasOne) {
  Numbers numbers;
  Request requests[3];
  for (Request& request : requests) {
    numbers.give(request);
  }
  for (Request& request : requests) {
    EXPECT_EQ(numbers.find(request.number), &request);
  }
  EXPECT_EQ(numbers.find(3), nullptr);
  EXPECT_EQ(numbers.find(UINT32_MAX), nullptr);
}

TEST(Numbers, KeepsTheOneThatItHas) {
  Numbers numbers;
  Request request;
  numbers.give(request);
  const std::uint32_t number = request.number;
  numbers.give(request);
  EXPECT_EQ(request.number, number);
  EXPECT_EQ(numbers.find(number + 1), nullptr);
}

TEST(Numbers, GivesThemAgain) {
  Numbers numbers;
  Request first;
  Request second;
  EXPECT_FALSE(numbers.take(first));
  numbers.give(first);
  const std::uint32_t number = first.number;
  EXPECT_TRUE(numbers.take(first));
  EXPECT_FALSE(numbers.take(first));
  EXPECT_EQ(numbers.find(number), nullptr);
  numbers.give(second);
  EXPECT_EQ(second.number, number);
  EXPECT_EQ(numbers.find(number), &second);
}

}  // namespace
