#include "base/no_memory.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace weft::base {
namespace {

// As code without exceptions has it: nobody is there to catch.
[[maybe_unused]] void* take_too_much() noexcept {
  volatile std::size_t much = std::size_t{1} << 62;
  return ::operator new(much);
}

TEST(MemoryDeathTest, ALineWhereItHasRunOut) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has words of its own";
#endif
  EXPECT_EXIT((void)take_too_much(), testing::ExitedWithCode(1),
              "^weft: the system has no more memory for this process, which needs 4611686018427387904 bytes");
}

TEST(MemoryDeathTest, SomebodyElseMaySayIt) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has words of its own";
#endif
  EXPECT_EXIT(
      {
        set_no_memory([](std::size_t bytes) noexcept {
          (void)std::fprintf(stderr, "PE 3 needs %zu", bytes);
          std::_Exit(4);
        });
        set_no_memory(nullptr);  // no change
        (void)take_too_much();
      },
      testing::ExitedWithCode(4), "^PE 3 needs 4611686018427387904");
}

TEST(MemoryTest, WhoAsksGetsNull) {
  volatile std::size_t much = std::size_t{1} << 62;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the program";
#endif
  EXPECT_EQ(::operator new(much, std::nothrow), nullptr);
}

}  // namespace
}  // namespace weft::base
