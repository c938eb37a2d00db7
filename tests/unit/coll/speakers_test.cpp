// What speakers say to each other, with threads as PEs and a network that is a table in memory.
#include "coll/across/combining.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "coll/across/span.hpp"
#include "coll/reduce/combine.hpp"
#include "job/node.hpp"
#include "support/job_of_one.hpp"

namespace weft::coll::across {
namespace {

using transport::Pending;
using transport::Tag;

// Messages on their way, and receivers that are ahead of them.
struct Post {
  struct Awaited {
    void* to;
    std::size_t bytes;
    Pending::Count* count;
  };
  struct Line {
    std::deque<std::vector<std::byte>> sent;
    std::deque<Awaited> awaited;
  };
  std::mutex mutex;
  std::map<std::tuple<int, int, Tag>, Line> lines;  // from, to

  /// The most that one has sent something to.
  std::size_t most_partners() const {
    std::map<int, std::set<int>> partners;
    for (const auto& [who, line] : lines) partners[std::get<0>(who)].insert(std::get<1>(who));
    std::size_t most = 0;
    for (const auto& [from, to] : partners) most = std::max(most, to.size());
    return most;
  }
};

std::size_t log2_up(int n) { return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(n - 1))); }

class Table final : public transport::TaggedMessages {
 public:
  Table(Post& post, int me) : post_(post), me_(me) {}

  void send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& /*pending*/) noexcept override {
    EXPECT_GT(bytes, 0U);
    EXPECT_NE(pe, me_);
    const std::scoped_lock lock(post_.mutex);
    Post::Line& line = post_.lines[{me_, pe, tag}];
    const auto* data = static_cast<const std::byte*>(from);
    if (line.awaited.empty()) {
      line.sent.emplace_back(data, data + bytes);
      return;
    }
    deliver(line.awaited.front(), data, bytes);
    line.awaited.pop_front();
  }
  void receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept override {
    const std::scoped_lock lock(post_.mutex);
    Post::Line& line = post_.lines[{pe, me_, tag}];
    if (line.sent.empty()) {
      line.awaited.push_back({to, bytes, pending.begin()});
      return;
    }
    deliver({to, bytes, pending.begin()}, line.sent.front().data(), line.sent.front().size());
    line.sent.pop_front();
  }

 private:
  static void deliver(const Post::Awaited& awaited, const std::byte* data, std::size_t bytes) {
    EXPECT_EQ(awaited.bytes, bytes);
    std::memcpy(awaited.to, data, bytes);
    awaited.count->end();
  }

  Post& post_;
  int me_;
};

class Speaking : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() {
    test::be_alone();  // its bells are what waits sleep on
  }

  // Each of n speakers in a thread; PEs are counted downwards, so that nobody takes one for the other.
  void speak(const std::function<void(const Speakers&, Messages&)>& part) {
    const int n = GetParam();
    Post post;
    std::vector<std::thread> threads;
    for (int me = 0; me < n; ++me) {
      threads.emplace_back([&, me] {
        const group::Members members{n + 3, -1, n};
        Table table(post, members.pe(me));
        Messages messages(table, 42, sync::WaitNote());
        part(Speakers(members, me), messages);
      });
    }
    for (std::thread& thread : threads) thread.join();
    most_partners_ = post.most_partners();
    for (const auto& [who, line] : post.lines) {
      EXPECT_TRUE(line.sent.empty()) << "nobody has received what " << std::get<0>(who) << " sent";
      EXPECT_TRUE(line.awaited.empty());
    }
  }

  std::size_t most_partners_ = 0;
};

void add_words(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<std::uint64_t*>(into)[k] =
        static_cast<const std::uint64_t*>(with)[k] + static_cast<const std::uint64_t*>(and_with)[k];
  }
}

// Not commutative: what is combined is the first and the last member, and whether all between are there in their order.
struct Stretch {
  std::int32_t first;
  std::int32_t last;
};
void join_runs(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const Stretch left = static_cast<const Stretch*>(with)[k];
    const Stretch right = static_cast<const Stretch*>(and_with)[k];
    const bool fits = left.first >= 0 && right.first == left.last + 1;
    static_cast<Stretch*>(into)[k] = fits ? Stretch{left.first, right.last} : Stretch{-1, -1};
  }
}

TEST_P(Speaking, AllMeetBeforeAnyGoesOn) {
  std::atomic<int> come{0};
  speak([&](const Speakers& speakers, Messages& messages) {
    for (int round = 1; round <= 20; ++round) {
      come.fetch_add(1);
      meet(speakers, messages);
      EXPECT_GE(come.load(), round * speakers.size());
    }
  });
}

TEST_P(Speaking, AllHearWhatAnyRootSays) {
  speak([&](const Speakers& speakers, Messages& messages) {
    for (int root = 0; root < speakers.size(); ++root) {
      std::uint64_t word = speakers.me() == root ? 1000U + static_cast<unsigned>(root) : 0U;
      hear(speakers, messages, root, &word, sizeof word);
      messages.wait();
      pass_on(speakers, messages, root, &word, sizeof word);
      messages.wait();
      EXPECT_EQ(word, 1000U + static_cast<unsigned>(root));
    }
  });
}

