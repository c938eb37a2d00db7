// Pages of shared memory that are made of what they are to hold (page_maker.hpp).
#include "dsm/page_maker.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace weft::dsm {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 32;

class PageMakerTest : public testing::Test {
 protected:
  void SetUp() override {
    void* const at = ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    at_ = static_cast<char*>(at);
    file_ = ::dup(0);  // what the next one that is opened gets
    ::close(file_);
    if (const auto opened = maker_.open(at_, kPages * kPage); !opened) {
      GTEST_SKIP() << opened.error().text();
    }
  }
  void TearDown() override {
    maker_.close();
    ::munmap(at_, kPages * kPage);
  }
  bool is(std::size_t page, char value) const {
    return std::vector<char>(at_ + page * kPage, at_ + (page + 1) * kPage) == std::vector<char>(kPage, value);
  }

  char* at_ = nullptr;
  int file_ = -1;
  const std::vector<char> from_ = std::vector<char>(kPages * kPage, 7);
  PageMaker maker_;
};

TEST_F(PageMakerTest, MakesPagesThatHaveNoMemory) {
  EXPECT_EQ(maker_.make(2 * kPage, from_.data(), 3 * kPage), 3 * kPage);
  EXPECT_TRUE(is(1, 0) && is(2, 7) && is(4, 7) && is(5, 0));
}

TEST_F(PageMakerTest, StopsAtOneThatHas) {
  at_[6 * kPage] = 1;
  EXPECT_EQ(maker_.make(4 * kPage, from_.data(), 4 * kPage), 2 * kPage);
  EXPECT_TRUE(is(4, 7) && is(5, 7) && is(7, 0));
  EXPECT_EQ(maker_.make(6 * kPage, from_.data(), 2 * kPage), 0U);
  EXPECT_EQ(at_[6 * kPage], 1) << "it is as it was";
  EXPECT_TRUE(maker_.is_open());
}

TEST_F(PageMakerTest, MakesThemAgainWhenTheirMemoryWasGivenBack) {
  ASSERT_EQ(maker_.make(0, from_.data(), kPage), kPage);
  ASSERT_EQ(::madvise(at_, kPage, MADV_REMOVE), 0);
  EXPECT_EQ(maker_.make(0, from_.data(), kPage), kPage);
  EXPECT_TRUE(is(0, 7));
}

TEST_F(PageMakerTest, GoesOnBehindNoPages) {
  EXPECT_EQ(maker_.make(0, from_.data(), 0), 0U);
  EXPECT_EQ(maker_.make(0, from_.data(), kPage), kPage);
}

// The program may have closed all files, and opened its own.
TEST_F(PageMakerTest, MakesNothingAnyMoreWhereItsFileIsAnotherOne) {
  ASSERT_EQ(::close(file_), 0);
  int of_program[2];
  ASSERT_EQ(::pipe(of_program), 0);
  ASSERT_EQ(of_program[0], file_);
  errno = ERANGE;
  EXPECT_EQ(maker_.make(0, from_.data(), kPage), 0U);
  EXPECT_EQ(errno, ERANGE) << "it is the program's, in whose midst a fault comes";
  EXPECT_FALSE(maker_.is_open());
  maker_.close();
  EXPECT_EQ(::close(of_program[0]), 0) << "it is left alone";
  ::close(of_program[1]);
}

TEST_F(PageMakerTest, LeavesAnotherFileByItsNumberOpen) {
  ASSERT_EQ(::close(file_), 0);
  int of_program[2];
  ASSERT_EQ(::pipe(of_program), 0);
  ASSERT_EQ(of_program[0], file_);
  maker_.close();
  EXPECT_EQ(::close(of_program[0]), 0);
  ::close(of_program[1]);
}

TEST(PageMaker, IsRefusedForWhatIsNotShared) {
  void* const at = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  PageMaker maker;
  EXPECT_FALSE(maker.open(at, kPage));
  EXPECT_FALSE(maker.is_open());
  const std::vector<char> from(kPage, 7);
  EXPECT_EQ(maker.make(0, from.data(), kPage), 0U);
  ::munmap(at, kPage);
}

}  // namespace
}  // namespace weft::dsm
