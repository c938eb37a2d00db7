#include "omp/far/questions.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace weft::omp::far {
namespace {

Message answer_to(std::uint64_t token, std::uint64_t a) {
  Message answer;
  answer.token = token;
  answer.a = a;
  return answer;
}

TEST(Questions, EachHasItsAnswer) {
  const auto questions = std::make_unique<Questions>();
  const std::uint64_t one = questions->begin();
  const std::uint64_t two = questions->begin();
  EXPECT_NE(one, two);
  EXPECT_TRUE(questions->answer(answer_to(two, 20)));
  EXPECT_FALSE(questions->is_answered(one));
  ASSERT_TRUE(questions->is_answered(two));
  EXPECT_EQ(questions->end(two).a, 20U);
  EXPECT_TRUE(questions->answer(answer_to(one, 10)));
  EXPECT_EQ(questions->end(one).a, 10U);
}

TEST(Questions, AreSoManyAtATimeAndHaveTokensOfTheirOwnWhenTheyComeAgain) {
  const auto questions = std::make_unique<Questions>();
  std::set<std::uint64_t> tokens;
  for (std::uint32_t k = 0; k < Questions::kMost; ++k) {
    const std::uint64_t token = questions->begin();
    EXPECT_NE(token, 0U);
    tokens.insert(token);
  }
  EXPECT_EQ(tokens.size(), Questions::kMost);
  EXPECT_EQ(questions->begin(), 0U);
  const std::uint64_t ended = *tokens.begin();
  EXPECT_TRUE(questions->answer(answer_to(ended, 1)));
  (void)questions->end(ended);
  const std::uint64_t again = questions->begin();
  EXPECT_NE(again, 0U);
  EXPECT_EQ(tokens.count(again), 0U);
  EXPECT_FALSE(questions->is_answered(again)) << "the last one's answer is not this one's";
}

TEST(Questions, AnAnswerThatNobodyWantsIsRefused) {
  const auto questions = std::make_unique<Questions>();
  EXPECT_FALSE(questions->answer(answer_to(0, 1)));
  EXPECT_FALSE(questions->answer(answer_to(UINT64_MAX, 1))) << "there is no such place";
  const std::uint64_t token = questions->begin();
  EXPECT_FALSE(questions->answer(answer_to(token + 1, 1)));
  EXPECT_TRUE(questions->answer(answer_to(token, 1)));
  (void)questions->end(token);
  EXPECT_FALSE(questions->answer(answer_to(token, 1))) << "again";
}

}  // namespace
}  // namespace weft::omp::far
