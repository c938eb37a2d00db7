#include "transport/tcp/outbox.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace weft::transport::tcp {
namespace {

class OutboxTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0); }
  void TearDown() override {
    (void)::close(fds[0]);
    (void)::close(fds[1]);
  }
  int post(const std::string& head, const std::string& data, Outbox::Keep keep = Outbox::Keep::kCopy,
           Pending* sent = nullptr) {
    return box.post(fds[0], head.data(), head.size(), data.data(), data.size(), keep, sent);
  }
  std::string read_all() {
    std::string all;
    char part[4096];
    for (;;) {
      const ssize_t came = ::read(fds[1], part, sizeof part);
      if (came > 0) {
        all.append(part, static_cast<std::size_t>(came));
      } else if (box.empty()) {
        return all;
      } else {
        EXPECT_EQ(box.flush(fds[0]), 0);
      }
    }
  }
  int fds[2] = {-1, -1};
  Outbox box;
};

TEST_F(OutboxTest, KeepsNothingWhileThereIsRoom) {
  EXPECT_EQ(post("head", "data"), 0);
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(post("head alone", ""), 0);
  EXPECT_EQ(read_all(), "headdatahead alone");
}

// All of it, in order, wherever the socket was full.
TEST_F(OutboxTest, KeepsWhatASocketDoesNotTake) {
  std::string expected;
  std::string large(3'000'001, ' ');
  for (std::size_t k = 0; k < large.size(); ++k) large[k] = static_cast<char>('a' + k % 23);
  Pending sent;
  EXPECT_EQ(post("1", large, Outbox::Keep::kWhereItLies, &sent), 0);
  EXPECT_FALSE(box.empty());
  EXPECT_FALSE(sent.done());
  expected += "1" + large;
  for (int k = 0; k < 100; ++k) {
    std::string copied(977, static_cast<char>('A' + k % 26));
    EXPECT_EQ(post("2", copied), 0);
    expected += "2" + copied;
    copied.assign(977, '-');
  }
  EXPECT_EQ(box.copied_bytes(), 978U * 100);
  EXPECT_TRUE(read_all() == expected);
  EXPECT_TRUE(sent.done());
  EXPECT_EQ(box.copied_bytes(), 0U);
}

TEST_F(OutboxTest, TellsWhenTheOtherSideIsGone) {
  (void)::close(fds[1]);
  EXPECT_EQ(post("head", "data"), EPIPE);
  fds[1] = ::open("/dev/null", O_RDONLY);
}

}  // namespace
}  // namespace weft::transport::tcp