TEST_P(Speaking, AllHaveTheSumOfAll) {
  // The last is combined in two parts.
  for (const std::size_t count : {1U, 7U, 2048U, 2049U, 10000U, (1U << 20) + 3U}) {
    if (count > 100000 && GetParam() > 5) continue;  // memory
    speak([&](const Speakers& speakers, Messages& messages) {
      const auto n = static_cast<unsigned>(speakers.size());
      std::vector<std::uint64_t> data(count);
      for (std::size_t k = 0; k < count; ++k) data[k] = k * 1000 + static_cast<unsigned>(speakers.me());
      Room room;
      ASSERT_TRUE(room.reserve(need_of_all(speakers.size(), count, sizeof(std::uint64_t))));
      combine_all(speakers, {messages, room}, data.data(), {count, sizeof(std::uint64_t), add_words});
      EXPECT_EQ(Room::shortages(), 0);
      room.drop();
      for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(data[k], n * k * 1000 + n * (n - 1) / 2) << k;
    });
  }
}

TEST_P(Speaking, EachHasToDoWithFewOthers) {
  speak([](const Speakers& speakers, Messages& messages) { meet(speakers, messages); });
  EXPECT_LE(most_partners_, log2_up(GetParam()));
  for (const std::size_t count : {10U, 2048U, 2049U, 8000U, 30'000U}) {
    speak([&](const Speakers& speakers, Messages& messages) {
      std::vector<std::uint64_t> data(count, 1);
      Room room;
      ASSERT_TRUE(room.reserve(need_of_all(speakers.size(), count, sizeof(std::uint64_t))));
      combine_all(speakers, {messages, room}, data.data(), {count, sizeof(std::uint64_t), add_words});
      room.drop();
      for (const std::uint64_t sum : data) ASSERT_EQ(sum, static_cast<unsigned>(speakers.size()));
    });
    EXPECT_LE(most_partners_, log2_up(GetParam())) << count;
  }
}

TEST_P(Speaking, AllCombineInTheirOrder) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{5000}, std::size_t{200'000}}) {
    speak([&](const Speakers& speakers, Messages& messages) {
      std::vector<Stretch> data(count, Stretch{speakers.me(), speakers.me()});
      Room room;
      ASSERT_TRUE(room.reserve(need_of_all(speakers.size(), count, sizeof(Stretch))));
      combine_all(speakers, {messages, room}, data.data(), {count, sizeof(Stretch), join_runs});
      EXPECT_EQ(Room::shortages(), 0);
      room.drop();
      for (const Stretch& run : data) ASSERT_TRUE(run.first == 0 && run.last == speakers.size() - 1);
    });
  }
}

// An operation of a user: how long an element is only the state says. Runs of members are joined at both ends of it.
void join_long_runs(void* into, const void* with, const void* and_with, std::size_t count, void* state) noexcept {
  const std::size_t element = *static_cast<const std::size_t*>(state);
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::size_t at : {k * element, (k + 1) * element - sizeof(Stretch)}) {
      Stretch parts[2];
      std::memcpy(&parts[0], static_cast<const std::byte*>(with) + at, sizeof(Stretch));
      std::memcpy(&parts[1], static_cast<const std::byte*>(and_with) + at, sizeof(Stretch));
      Stretch joined;
      join_runs(&joined, &parts[0], &parts[1], 1, nullptr);
      std::memcpy(static_cast<std::byte*>(into) + at, &joined, sizeof joined);
    }
  }
}

