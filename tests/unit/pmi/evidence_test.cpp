#include "pmi/evidence.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "support/process.hpp"

namespace weft::pmi {
namespace {

class Evidence : public testing::Test {
 protected:
  void SetUp() override {
    token_ = *make_token();
    fd_ = *make_token_file(token_);
    place_ = *describe_file(fd_);
  }
  void TearDown() override { (void)::close(fd_); }

  std::string why(const FileOf& place, const Token& token) const {
    const auto proven = prove(place, token);
    return proven ? "" : proven.error().text();
  }

  Token token_;
  int fd_ = -1;
  FileOf place_;
};

TEST_F(Evidence, AnotherProcessProvesThatItIsHere) {
  test::Child other = test::Child::start([&] {
    // Only by /proc: the descriptor that fork has copied is of another process.
    (void)::close(fd_);
    return prove(place_, token_) ? 0 : 1;
  });
  EXPECT_TRUE(other.wait().clean());
}

TEST_F(Evidence, TokensAreRandomAndComparedWhole) {
  EXPECT_FALSE(same(token_, *make_token()));
  for (int bit : {0, 63, 64, 127}) {
    Token other = token_;
    other.value[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    EXPECT_FALSE(same(token_, other)) << bit;
    EXPECT_NE(why(place_, other).find("another token"), std::string::npos) << why(place_, other);
  }
  EXPECT_TRUE(same(token_, token_));
}

// What a process of another machine would find under the same numbers.
TEST_F(Evidence, NothingElseIsTakenForIt) {
  FileOf gone = place_;
  gone.fd = 9999;
  EXPECT_NE(why(gone, token_).find("No such file"), std::string::npos) << why(gone, token_);
  FileOf other = place_;
  other.inode += 1;
  EXPECT_NE(why(other, token_).find("another file"), std::string::npos);
  int pipe_fds[2];
  ASSERT_EQ(::pipe(pipe_fds), 0);
  FileOf pipe = *describe_file(pipe_fds[0]);
  EXPECT_NE(why(pipe, token_).find("another file"), std::string::npos);  // and does not wait for who writes into it
  (void)::close(pipe_fds[0]);
  (void)::close(pipe_fds[1]);
}

TEST_F(Evidence, SeesThatADescriptorIsAnotherFileByNow) {
  const int copy = ::dup(fd_);
  EXPECT_TRUE(is_file(copy, place_.inode));
  (void)::close(copy);
  EXPECT_FALSE(is_file(copy, place_.inode));
}

}  // namespace
}  // namespace weft::pmi
