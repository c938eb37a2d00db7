// Operations on the network for each way of using a lock that migrates, counted. Everything happens in this thread, so
// the counts are always the same: the agent runs whenever somebody waits for the network.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "costs.hpp"
#include "lock/agent.hpp"
#include "lock/keys.hpp"
#include "pretended_network.hpp"

namespace weft::lock {
namespace {

constexpr std::size_t kEntries = LockKeys::kBucket;
constexpr std::uint64_t kLock = 12345;

struct Memory {
  LockHead head;
  std::array<std::atomic<std::uint64_t>, kEntries> keys;
  std::array<LockWords, kEntries> words;
};

std::function<void()> g_go_on;
void go_on() noexcept { g_go_on(); }
void complete(const transport::Pending& pending) noexcept {
  while (!pending.done()) {
    g_go_on();
  }
}

class LockCounts : public testing::Test {
 protected:
  LockCounts() {
    g_go_on = [this] {
      network_.progress();
      agent_.serve();
    };
    patience_.poll = go_on;
    EXPECT_TRUE(agent_.open(network_, at(offsetof(Memory, words)), memory_.head, memory_.keys.data(),
                            memory_.words.data(), kEntries));
  }
  ~LockCounts() override {
    agent_.close([this] { network_.progress(); });
  }

  static transport::Remote at(std::uint64_t offset) { return {0, {}, offset}; }
  LockMeans means() { return {network_, patience_, complete}; }

  LockFound find(bool is_near, std::uint64_t lock = kLock) {
    const LockFound found =
        find_lock_entry(means(), {kEntries, at(offsetof(Memory, keys)), is_near ? memory_.keys.data() : nullptr}, lock);
    if (is_near && found.network_first) {
      memory_.head.found.fetch_add(1);
    }
    return found;
  }
  LockPlace place(const LockFound& found) const {
    return {at(offsetof(Memory, words) + found.entry * sizeof(LockWords)), at(offsetof(Memory, head)),
            found.network_first};
  }

  // What shmem_set_lock (or shmem_test_lock) and shmem_clear_lock do.
  void near(const LockFound& found, bool by_test = false) {
    NearLock lock(means(), place(found), memory_.words[found.entry], memory_.head);
    if (by_test) {
      EXPECT_TRUE(lock.try_lock(Mode::kExclusive));
    } else {
      lock.lock(Mode::kExclusive, {});
    }
    EXPECT_TRUE(lock.held());
    lock.unlock(Mode::kExclusive);
  }
  void far(const LockFound& found, bool by_test = false) {
    FarLock lock(means(), place(found));
    transport::Pending pending;
    if (by_test) {
      EXPECT_TRUE(lock.try_lock(Mode::kExclusive, pending));
    } else {
      lock.lock(Mode::kExclusive, {}, pending);
    }
    EXPECT_TRUE(lock.held());
    lock.unlock(Mode::kExclusive, pending);
    complete(pending);
  }
  void rest() {
    for (int k = 0; k < 100; ++k) {
      go_on();
    }
  }
  // Operations of what is done, and of what it leaves to be done.
  long cost(const std::function<void()>& done) {
    const long before = network_.begun();
    done();
    rest();
    return network_.begun() - before;
  }
  // n: a PE of the node; f: one elsewhere. One PE each.
  long cost_of(const std::string& uses) {
    return cost([&] {
      LockFound by_near{};
      LockFound by_far{};
      for (const char who : uses) {
        LockFound& found = who == 'n' ? by_near : by_far;
        if (found.entry == LockFound::kNone) {
          found = find(who == 'n');
        }
        who == 'n' ? near(found) : far(found);
        rest();
      }
    });
  }