TEST_P(Speaking, ElementsHaveAnySize) {
  for (std::size_t element : {std::size_t{24}, std::size_t{100}, std::size_t{20'000}, (std::size_t{8} << 20) + 8}) {
    if (element > 100'000 && GetParam() > 3) continue;  // memory
    speak([&](const Speakers& speakers, Messages& messages) {
      constexpr std::size_t kCount = 3;
      std::vector<std::byte> data(kCount * element);
      const Stretch mine{speakers.me(), speakers.me()};
      for (std::size_t k = 0; k < kCount; ++k) {
        std::memcpy(&data[k * element], &mine, sizeof mine);
        std::memcpy(&data[(k + 1) * element - sizeof mine], &mine, sizeof mine);
      }
      Room room;
      ASSERT_TRUE(room.reserve(need_of_all(speakers.size(), kCount, element)));
      combine_all(speakers, {messages, room}, data.data(), {kCount, element, {join_long_runs, &element}});
      EXPECT_EQ(Room::shortages(), 0);
      room.drop();
      for (std::size_t k = 0; k < kCount; ++k) {
        for (const std::size_t at : {k * element, (k + 1) * element - sizeof mine}) {
          Stretch run;
          std::memcpy(&run, &data[at], sizeof run);
          ASSERT_TRUE(run.first == 0 && run.last == speakers.size() - 1) << element;
        }
      }
    });
  }
}

// Every element has one place, whatever it is divided by.
TEST(Shares, CoverAllElementsOnce) {
  for (const std::size_t element : {1U, 3U, 8U, 24U, 64U, 65U, 100U, 9000U}) {
    for (const std::size_t count : {0U, 1U, 7U, 64U, 1000U}) {
      for (const int size : {1, 2, 3, 16}) {
        std::size_t next = 0;
        for (int member = 0; member < size; ++member) {
          const Share share = share_of(member, size, count, element);
          EXPECT_EQ(share.begin, next);
          EXPECT_GE(share.end, share.begin);
          next = share.end;
        }
        EXPECT_EQ(next, count) << element << " " << size;
        std::size_t seen = 0;
        for_pieces(0, count, element, [&](std::size_t begin, std::size_t some) {
          EXPECT_EQ(begin, seen);
          EXPECT_GT(some, 0U);
          seen += some;
        });
        EXPECT_EQ(seen, count);
      }
    }
  }
}

TEST_P(Speaking, EachLearnsWhatThoseBeforeItHave) {
  speak([&](const Speakers& speakers, Messages& messages) {
    std::vector<Stretch> data(50, Stretch{speakers.me(), speakers.me()});
    std::vector<Stretch> before(50);
    Room room;
    ASSERT_TRUE(room.reserve(need_before(50 * sizeof(Stretch))));
    const bool some =
        combine_before(speakers, {messages, room}, data.data(), before.data(), {50, sizeof(Stretch), join_runs});
    EXPECT_EQ(Room::shortages(), 0);
    room.drop();
    EXPECT_EQ(some, speakers.me() > 0);
    for (const Stretch& run : before) ASSERT_TRUE(!some || (run.first == 0 && run.last == speakers.me() - 1));
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Speaking, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 21),
                         testing::PrintToStringParamName());

// Domains of every pattern that six members on three nodes can make; blocks of one length and of different lengths.
TEST(Blocks, AreAllEverywhereAfterAnExchange) {
  test::be_alone();
  const group::Members members{0, 1, 6};
  const std::uint64_t ends[6] = {5, 5, 12, 40, 41, 41};
  for (unsigned pattern = 1; pattern < 729; pattern += 7) {
    std::vector<boot::PeerCard> cards(6);
    unsigned next[3] = {};
    for (unsigned pe = 0, rest = pattern; pe < 6; ++pe, rest /= 3) {
      cards[pe].node = rest % 3;
      cards[pe].local = next[rest % 3]++;
    }
    for (const Blocks& blocks : {Blocks(8), Blocks(ends)}) {
      const std::uint64_t all = blocks.begin(5) + blocks.bytes(5);
      Post post;
      std::vector<std::thread> threads;
      for (int pe = 0; pe < 6; ++pe) {
        threads.emplace_back([&, pe] {
          group::Seats seats;
          ASSERT_TRUE(group::divide(members, pe, cards.data(), 3, &seats));
          if (seats.span != nullptr && seats.seat == 0) {
            std::vector<std::byte> dest(all, std::byte{0});
            for (int seat = 0; seat < seats.here.size; ++seat) {
              const int member = seats.here.member(seat);
              std::memset(dest.data() + blocks.begin(member), member + 1, blocks.bytes(member));
            }
            Table table(post, pe);
            Messages messages(table, 1, sync::WaitNote());
            exchange_blocks(*seats.span, messages, dest.data(), blocks);
            for (int member = 0; member < 6; ++member) {
              for (std::uint64_t at = 0; at < blocks.bytes(member); ++at) {
                ASSERT_EQ(static_cast<int>(dest[blocks.begin(member) + at]), member + 1) << pattern;
              }
            }
          }
          group::delete_seats(seats.span, seats.tables);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }
}

// One member on each of many nodes.
TEST(Blocks, ComeFromFewOthers) {
  test::be_alone();
  for (const int n : {2, 3, 4, 5, 8, 13, 16, 21}) {
    std::vector<boot::PeerCard> cards(static_cast<std::size_t>(n));
    for (int pe = 0; pe < n; ++pe) cards[static_cast<std::size_t>(pe)].node = static_cast<unsigned>(pe);
    Post post;
    std::vector<std::thread> threads;
    for (int pe = 0; pe < n; ++pe) {
      threads.emplace_back([&, pe] {
        group::Seats seats;
        ASSERT_TRUE(group::divide({0, 1, n}, pe, cards.data(), n, &seats));
        std::vector<int> dest(static_cast<std::size_t>(n), -1);
        dest[static_cast<std::size_t>(pe)] = pe;
        Table table(post, pe);
        Messages messages(table, 1, sync::WaitNote());
        exchange_blocks(*seats.span, messages, reinterpret_cast<std::byte*>(dest.data()), Blocks(sizeof(int)));
        for (int member = 0; member < n; ++member) EXPECT_EQ(dest[static_cast<std::size_t>(member)], member);
        group::delete_seats(seats.span, seats.tables);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(post.most_partners(), log2_up(n));
  }
}

}  // namespace
}  // namespace weft::coll::across
