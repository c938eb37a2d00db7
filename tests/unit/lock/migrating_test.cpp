// Threads stand for PEs of the home node and for PEs elsewhere, and an adapter is pretended that loses updates when a
// processor changes the same word.
#include "lock/migrating.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "lock/agent.hpp"
#include "lock/keys.hpp"
#include "pretended_network.hpp"

namespace weft::lock {
namespace {

using transport::Op;
using transport::Type;

constexpr std::size_t kLocks = 3;
// The entries of a table so small that one more lock finds no room.
constexpr std::size_t kEntries = LockKeys::kBucket;

struct Memory {
  LockHead head;
  std::array<std::atomic<std::uint64_t>, kEntries> keys;
  std::array<LockWords, kEntries> words;
};

test::PretendedNetwork* g_network = nullptr;

void complete(const transport::Pending& pending) noexcept {
  while (!pending.done()) {
    g_network->progress();
  }
}

class MigratingLock : public testing::Test {
 protected:
  MigratingLock() {
    g_network = &network_;
    EXPECT_TRUE(agent_.open(network_, at(offsetof(Memory, words)), memory_.head, memory_.keys.data(),
                            memory_.words.data(), kEntries));
    for (std::size_t lock = 0; lock < kLocks; ++lock) {
      memory_.keys[lock] = LockKey::of(lock + 1, false);
    }
    serving_ = std::thread([this] {
      while (!stop_.load()) {
        network_.progress();
        agent_.serve();
        std::this_thread::yield();
      }
    });
  }
  ~MigratingLock() override {
    stop_ = true;
    serving_.join();
    agent_.close([this] { network_.progress(); });
  }

  static transport::Remote at(std::uint64_t offset) { return {0, {}, offset}; }
  LockPlace place(std::size_t lock) const {
    return {at(offsetof(Memory, words) + lock * sizeof(LockWords)), at(offsetof(Memory, head)),
            LockKey::network_first(memory_.keys[lock]), has_readers_};
  }
  LockMeans means() { return {network_, patience_, complete}; }
  NearLock near(std::size_t lock) { return {means(), place(lock), memory_.words[lock], memory_.head}; }
  FarLock far(std::size_t lock) { return {means(), place(lock)}; }
  static constexpr Mode kR = Mode::kShared;
  static constexpr Mode kW = Mode::kExclusive;
  // What a holder elsewhere does, until others see it.
  void lock_far(FarLock& lock, Mode mode = kW) {
    transport::Pending pending;
    lock.lock(mode, {}, pending);
    complete(pending);
  }
  bool try_far(FarLock lock, Mode mode = kW) {
    transport::Pending pending;
    const bool taken = lock.try_lock(mode, pending);
    complete(pending);
    return taken;
  }
  void unlock_far(FarLock& lock, Mode mode = kW) {
    transport::Pending pending;
    lock.unlock(mode, pending);
    complete(pending);
  }
  std::uint32_t admitted() const { return admit::position(memory_.words[0].admitted.load()); }

  // As PEs of the node do that find it so.
  void begin_with_network(std::size_t lock) {
    memory_.keys[lock] = LockKey::of(lock + 1, true);
    memory_.head.found.fetch_add(1);
  }

  // One acquisition, by set or by test.
  void visit(std::size_t lock, bool is_near, bool by_test, Mode mode = kW) {
    NearLock here = near(lock);
    FarLock there = far(lock);
    if (by_test) {
      while (!(is_near ? here.try_lock(mode) : try_far(there, mode))) {
        std::this_thread::yield();
      }
    } else if (is_near) {
      here.lock(mode, {});
    } else {
      lock_far(there, mode);
    }
    mode == kW ? inside(lock) : look(lock);
    EXPECT_TRUE(is_near ? here.held() : there.held());
    is_near ? here.unlock(mode) : unlock_far(there, mode);
  }

