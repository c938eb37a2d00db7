// Memory that is taken back while an operation is on its way: PE 1 is a socket in the middle of one.
#include <algorithm>

#include "leaf.hpp"

namespace weft::transport::tcp {
namespace {

class TakeBack : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    fd = come_in();
    ASSERT_GE(fd, 0);
  }
  int fd = -1;
};

TEST_F(TakeBack, TheRestOfAPutGoesNowhere) {
  say(fd, put_at(0, 64));
  say(fd, std::uint64_t{UINT64_MAX});
  EXPECT_TRUE(eventually([&] { return heap[7] == std::byte{0xff}; }));
  network->take_back(heap_key);
  std::fill(std::begin(heap), std::end(heap), std::byte{0});
  say(fd, std::uint64_t{UINT64_MAX});
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_EQ(g_told.refused, "PE 1 asks for memory of this PE that was taken back meanwhile");
  EXPECT_TRUE(std::all_of(std::begin(heap), std::end(heap), [](std::byte byte) { return byte == std::byte{0}; }));
}

// What is small is gathered first, and stored at once.
TEST_F(TakeBack, NorDoesAWord) {
  say(fd, put_at(0, 8));
  say(fd, std::uint32_t{UINT32_MAX});
  (void)eventually([] { return false; }, 20);
  network->take_back(heap_key);
  say(fd, std::uint32_t{UINT32_MAX});
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_EQ(heap[0], std::byte{0});
}

// More than a socket takes: the rest is what was there when the get was served, whatever becomes of the memory.
TEST_F(TakeBack, AnAnswerIsNotReadFromItAnyMore) {
  std::vector<std::byte> large(std::size_t{16} << 20, std::byte{3});
  const auto lent = network->lend({large.data(), large.size()});
  ASSERT_TRUE(lent);
  Request get{};
  get.ask = Ask::kGet;
  get.key = lent->key;
  get.bytes = large.size();
  say(fd, get);
  Response response{};
  ASSERT_TRUE(hear(fd, &response));
  EXPECT_EQ(response.answer, Answer::kData);
  network->take_back(*lent);
  std::fill(large.begin(), large.end(), std::byte{4});
  std::vector<std::byte> came(large.size());
  std::size_t at = 0;
  EXPECT_TRUE(eventually([&] {
    const ssize_t part = ::recv(fd, came.data() + at, came.size() - at, MSG_DONTWAIT);
    at += part > 0 ? static_cast<std::size_t>(part) : 0;
    return at == came.size();
  }));
  EXPECT_EQ(std::count(came.begin(), came.end(), std::byte{3}), static_cast<std::ptrdiff_t>(came.size()));
}

TEST_F(TakeBack, AndTheSameMemoryIsLentByAnotherKey) {
  network->take_back(heap_key);
  const auto again = network->lend({heap, sizeof heap});
  ASSERT_TRUE(again);
  Request put = put_at(8, 8);
  put.key = again->key;
  say(fd, put);
  say(fd, std::uint64_t{1});
  EXPECT_EQ(ending(fd), Ending::kAnswered);
  say(fd, put_at(8, 8));  // by the old one
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_EQ(g_told.refused, "PE 1 asks for memory of this PE that is not lent to it");
}

}  // namespace
}  // namespace weft::transport::tcp
