#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <exception>
#include <new>

namespace weft::base {
namespace {

// As code without exceptions has it: nobody is there to catch.
[[maybe_unused]] void* take_too_much() noexcept {
  volatile std::size_t much = std::size_t{1} << 62;
  return ::operator new(much);
}

TEST(LastWordsDeathTest, ALineForMemoryThatHasRunOut) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has words of its own";
#endif
  EXPECT_EXIT((void)take_too_much(), testing::ExitedWithCode(1), "^weft: [^ ]+ has run out of private memory");
}

// A program's own handler stays in charge of what is none of ours.
TEST(LastWordsDeathTest, NoLineForAnythingElse) {
  EXPECT_EXIT(std::terminate(), testing::KilledBySignal(SIGABRT), "^terminate called");
}

}  // namespace
}  // namespace weft::base