  // Not atomic on purpose: the lock has to protect it. The thread sanitizer knows the same way.
  void inside(std::size_t lock) {
    EXPECT_FALSE(occupied_[lock].exchange(true)) << "two holders";
    EXPECT_EQ(looking_[lock].load(), 0) << "a writer beside a reader";
    const long before = counters_[lock];
    std::this_thread::yield();
    counters_[lock] = before + 1;
    occupied_[lock].store(false);
  }

  void look(std::size_t lock) {
    ++looking_[lock];
    EXPECT_FALSE(occupied_[lock].load()) << "a reader beside a writer";
    const long before = counters_[lock];
    std::this_thread::yield();
    EXPECT_EQ(counters_[lock], before);
    --looking_[lock];
  }

  // The number of the counter that is open; nothing while the lock migrates.
  std::optional<std::uint32_t> positions_given(std::size_t lock) {
    const std::uint64_t far = memory_.words[lock].far.load();
    const std::uint64_t near = memory_.words[lock].near.load();
    if (ticket::phase(far) != ticket::phase(near)) {
      return {};
    }
    return ticket::number(LockWire(means(), place(lock)).by_network(ticket::phase(far)) ? far : near);
  }

  void expect_free(std::size_t lock, long visits) {
    EXPECT_EQ(counters_[lock], visits);
    EXPECT_FALSE(near(lock).held());
    EXPECT_FALSE(far(lock).held());
    EXPECT_TRUE(near(lock).try_lock(kW));
    near(lock).unlock(kW);
  }

  static sync::Patience quick() {
    sync::Patience patience;
    patience.sleep_after_ns = 200'000;
    patience.longest_nap_ns = 1'000'000;
    return patience;
  }

