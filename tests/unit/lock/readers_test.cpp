// The lock for readers and writers in one line of memory: threads stand for PEs, and processes where it matters.
#include "lock/readers.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/lock/taking.hpp"

namespace weft::lock {
namespace {

constexpr std::uint32_t kMost = 1000;

// What the lock has to protect; not atomic on purpose, and the thread sanitizer knows it the same way.
struct Protected {
  SharedLock lock{};
  long value = 0;
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::atomic<int> most_readers = 0;

  void read() {
    const int inside = ++readers;
    EXPECT_EQ(writers.load(), 0) << "a reader beside a writer";
    if (int most = most_readers.load(); inside > most) {
      most_readers.compare_exchange_strong(most, inside);
    }
    const long before = value;
    std::this_thread::yield();
    EXPECT_EQ(value, before);
    --readers;
  }
  void write() {
    EXPECT_EQ(++writers, 1) << "two writers";
    EXPECT_EQ(readers.load(), 0) << "a writer beside a reader";
    const long before = value;
    std::this_thread::yield();
    value = before + 1;
    --writers;
  }
  void use(Mode mode) { mode == Mode::kShared ? read() : write(); }
};

TEST(Readers, ZeroIsFree) {
  SharedLock lock{};
  for (const Mode mode : {Mode::kShared, Mode::kExclusive, Mode::kShared}) {
    EXPECT_TRUE(take_or_queue(lock, mode, 0).is_inside);
    leave(lock, mode);
  }
  EXPECT_TRUE(queue::is_empty(lock.queue.load()));
  EXPECT_EQ(lock.done.load(), 3U);
  EXPECT_EQ(who_holds(lock, 1, kMost).writer, -1);
}

// A reader that has a place, is counted, and then stands still.
std::uint32_t stand_still(SharedLock& lock) {
  const Turn turn = take_or_queue(lock, Mode::kShared, 0);
  EXPECT_FALSE(turn.is_inside);
  lock.readers.fetch_add(1);
  return turn.position;
}

// Looks for a minute at most, on however busy a machine.
template <class Condition>
bool comes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

TEST(Readers, OneThatStandsStillHoldsUpNoOtherReader) {
  SharedLock lock{};
  ASSERT_TRUE(take_or_queue(lock, Mode::kExclusive, 0).is_inside);
  const std::uint32_t still = stand_still(lock);
  (void)stand_still(lock);
  EXPECT_FALSE(let_in_readers(lock)) << "beside a writer";
  leave(lock, Mode::kExclusive);
  EXPECT_TRUE(let_in_readers(lock));
  EXPECT_TRUE(queue::is_empty(lock.queue.load())) << "and so the next one finds nobody waiting";
  EXPECT_TRUE(take_or_queue(lock, Mode::kShared, 0).is_inside);
  EXPECT_EQ(who_holds(lock, 1, kMost).readers, 3U) << "who stands still has been let in";
  const Turn writer = take_or_queue(lock, Mode::kExclusive, 0);
  leave(lock, Mode::kShared);
  leave(lock, Mode::kShared);
  EXPECT_FALSE(writer.is_inside || lock.done.load() == writer.position) << "before it has left";
  EXPECT_TRUE(go_in_to_read(lock, still));
  leave(lock, Mode::kShared);
  EXPECT_EQ(lock.done.load(), writer.position);
  EXPECT_EQ(lock.readers.load(), 0U);
}

// It was let in, and has not looked since: a debugger holds it. Others come and go, as often as numbers are.
TEST(Readers, OneThatWasLetInStaysSoHoweverManyPass) {
  SharedLock lock{};
  ASSERT_TRUE(take_or_queue(lock, Mode::kExclusive, 0).is_inside);
  const std::uint32_t still = stand_still(lock);
  (void)stand_still(lock);
  leave(lock, Mode::kExclusive);
  ASSERT_TRUE(let_in_readers(lock));
  for (const std::uint64_t passed :
       {2ULL, 0x7fff'ffffULL, 0x8000'0000ULL, 0x8000'0001ULL, 0xffff'0000ULL, 0xffff'ffffULL, 0x1'0000'0000ULL}) {
    const auto admit = static_cast<std::uint32_t>(still + passed);
    lock.queue = (std::uint64_t{admit} << 32) | admit;
    EXPECT_TRUE(go_in_to_read(lock, still)) << passed;
    EXPECT_EQ(lock.queue.load(), (std::uint64_t{admit} << 32) | admit) << passed << ": it was nobody's turn";
    EXPECT_EQ(lock.readers.load(), 0U) << passed;
  }
  lock.queue = (std::uint64_t{still + 0x8000'0001U} << 32) | (still + 0x8000'0000U);
  EXPECT_TRUE(go_in_to_read(lock, still)) << "a writer waits for it";
}

TEST(Readers, WhoWaitsIsNotInWhereNumbersWrap) {
  constexpr std::uint32_t kBegin = 0xffff'fff0U;
  constexpr std::uint32_t kWait = 4096;
  SharedLock lock{};
  lock.queue = (std::uint64_t{kBegin + kWait} << 32) | kBegin;
  for (std::uint32_t k = 1; k < kWait; ++k) {
    ASSERT_FALSE(go_in_to_read(lock, kBegin + k)) << k;
  }
  EXPECT_TRUE(go_in_to_read(lock, kBegin - 1)) << "who was before them";
}

// More than one may find that all who wait are counted. 256 that take off 256 each are none in 16 bits.
TEST(Readers, WhoIsCountedIsTakenOffOnce) {
  SharedLock lock{};
  lock.readers = 256;
  EXPECT_TRUE(take_off_readers(lock, 256));
  for (int k = 1; k < 256; ++k) {
    EXPECT_FALSE(take_off_readers(lock, 256)) << k;
  }
  EXPECT_EQ(lock.readers.load(), 0U);
  lock.readers = 1;
  EXPECT_FALSE(take_off_readers(lock, 0x1'0001)) << "more than can be counted";
  EXPECT_EQ(lock.readers.load(), 1U);
}

TEST(Readers, BitsAreOfAllPlaces) {
  constexpr std::uint32_t kAll = (std::uint32_t{1} << 30) - 1;
  EXPECT_EQ(queue::bits_of(5, 0), 0U);
  EXPECT_EQ(queue::bits_of(29, 2), std::uint32_t{1} << 29 | 1U);
  EXPECT_EQ(queue::bits_of(30, 2), 3U);
  EXPECT_EQ(queue::bits_of(7, 29), kAll & ~(std::uint32_t{1} << 6));
  for (const std::uint32_t waiting : {30U, 31U, 4096U, 0xffff'ffffU}) {
    EXPECT_EQ(queue::bits_of(7, waiting), kAll) << waiting;
  }
  EXPECT_EQ(queue::bits_of(0xffff'ffffU, 2), queue::bit_of(0xffff'ffffU) | 1U);
  // 15 and 16 are behind 30 others, which have each bit only where the numbers do not wrap.
  EXPECT_EQ(queue::bits_of(0xffff'fff1U, 32), kAll);
}

// Whoever is first has been woken and stands still; 31 sleep behind it, so each bit is somebody's.
TEST(Readers, WhoLetsInWakesAllThatSleep) {
  constexpr int kSleep = 31;
  for (const std::uint32_t begin : {0U, 28U, 29U, 0xffff'fff0U}) {
    SharedLock lock{};
    lock.queue = (std::uint64_t{begin} << 32) | begin;
    lock.done = begin;
    ASSERT_TRUE(take_or_queue(lock, Mode::kExclusive, 0).is_inside);
    const std::uint32_t first = stand_still(lock);
    std::atomic<int> inside = 0;
    std::vector<std::thread> pes;
    for (int pe = 0; pe < kSleep; ++pe) {
      pes.emplace_back([&, pe] {
        take(lock, Mode::kShared, pe, sleepy());
        ++inside;
      });
    }
    const auto all_sleep = [&] { return lock.sleepers.load() == kSleep; };
    EXPECT_TRUE(comes_true(all_sleep));
    leave(lock, Mode::kExclusive);
    EXPECT_TRUE(comes_true(all_sleep)) << "again: one has the bit of the first";
    EXPECT_EQ(inside, 0);
    (void)stand_still(lock);
    const std::uint32_t rings = lock.rings.load();
    EXPECT_TRUE(let_in_readers(lock));
    EXPECT_EQ(lock.rings.load(), rings + 1);
    if (!comes_true([&] { return inside == kSleep; })) {
      ADD_FAILURE() << inside << " of " << kSleep << " from " << begin << " on";
      wake_in_queue(lock, ~0U);  // or the test would not end
    }
    for (std::thread& pe : pes) {
      pe.join();
    }
    EXPECT_TRUE(go_in_to_read(lock, first));
    EXPECT_EQ(lock.sleepers.load(), 0U);
    EXPECT_EQ(lock.readers.load(), 0U);
    if (HasFailure()) {
      return;  // the others would take as long
    }
  }
}

TEST(Readers, NoWriterIsPassedByThem) {
  SharedLock lock{};
  ASSERT_TRUE(take_or_queue(lock, Mode::kExclusive, 0).is_inside);
  const std::uint32_t first = stand_still(lock);
  ASSERT_FALSE(take_or_queue(lock, Mode::kExclusive, 0).is_inside);
  const std::uint32_t last = stand_still(lock);
  leave(lock, Mode::kExclusive);
  EXPECT_FALSE(let_in_readers(lock) || go_in_to_read(lock, last)) << "a writer is before it";
  EXPECT_TRUE(go_in_to_read(lock, first));
  EXPECT_FALSE(let_in_readers(lock) || go_in_to_read(lock, last)) << "a writer is still before it";
  EXPECT_EQ(who_holds(lock, 1, kMost).waiting, 2U);
  EXPECT_EQ(lock.readers.load(), 1U);
}

TEST(Readers, TryingTakesOnlyWhatIsFree) {
  SharedLock lock{};
  ASSERT_TRUE(try_to_take(lock, Mode::kShared, 0));
  EXPECT_TRUE(try_to_take(lock, Mode::kShared, 1)) << "beside a reader";
  EXPECT_FALSE(try_to_take(lock, Mode::kExclusive, 2)) << "beside readers";
  leave(lock, Mode::kShared);
  EXPECT_FALSE(try_to_take(lock, Mode::kExclusive, 2)) << "beside one reader";
  leave(lock, Mode::kShared);
  ASSERT_TRUE(try_to_take(lock, Mode::kExclusive, 2));
  EXPECT_FALSE(try_to_take(lock, Mode::kExclusive, 3));
  EXPECT_FALSE(try_to_take(lock, Mode::kShared, 3));
  leave(lock, Mode::kExclusive);
  EXPECT_TRUE(try_to_take(lock, Mode::kExclusive, 3));
  leave(lock, Mode::kExclusive);
}

// Behind a writer that waits for a reader no other reader goes in, by whichever way it asks.
TEST(Readers, NobodyPassesAWriterThatWaits) {
  SharedLock lock{};
  take(lock, Mode::kShared, 0);
  const Turn writer = take_or_queue(lock, Mode::kExclusive, 1);
  EXPECT_FALSE(writer.is_inside);
  EXPECT_FALSE(try_to_take(lock, Mode::kShared, 2));
  const Turn reader = take_or_queue(lock, Mode::kShared, 2);
  EXPECT_FALSE(reader.is_inside);
  leave(lock, Mode::kShared);
  EXPECT_FALSE(try_to_take(lock, Mode::kShared, 3)) << "it is the writer's turn";
  await_turn(lock, Mode::kExclusive, writer.position, {}, sync::WaitNote());
  leave(lock, Mode::kExclusive);
  await_turn(lock, Mode::kShared, reader.position, {}, sync::WaitNote());
  leave(lock, Mode::kShared);
}

TEST(Readers, TellsWhoHoldsIt) {
  SharedLock lock{};
  const auto is = [&](int writer, std::uint32_t readers, std::uint32_t waiting) {
    const Holding now = who_holds(lock, 8, kMost);
    EXPECT_EQ(now.writer, writer);
    EXPECT_EQ(now.readers, readers);
    EXPECT_EQ(now.waiting, waiting);
  };
  is(-1, 0, 0);
  take(lock, Mode::kShared, 4);
  take(lock, Mode::kShared, 5);
  is(-1, 2, 0);
  const Turn writer = take_or_queue(lock, Mode::kExclusive, 7);
  is(-1, 2, 1);
  leave(lock, Mode::kShared);
  leave(lock, Mode::kShared);
  is(-1, 0, 1);
  await_turn(lock, Mode::kExclusive, writer.position, {}, sync::WaitNote());
  is(-1, 0, 1);  // who has waited does not say that it is inside
  const Turn next = take_or_queue(lock, Mode::kShared, 1);
  is(-1, 0, 2);
  leave(lock, Mode::kExclusive);
  await_turn(lock, Mode::kShared, next.position, {}, sync::WaitNote());
  is(-1, 1, 0);
  leave(lock, Mode::kShared);
  is(-1, 0, 0);
  take(lock, Mode::kExclusive, 3);
  is(3, 0, 0);
  EXPECT_FALSE(take_or_queue(lock, Mode::kExclusive, 5).is_inside);
  is(3, 0, 1);
  leave(lock, Mode::kExclusive);
  is(-1, 0, 1);
}

// Whose turn it is has the line only to look at: who was before it is taking the next ticket.
TEST(Readers, AWriterThatHasWaitedGoesInWithoutAChange) {
  SharedLock lock{};
  take(lock, Mode::kExclusive, 0);
  const Turn turn = take_or_queue(lock, Mode::kExclusive, 1);
  ASSERT_FALSE(turn.is_inside);
  leave(lock, Mode::kExclusive);
  std::array<unsigned char, sizeof lock> before{};
  std::memcpy(before.data(), static_cast<const void*>(&lock), sizeof lock);
  await_turn(lock, Mode::kExclusive, turn.position, {}, sync::WaitNote());
  EXPECT_EQ(std::memcmp(before.data(), static_cast<const void*>(&lock), sizeof lock), 0);
  leave(lock, Mode::kExclusive);
  EXPECT_TRUE(try_to_take(lock, Mode::kExclusive, 2));
}

// A program has stored something there: what is told of it names no PE that is not, and no more than there can be.
TEST(Readers, TellsNothingThatCannotBe) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 10'000; ++k) {
    SharedLock lock{};
    lock.queue = random();
    lock.done = static_cast<std::uint32_t>(random());
    lock.writer = k % 3 == 0 ? static_cast<std::uint16_t>(k % 12) : static_cast<std::uint16_t>(random());
    const Holding told = who_holds(lock, 8, 64);
    EXPECT_GE(told.writer, -1);
    EXPECT_LT(told.writer, 8);
    EXPECT_LE(told.readers, 64U);
    EXPECT_LE(told.waiting, 64U);
  }
}

struct Mix {
  const char* name;
  int readers;
  int writers;
  bool sleeps;
  bool tries = false;
  std::uint32_t begin = 0;  // of all numbers
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.name; }

class ReadersMix : public testing::TestWithParam<Mix> {};

TEST_P(ReadersMix, WritersAreAlone) {
  const Mix& mix = GetParam();
  const sync::Patience patience = mix.sleeps ? sleepy() : sync::Patience{};
  constexpr int kVisits = 3000;
  Protected data;
  data.lock.queue = (std::uint64_t{mix.begin} << 32) | mix.begin;
  data.lock.done = mix.begin;
  std::vector<std::thread> pes;
  for (int pe = 0; pe < mix.readers + mix.writers; ++pe) {
    pes.emplace_back([&, pe] {
      const Mode mode = pe < mix.readers ? Mode::kShared : Mode::kExclusive;
      for (int k = 0; k < kVisits; ++k) {
        if (mix.tries && k % 3 == 0) {
          while (!try_to_take(data.lock, mode, pe)) {
            std::this_thread::yield();
          }
        } else {
          take(data.lock, mode, pe, patience);
        }
        data.use(mode);
        leave(data.lock, mode);
      }
    });
  }
  for (std::thread& pe : pes) {
    pe.join();
  }
  EXPECT_EQ(data.value, long{mix.writers} * kVisits);
  EXPECT_TRUE(queue::is_empty(data.lock.queue.load()));
  EXPECT_EQ(data.lock.done.load(), mix.begin + static_cast<std::uint32_t>((mix.readers + mix.writers) * kVisits));
  EXPECT_EQ(data.lock.sleepers.load(), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, ReadersMix,
                         testing::Values(Mix{"Writers", 0, 4, false}, Mix{"Readers", 4, 0, false},
                                         Mix{"Both", 2, 2, false}, Mix{"BothAsleep", 2, 2, true},
                                         Mix{"WritersAsleep", 0, 3, true}, Mix{"OneWriter", 5, 1, true},
                                         Mix{"Tries", 2, 2, false, true}, Mix{"TriesAsleep", 2, 2, true, true},
                                         Mix{"NumbersWrap", 2, 2, false, true, 0xfffffff0U}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Whoever has come goes in in the order of coming; readers that stand side by side are inside together.
TEST(Readers, FirstComeFirstServed) {
  constexpr Mode kR = Mode::kShared;
  constexpr Mode kW = Mode::kExclusive;
  constexpr std::array kModes = {kR, kR, kW, kR, kW, kW, kR, kR, kR, kW};
  // For each reader the first and last of its run: none leaves before all of them are inside.
  for (const bool sleeps : {false, true}) {
    const sync::Patience patience = sleeps ? sleepy() : sync::Patience{};
    SharedLock lock{};
    take(lock, kW, 0);
    std::atomic<int> inside = 0;
    std::array<std::atomic<int>, kModes.size()> went_in{};
    std::vector<std::thread> pes;
    for (std::size_t k = 0; k < kModes.size(); ++k) {
      pes.emplace_back([&, k] {
        take(lock, kModes[k], static_cast<int>(k), patience);
        went_in[k] = ++inside;
        std::size_t last = k;
        while (kModes[k] == kR && last + 1 < kModes.size() && kModes[last + 1] == kR) {
          ++last;
        }
        while (went_in[last] == 0) {
          std::this_thread::yield();
        }
        leave(lock, kModes[k]);
      });
      while (queue::tickets(lock.queue.load()) != k + 2) {
        std::this_thread::yield();
      }
    }
    EXPECT_EQ(inside, 0);
    leave(lock, kW);
    for (std::thread& pe : pes) {
      pe.join();
    }
    for (std::size_t k = 0; k < kModes.size(); ++k) {
      for (std::size_t before = 0; before < k; ++before) {
        EXPECT_TRUE((kModes[k] == kR && kModes[before] == kR && k - before < 3) || went_in[before] < went_in[k])
            << before << " and " << k;
      }
    }
  }
}

// As the PEs of a node are: processes, each of which has the memory somewhere else.
TEST(Readers, ProcessesThatHaveItElsewhere) {
  constexpr int kProcesses = 4;
  constexpr int kVisits = 2000;
  struct Page {
    SharedLock lock;
    long value;
    std::atomic<int> inside;
  };
  const int file = ::memfd_create("weft-readers", 0);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::ftruncate(file, sizeof(Page)), 0);
  const auto map = [&] {
    return static_cast<Page*>(::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  };
  std::array<pid_t, kProcesses> pids{};
  Page* const first = map();
  for (int process = 0; process < kProcesses; ++process) {
    pids[process] = ::fork();
    if (pids[process] == 0) {
      Page* page = first;
      for (int k = 0; k < process; ++k) {
        page = map();
      }
      for (int k = 0; k < kVisits; ++k) {
        const Mode mode = k % 4 == 0 ? Mode::kShared : Mode::kExclusive;
        take(page->lock, mode, process, sleepy());
        if (mode == Mode::kExclusive) {
          if (page->inside.exchange(process + 1) != 0) {
            ::_exit(1);
          }
          ++page->value;
          page->inside = 0;
        } else if (page->inside != 0) {
          ::_exit(2);
        }
        leave(page->lock, mode);
      }
      ::_exit(0);
    }
  }
  for (const pid_t pid : pids) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(first->value, long{kProcesses} * kVisits * 3 / 4);
  ::munmap(first, sizeof(Page));
  ::close(file);
}

}  // namespace
}  // namespace weft::lock
