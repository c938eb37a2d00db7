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
  bool gather(const std::string& head, const std::string& data) {
    return box.gather(head.data(), head.size(), data.data(), data.size());
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

// What was gathered leaves with what is posted, before it, in one piece.
TEST_F(OutboxTest, GathersUntilSomethingLeaves) {
  EXPECT_TRUE(gather("ab", "cd"));
  EXPECT_TRUE(gather("e", ""));
  EXPECT_TRUE(box.has_gathered());
  EXPECT_TRUE(box.empty()) << "nothing waits for room";
  EXPECT_EQ(read_all(), "") << "and nothing has been sent";
  EXPECT_EQ(post("f", "gh"), 0);
  EXPECT_FALSE(box.has_gathered());
  EXPECT_EQ(read_all(), "abcdefgh");
  EXPECT_TRUE(gather("i", "jk"));
  EXPECT_EQ(box.flush(fds[0]), 0);
  EXPECT_EQ(box.flush(fds[0]), 0);
  EXPECT_EQ(read_all(), "ijk");
}

TEST_F(OutboxTest, GathersAsMuchAsThereIsRoomFor) {
  const std::string data(1000, 'x');
  std::string expected;
  int times = 0;
  while (gather("0123456789", data)) {
    ++times;
    expected += "0123456789" + data;
  }
  EXPECT_GE(times, 8);
  EXPECT_LE(times, 64);
  EXPECT_EQ(post("last", data), 0);
  EXPECT_EQ(read_all(), expected + "last" + data);
  EXPECT_TRUE(gather("0123456789", data)) << "there is room again";
  box.clear();
  EXPECT_FALSE(box.has_gathered());
  EXPECT_EQ(box.flush(fds[0]), 0);
  EXPECT_EQ(read_all(), "");
}

// Before a connection is open, and while a socket is full, things are kept in their order.
TEST_F(OutboxTest, GathersNothingBesideWhatIsKept) {
  box.hold();
  EXPECT_FALSE(gather("a", ""));
  EXPECT_EQ(box.release(fds[0]), 0);
  const std::string large(3'000'000, 'b');
  EXPECT_TRUE(gather("a", ""));
  EXPECT_EQ(post("", large), 0);
  EXPECT_FALSE(box.empty());
  EXPECT_FALSE(gather("c", ""));
  EXPECT_EQ(post("c", ""), 0);
  EXPECT_EQ(read_all(), "a" + large + "c");
}

// A socket that takes a part of what was gathered, and nothing of what is posted behind it.
TEST_F(OutboxTest, KeepsWhatWasGatheredAndNotTaken) {
  std::string expected;
  const std::string head = "0123456789";
  const std::string data(777, 'y');
  while (box.empty()) {
    while (gather(head, data)) expected += head + data;
    EXPECT_EQ(post("p", data), 0);
    expected += "p" + data;
  }
  EXPECT_FALSE(box.has_gathered());
  EXPECT_GT(box.copied_bytes(), 0U);
  EXPECT_EQ(read_all(), expected);
  EXPECT_EQ(box.copied_bytes(), 0U);
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
