#include "launch/streams/sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "support/leftovers.hpp"

namespace weft::launch::streams {
namespace {

struct Ends {
  int read = -1;
  int write = -1;
  ~Ends() {
    if (read >= 0) (void)::close(read);
    if (write >= 0) (void)::close(write);
  }
};

void make_pipe(Ends& ends) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  ends.read = fds[0];
  ends.write = fds[1];
}

void make_socket(Ends& ends) {
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  ends.read = fds[0];
  ends.write = fds[1];
}

// Reads what is there, and lets the sink send more, until it has nothing more.
std::string read_all(Sink& sink, int fd) {
  std::string text;
  (void)::fcntl(fd, F_SETFL, O_NONBLOCK);
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) {
      text.append(buffer, static_cast<std::size_t>(got));
    } else if (sink.has_kept()) {
      sink.push();
    } else {
      return text;
    }
  }
}

std::string numbered(std::size_t lines) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

class SinkTest : public testing::TestWithParam<void (*)(Ends&)> {};

TEST_P(SinkTest, KeepsWhatTheReaderDoesNotTakeAndNeverWaits) {
  Ends ends;
  GetParam()(ends);
  const int flags = ::fcntl(ends.write, F_GETFL);
  Sink sink(ends.write);
  const std::string text = numbered(300'000);
  for (std::size_t at = 0; at < text.size(); at += 10'000) sink.write(std::string_view(text).substr(at, 10'000));
  EXPECT_TRUE(sink.has_kept());
  EXPECT_TRUE(sink.is_full());
  EXPECT_EQ(read_all(sink, ends.read), text);
  EXPECT_FALSE(sink.has_kept());
  EXPECT_FALSE(sink.is_full());
  EXPECT_EQ(sink.broken(), 0);
  EXPECT_EQ(::fcntl(ends.write, F_GETFL), flags) << "the descriptor is shared with others";
}

TEST_P(SinkTest, NoticesThatTheReaderHasGone) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  Ends ends;
  GetParam()(ends);
  Sink sink(ends.write);
  sink.write("first\n");
  (void)::close(std::exchange(ends.read, -1));
  sink.write("second\n");
  EXPECT_EQ(sink.broken(), EPIPE);
  EXPECT_FALSE(sink.has_kept());
  sink.write("third\n");
  EXPECT_FALSE(sink.has_kept());
}

INSTANTIATE_TEST_SUITE_P(Kinds, SinkTest, testing::Values(make_pipe, make_socket),
                         [](const auto& kind) { return kind.index == 0 ? "Pipe" : "Socket"; });

TEST(Sink, WritesFilesAtOnceAndAtTheirEnd) {
  test::TemporaryDirectory files;
  const std::string path = files.path() + "/out";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "before\n", 7), 7);
  const std::string text = numbered(100'000);
  {
    Sink sink(fd);
    sink.write(text);
    EXPECT_FALSE(sink.has_kept());
  }
  std::string got(text.size() + 8, '\0');
  EXPECT_EQ(::pread(fd, got.data(), got.size(), 0), static_cast<ssize_t>(text.size() + 7));
  EXPECT_EQ(got.substr(0, text.size() + 7), "before\n" + text);
  (void)::close(fd);
}

TEST(Sink, BeginsItsOwnLinesOnANewLine) {
  Ends ends;
  make_pipe(ends);
  Sink sink(ends.write);
  sink.write_line("a");
  sink.write("a prompt: ");
  sink.write_line("b");
  sink.write_line("c");
  EXPECT_EQ(read_all(sink, ends.read), "a\na prompt: \nb\nc\n");
}

}  // namespace
}  // namespace weft::launch::streams