  Memory memory_{};
  test::PretendedNetwork network_{&memory_};
  sync::Patience patience_ = quick();
  LockAgent agent_;
  std::atomic<bool> stop_ = false;
  std::thread serving_;
  std::array<long, kLocks> counters_{};
  std::array<std::atomic<bool>, kLocks> occupied_{};
  std::array<std::atomic<int>, kLocks> looking_{};
  bool has_readers_ = false;
};

TEST_F(MigratingLock, StartsFreeWithTheProcessors) {
  EXPECT_FALSE(near(0).held());
  EXPECT_FALSE(far(0).held());
  visit(0, true, false);
  visit(0, true, true);
  EXPECT_EQ(agent_.openings(), 0U);
  expect_free(0, 2);
}

TEST_F(MigratingLock, ComesToWhoAsksAndReturnsToWhoStays) {
  visit(0, false, false);
  EXPECT_EQ(agent_.openings(), 1U);
  visit(0, false, false);
  EXPECT_EQ(agent_.openings(), 1U) << "it stays with who uses it";
  long visits = 2;
  for (; agent_.closings() == 0 && visits < 100'000; ++visits) {
    visit(0, true, false);
  }
  EXPECT_EQ(agent_.closings(), 1U);
  visit(0, false, true);
  EXPECT_EQ(agent_.openings(), 2U);
  expect_free(0, visits + 1);
}

// A ticket, a look at who is served, and the release, as a lock that is always taken through the network. What the
// first one costs more, the migration, is paid once.
TEST_F(MigratingLock, CostsThoseElsewhereNoMoreThanTheNetwork) {
  FarLock mine = far(0);
  lock_far(mine);
  unlock_far(mine);
  const long before = network_.begun();
  constexpr long kVisits = 100;
  for (long k = 0; k < kVisits; ++k) {
    lock_far(mine);
    unlock_far(mine);
  }
  EXPECT_EQ(network_.begun() - before, 3 * kVisits);
  EXPECT_EQ(agent_.openings(), 1U);
  EXPECT_EQ(agent_.closings(), 0U);
}

TEST_F(MigratingLock, TestSaysNoWhileItIsHeld) {
  for (const bool holder_is_near : {true, false}) {
    if (holder_is_near) {
      near(0).lock(kW, {});
    } else {
      FarLock mine = far(0);
      lock_far(mine);
    }
    EXPECT_FALSE(near(0).try_lock(kW));
    EXPECT_FALSE(try_far(far(0)));
    if (holder_is_near) {
      near(0).unlock(kW);
    } else {
      FarLock mine = far(0);
      unlock_far(mine);
    }
  }
  expect_free(0, 0);
}

// What everybody relies on: the adapter does lose updates, so a lock that mixes loses some too.
TEST_F(MigratingLock, ThePretendedAdapterLosesUpdates) {
  constexpr int kEach = 2000;
  std::atomic<std::uint64_t>& word = memory_.words[0].wanted;
  bool lost = false;
  for (int tries = 0; tries < 50 && !lost; ++tries) {
    word = 0;
    std::thread processor([&] {
      for (int k = 0; k < kEach; ++k) {
        word.fetch_add(1);
        if (k % 16 == 0) {
          std::this_thread::yield();
        }
      }
    });
    for (int k = 0; k < kEach; ++k) {
      transport::Pending pending;
      network_.atomic(at(offsetof(Memory, words) + offsetof(LockWords, wanted)), {Op::kAdd, Type::k64, 1}, nullptr,
                      pending);
      complete(pending);
    }
    processor.join();
    lost = word != 2 * kEach;
  }
  word = 0;
  EXPECT_TRUE(lost);
}

// A PE elsewhere that is slow to read the shift: however much the node wants the lock back, it stays until that PE has
// had it, for the next shift would give that PE a wrong position.
TEST_F(MigratingLock, StaysUntilWhoAskedHasHadIt) {
  constexpr std::uint32_t kWaiters = 3 * LockPolicy::kPays;
  near(0).lock(kW, {});
  LockWire slow(means(), place(0));
  const std::uint64_t before = slow.take_ticket();
  ASSERT_FALSE(slow.by_network(ticket::phase(before)));
  transport::Pending pending;
  slow.ask(pending);
  complete(pending);
  while (agent_.openings() == 0) {
    std::this_thread::yield();
  }
  std::vector<std::thread> waiters;
  for (std::uint32_t k = 0; k < kWaiters; ++k) {
    waiters.emplace_back([&] { visit(0, true, false); });
  }
  while (memory_.words[0].near_by_far.load() < kWaiters) {
    std::this_thread::yield();
  }
  // Those that had a ticket before they were counted may have passed for others from elsewhere.
  memory_.words[0].near_by_far.fetch_add(100 * LockPolicy::kPays);
  memory_.head.moves.fetch_add(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(agent_.closings(), 0U);
  const std::uint64_t shift = memory_.words[0].shift.load();
  EXPECT_EQ(ticket::phase(shift), ticket::phase(before) + 1);
  near(0).unlock(kW);
  EXPECT_EQ(admitted(), ticket::number(before) + ticket::number(shift));
  FarLock mine = far(0);
  unlock_far(mine);
  for (std::thread& waiter : waiters) {
    waiter.join();
  }
  // The agent looks again when there is news.
  long visits = kWaiters;
  for (; agent_.closings() == 0 && visits < 100'000; ++visits) {
    visit(0, true, false);
  }
  EXPECT_EQ(agent_.closings(), 1U);
  expect_free(0, visits);
}

// The lock is back with the processors, and who has it elsewhere gives it up: who sleeps on the node is woken, and not
// at the end of a nap.
TEST_F(MigratingLock, WakesSleepersWhenItHasReturned) {
  constexpr std::uint32_t kWaiters = 3;
  sync::Patience sleepy;
  sleepy.sleep_after_ns = 0;
  sleepy.shortest_nap_ns = sleepy.longest_nap_ns = 1'000'000'000'000;
  visit(0, false, false);
  FarLock holder = far(0);
  lock_far(holder);
  const std::uint32_t held = admitted();
  std::vector<std::thread> waiters;
  for (std::uint32_t k = 0; k < kWaiters; ++k) {
    waiters.emplace_back([&] {
      NearLock mine({network_, sleepy, complete}, place(0), memory_.words[0], memory_.head);
      mine.lock(kW, {});
      inside(0);
      mine.unlock(kW);
    });
  }
  while (memory_.words[0].near_by_far.load() < kWaiters || memory_.head.bell.sleepers.load() < kWaiters) {
    std::this_thread::yield();
  }
  // As if the node had used it often.
  memory_.words[0].near_by_far.fetch_add(100 * LockPolicy::kPays);
  memory_.head.moves.fetch_add(1);
  while (agent_.closings() == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(admitted(), held) << "it has returned while it is held";
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  unlock_far(holder);
  for (std::thread& waiter : waiters) {
    waiter.join();
  }
  expect_free(0, kWaiters + 1);
}

// Readers from elsewhere, who ring nobody, leave a lock that has returned: a writer of the node that sleeps goes in.
TEST_F(MigratingLock, WakesAWriterThatWaitsForReadersElsewhere) {
  has_readers_ = true;
  sync::Patience sleepy;
  sleepy.sleep_after_ns = 0;
  sleepy.shortest_nap_ns = sleepy.longest_nap_ns = 1'000'000'000'000;
  FarLock reader = far(0);
  lock_far(reader, kR);
  ASSERT_EQ(agent_.openings(), 1U);
  visit(0, true, false, kR);  // beside it
  memory_.words[0].near_by_far.fetch_add(100 * LockPolicy::kPays);
  memory_.head.moves.fetch_add(1);
  while (agent_.closings() == 0) {
    std::this_thread::yield();
  }
  std::thread writer([&] {
    NearLock mine({network_, sleepy, complete}, place(0), memory_.words[0], memory_.head);
    mine.lock(kW, {});
    inside(0);
    mine.unlock(kW);
  });
  while (memory_.head.bell.sleepers.load() == 0) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(counters_[0], 0) << "a reader is inside";
  unlock_far(reader, kR);
  writer.join();
  expect_free(0, 1);
}

TEST_F(MigratingLock, ReadersAreInsideTogether) {
  has_readers_ = true;
  for (const bool from_far : {false, true}) {
    visit(0, !from_far, false);
    NearLock here = near(0);
    FarLock there = far(0);
    here.lock(kR, {});
    lock_far(there, kR);
    EXPECT_TRUE(near(0).try_lock(kR));
    EXPECT_TRUE(try_far(far(0), kR));
    EXPECT_FALSE(near(0).try_lock(kW));
    EXPECT_FALSE(try_far(far(0), kW));
    EXPECT_TRUE(near(0).held() && far(0).held());
    here.unlock(kR);
    unlock_far(there, kR);
    near(0).unlock(kR);
    EXPECT_FALSE(near(0).try_lock(kW)) << "one is inside";
    unlock_far(there, kR);
    EXPECT_TRUE(near(0).try_lock(kW));
    EXPECT_FALSE(near(0).try_lock(kR));
    EXPECT_FALSE(try_far(far(0), kR));
    near(0).unlock(kW);
  }
  expect_free(0, 2);
}

// A ticket and who is admitted, admitting the next one, and leaving: as many operations as a writer's, and one.
TEST_F(MigratingLock, CostsReadersElsewhereOneOperationMore) {
  has_readers_ = true;
  FarLock mine = far(0);
  lock_far(mine, kR);
  unlock_far(mine, kR);
  const long before = network_.begun();
  constexpr long kVisits = 100;
  for (long k = 0; k < kVisits; ++k) {
    lock_far(mine, kR);
    unlock_far(mine, kR);
  }
  EXPECT_EQ(network_.begun() - before, 4 * kVisits);
}

struct Mix {
  const char* name;
  int near;
  int far;
  int visits;  // of each
  int burst;   // visits between two rests
  bool by_test;
  std::size_t locks;
  bool network_first = false;
  unsigned writes_each = 1;  // one visit in so many
};
void PrintTo(const Mix& mix, std::ostream* out) { *out << mix.name; }

class MigratingLockMix : public MigratingLock, public testing::WithParamInterface<Mix> {};

TEST_P(MigratingLockMix, OneHolderAtATime) {
  const Mix& mix = GetParam();
  has_readers_ = mix.writes_each > 1;
  for (std::size_t lock = 0; lock < mix.locks && mix.network_first; ++lock) {
    begin_with_network(lock);
  }
  std::array<std::atomic<long>, kLocks> writes{};
  std::vector<std::thread> pes;
  for (int pe = 0; pe < mix.near + mix.far; ++pe) {
    pes.emplace_back([&, pe] {
      std::minstd_rand random(static_cast<unsigned>(pe) + 7);
      for (int k = 0; k < mix.visits; ++k) {
        const std::size_t lock = static_cast<std::size_t>(k) % mix.locks;
        const Mode mode = random() % mix.writes_each == 0 ? kW : kR;
        writes[lock] += mode == kW ? 1 : 0;
        visit(lock, pe < mix.near, mix.by_test && random() % 4 == 0, mode);
        if (k % mix.burst == 0) {
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
        }
      }
    });
  }
  for (std::thread& pe : pes) {
    pe.join();
  }
  for (std::size_t lock = 0; lock < mix.locks; ++lock) {
    expect_free(lock, writes[lock]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MigratingLockMix,
    testing::Values(Mix{"AllOnHome", 3, 0, 1500, 100, true, 1}, Mix{"AllElsewhere", 0, 3, 600, 100, true, 1},
                    Mix{"Both", 2, 2, 600, 1000, true, 1}, Mix{"Bursts", 2, 1, 900, 40, true, 1},
                    Mix{"SomebodyNowAndThen", 3, 1, 900, 15, false, 1}, Mix{"OneEach", 1, 1, 1500, 12, true, 1},
                    Mix{"ManyLocks", 2, 2, 600, 25, true, 3}, Mix{"BothNetworkFirst", 2, 2, 600, 1000, true, 1, true},
                    Mix{"BurstsNetworkFirst", 2, 1, 900, 40, true, 1, true},
                    Mix{"ManyLocksNetworkFirst", 2, 2, 600, 25, true, 3, true},
                    Mix{"ReadersOnHome", 3, 0, 1500, 100, true, 1, false, 4},
                    Mix{"ReadersElsewhere", 0, 3, 600, 100, true, 1, false, 4},
                    Mix{"Readers", 2, 2, 600, 1000, true, 1, false, 4},
                    Mix{"ReadersInBursts", 2, 1, 900, 40, true, 1, false, 3},
                    Mix{"ReadersNowAndThen", 3, 1, 900, 15, false, 1, false, 4},
                    Mix{"ReadersOfManyLocks", 2, 2, 600, 25, true, 3, false, 2},
                    Mix{"ReadersNetworkFirst", 2, 2, 600, 40, true, 1, true, 4},
                    Mix{"ReadersOnly", 2, 2, 600, 40, true, 1, false, 1000}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Who has come gets the lock in the order of coming, also while it migrates.
TEST_F(MigratingLock, FirstComeFirstServed) {
  constexpr bool kIsNear[] = {false, true, true, false, true, false, false, true};
  constexpr std::size_t kPes = std::size(kIsNear);
  for (const bool from_far : {false, true, false}) {
    visit(0, !from_far, false);
    near(0).lock(kW, {});
    std::vector<int> served;
    std::vector<std::thread> pes;
    const std::uint32_t held = admitted();
    for (std::size_t pe = 0; pe < kPes; ++pe) {
      pes.emplace_back([&, pe] {
        if (kIsNear[pe]) {
          NearLock mine = near(0);
          mine.lock(kW, {});
          served.push_back(static_cast<int>(pe));
          mine.unlock(kW);
        } else {
          FarLock mine = far(0);
          lock_far(mine);
          served.push_back(static_cast<int>(pe));
          unlock_far(mine);
        }
      });
      // A ticket is not yet a place: one from elsewhere that the processors' phase has seen gets it from the agent.
      while (positions_given(0) != held + pe + 2) {
        std::this_thread::yield();
      }
    }
    near(0).unlock(kW);
    for (std::thread& pe : pes) {
      pe.join();
    }
    for (std::size_t k = 0; k < kPes; ++k) {
      EXPECT_EQ(served[k], static_cast<int>(k));
    }
  }
}

}  // namespace
}  // namespace weft::lock