  Memory memory_{};
  test::PretendedNetwork network_{&memory_};
  sync::Patience patience_{};
  LockAgent agent_;
};

TEST_F(LockCounts, OnlyFromElsewhere) {
  EXPECT_EQ(cost_of("f"), test::kFirstUse + test::kFarByNetwork);
  EXPECT_LE(test::kFirstUse + test::kFarByNetwork, 2 * test::kAlwaysByNetwork);
  EXPECT_EQ(cost_of("f"), test::kFirstUse + test::kFarByNetwork) << "a second PE";
  const LockFound found = find(false);
  EXPECT_EQ(cost([&] { far(found); }), test::kFarByNetwork);
  EXPECT_EQ(cost([&] { far(found, true); }), test::kFarByNetwork) << "by shmem_test_lock";
  EXPECT_EQ(agent_.openings(), 0U) << "nobody at home has asked for it";
}

TEST_F(LockCounts, OnlyFromItsNode) {
  EXPECT_EQ(cost_of("n"), test::kFirstUse);
  EXPECT_EQ(cost_of("nnnn"), 0);
  const LockFound found = find(true);
  EXPECT_EQ(cost([&] { near(found, true); }), 0);
}

TEST_F(LockCounts, FromElsewhereThenAlwaysFromItsNode) {
  const std::string uses(LockPolicy::kPays, 'n');
  EXPECT_EQ(cost_of("f" + uses), test::kFirstUse + test::kFarByNetwork +
                                     static_cast<long>(LockPolicy::kPays) * test::kNearByNetwork + test::kReturns);
  EXPECT_EQ(agent_.closings(), 1U);
  EXPECT_EQ(cost_of("nnnn"), 0) << "the agent has adopted it";
  const LockFound found = find(false);
  EXPECT_EQ(cost([&] { far(found); }), test::kFarLeaves);
  EXPECT_EQ(agent_.openings(), 1U);
  EXPECT_EQ(cost([&] { far(found); }), test::kFarByNetwork);
}

TEST_F(LockCounts, FromItsNodeThenFromElsewhere) {
  EXPECT_EQ(cost_of("n"), test::kFirstUse);
  EXPECT_EQ(cost_of("f"), test::kFirstUse + test::kFarLeaves);
  EXPECT_LE(test::kFirstUse + test::kFirstUse + test::kFarLeaves, 2 * 2 * test::kAlwaysByNetwork);
}

TEST_F(LockCounts, ByTurns) {
  EXPECT_EQ(cost_of("fnfnfn"), 2 * test::kFirstUse - 1 + 3 * (test::kFarByNetwork + test::kNearByNetwork));
  EXPECT_EQ(agent_.closings(), 0U);
}

// What a test costs that finds the lock held: one look, as through the network.
TEST_F(LockCounts, ATestInVainIsOneLook) {
  const LockFound found = find(false);
  FarLock holder(means(), place(found));
  transport::Pending pending;
  holder.lock(Mode::kExclusive, {}, pending);
  FarLock other(means(), place(found));
  EXPECT_EQ(cost([&] { EXPECT_FALSE(other.try_lock(Mode::kExclusive, pending)); }), 1);
  NearLock here(means(), place(found), memory_.words[found.entry], memory_.head);
  EXPECT_EQ(cost([&] { EXPECT_FALSE(here.try_lock(Mode::kExclusive)); }), 0);
  holder.unlock(Mode::kExclusive, pending);
  complete(pending);
}

// --- entries ---------------------------------------------------------------------------------------------------------

TEST_F(LockCounts, AllFindTheSameEntryAndSide) {
  std::array<bool, kEntries> taken{};
  for (std::uint64_t lock = 1; lock <= kEntries; ++lock) {
    const bool first_is_near = lock % 3 == 0;
    const LockFound found = find(first_is_near, lock);
    ASSERT_NE(found.entry, LockFound::kNone) << lock;
    EXPECT_FALSE(std::exchange(taken[found.entry], true)) << lock;
    EXPECT_EQ(found.network_first, !first_is_near) << lock;
    for (const bool is_near : {false, true}) {
      const LockFound again = find(is_near, lock);
      EXPECT_EQ(again.entry, found.entry) << lock;
      EXPECT_EQ(again.network_first, found.network_first) << lock;
    }
  }
  for (const bool is_near : {false, true}) {
    EXPECT_EQ(find(is_near, kEntries + 1).entry, LockFound::kNone) << "there is no room";
  }
}

}  // namespace
}  // namespace weft::lock
