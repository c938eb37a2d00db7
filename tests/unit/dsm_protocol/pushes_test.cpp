// Pages that are sent before they are asked for: whatever comes in between, who acquires has what was announced to him,
// and what he wrote himself stays.
#include "dsm/protocol/pushes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace weft::dsm::protocol {
namespace {

constexpr std::uint32_t kPage = 7;
constexpr int kHome = 1;
constexpr int kReader = 2;
constexpr int kThird = 3;
using Four = std::array<std::byte, 4>;  // of the home, the reader and the third PE a byte each

int value(std::byte of) { return std::to_integer<int>(of); }
void raise(std::byte& of) { of = static_cast<std::byte>(value(of) + 1); }

// A page, its home, a third PE that writes it too, and who reads it and writes it now and then.
class World {
 public:
  explicit World(std::uint32_t seed) : random_(seed) {}

  // False: something is wrong. Values are bytes, so no world gets old.
  bool run(int steps) {
    for (int k = 0; k < steps && good_ && std::max({value(home_[0]), value(home_[1]), value(home_[2])}) < 200; ++k) {
      switch (pick(24)) {
        case 0: reader_writes(); break;
        case 1: reader_releases(); break;
        case 2: fetch(pick(2) != 0 && !written_); break;
        default: pick(2) == 0 ? reader_acquires() : others_go_on(3);
      }
      good_ = good_ && value(copy_[1]) == mine_;
    }
    return good_;
  }
  int used() const { return used_; }

 private:
  struct Told {
    bool push;
    int pe;
    std::uint64_t number;
    std::uint64_t round;
    Four contents;
    int announced;  // the byte that the notice is about
  };
  int pick(int one_of) { return static_cast<int>(random_() % static_cast<std::uint32_t>(one_of)); }

  // All but the reader's program.
  void others_go_on(int most) {
    for (int k = pick(most + 1); k >= 0; --k) {
      switch (pick(16)) {
        case 0:
        case 1: raise(home_[0]); break;
        case 2: home_compares(); break;
        case 3: home_announces(); break;
        case 4:
        case 5:
          raise(home_[2]);  // the change went home first
          on_the_way_.push_back({false, kThird, 0, 0, {}, value(home_[2])});
          break;
        default: deliver(); break;
      }
    }
  }
  void home_compares() {
    if (!compared_) {
      compared_ = true;
      subscribers_.begin_comparing();
      twin_ = home_;
    }
  }
  // It waits until all has arrived, and so does the third one, of its own notices. What is sent is the twin, where that
  // may be.
  void home_announces() {
    if (!compared_ ||
        std::any_of(on_the_way_.begin(), on_the_way_.end(), [](const Told& each) { return each.pe == kHome; })) {
      return;
    }
    compared_ = false;
    ++round_;
    subscribers_.each(kReader, {kPage, 1}, [&](std::uint32_t /*page*/, std::uint64_t number, bool by_twin) {
      if (pick(4) == 0) {
        return false;  // there were too many
      }
      on_the_way_.push_back({true, kHome, number, round_, by_twin ? twin_ : home_, 0});
      return true;
    });
    on_the_way_.push_back({false, kHome, 0, round_, {}, value(twin_[0])});
  }
  void deliver() {
    if (on_the_way_.empty()) {
      return;
    }
    const auto at = on_the_way_.begin() + pick(static_cast<int>(on_the_way_.size()));
    const Told told = *at;
    on_the_way_.erase(at);
    if (told.push) {
      std::byte* const room = pushes_.place(told.pe, kPage, told.number, told.round);
      if (room != nullptr) {
        std::memcpy(room, told.contents.data(), told.contents.size());
      } else {
        subscribers_.refused(kReader, kPage, told.number);
      }
      return;
    }
    if (told.pe == kHome) {
      pushes_.announced(kHome, {kPage, 1}, told.round);
    }
    int& latest = told.pe == kHome ? noticed_by_home_ : noticed_by_third_;
    latest = std::max(latest, told.announced);
    (told.pe == kHome ? new_by_home_ : new_by_third_) = true;
  }

  void fetch(bool subscribes) {
    std::uint64_t number = 0;
    if (subscribes) {
      number = pick(2) != 0 ? pushes_.subscribe(kPage, 1) : pushes_.subscribe_by_fault(kPage);
    } else {
      pushes_.forget({kPage, 1});
    }
    others_go_on(3);
    const Four contents = home_;
    others_go_on(1);
    if (number != 0) {
      subscribers_.add(kReader, kPage, 1, number);
    }
    others_go_on(3);
    const std::byte mine = copy_[1];
    copy_ = contents;
    if (written_) {
      copy_[1] = mine;  // merged
    }
  }
  void reader_writes() {
    if (!written_) {
      pushes_.forget({kPage, 1});
      written_ = true;
    }
    raise(copy_[1]);
    mine_ = value(copy_[1]);
  }
  void reader_releases() {
    if (written_) {
      others_go_on(2);
      home_[1] = copy_[1];
      others_go_on(2);
      written_ = false;
    }
  }
  void reader_acquires() {
    const bool by_home = std::exchange(new_by_home_, false);
    const bool by_third = std::exchange(new_by_third_, false);
    const int from_home = noticed_by_home_;
    const int from_third = noticed_by_third_;
    if (by_home || by_third) {
      const std::byte* const sent = by_third || written_ ? nullptr : pushes_.find(kHome, kPage);
      if (sent != nullptr) {
        std::memcpy(copy_.data(), sent, copy_.size());
        ++used_;
      } else {
        fetch(!written_);
      }
    }
    good_ = good_ && value(copy_[0]) >= from_home && value(copy_[2]) >= from_third;
  }

  std::mt19937 random_;
  bool good_ = true;
  int used_ = 0;
  Four home_{};
  Four twin_{};
  bool compared_ = false;
  Four copy_{};
  bool written_ = false;
  int mine_ = 0;
  int noticed_by_home_ = 0;
  int noticed_by_third_ = 0;
  bool new_by_home_ = false;
  bool new_by_third_ = false;
  std::uint64_t round_ = 0;
  std::vector<Told> on_the_way_;
  Subscribers subscribers_;
  Pushes<4> pushes_;
};

TEST(Pushes, AreAsNewAsWhatAnAcquireWouldFetch) {
  int used = 0;
  for (std::uint32_t seed = 0; seed < 30'000; ++seed) {
    World world(seed);
    ASSERT_TRUE(world.run(300)) << "seed " << seed;
    used += world.used();
  }
  EXPECT_GT(used, 20'000) << "else this has shown little";
}

TEST(Pushes, EndAfterSoMany) {
  Subscribers subscribers;
  subscribers.add(kReader, kPage, 2, 5);
  int pushed = 0;
  for (int k = 0; k < 2 * Subscribers::kPushes; ++k) {
    subscribers.each(kReader, {kPage, 1}, [&](std::uint32_t page, std::uint64_t number, bool /*by_twin*/) {
      EXPECT_EQ(page, kPage);
      EXPECT_EQ(number, 5U);
      ++pushed;
      return true;
    });
  }
  EXPECT_EQ(pushed, Subscribers::kPushes);
  EXPECT_FALSE(subscribers.empty()) << "the second page";
  subscribers.forget(kReader, {kPage, 2});
  EXPECT_TRUE(subscribers.empty());
}

TEST(Pushes, EndWhereTheyAreRefused) {
  Subscribers subscribers;
  subscribers.add(kReader, kPage, 1, 5);
  subscribers.refused(kReader, kPage, 4);
  subscribers.refused(kReader, kPage + 1, 5);
  subscribers.refused(kThird, kPage, 5);
  EXPECT_FALSE(subscribers.empty()) << "it has subscribed anew";
  subscribers.refused(kReader, kPage, 5);
  EXPECT_TRUE(subscribers.empty());
}

TEST(Pushes, NobodyPushesWhatIsNotWanted) {
  Pushes<4> pushes;
  EXPECT_EQ(pushes.place(kHome, kPage, 1, 1), nullptr);
  const std::uint64_t number = pushes.subscribe(kPage, 1);
  EXPECT_EQ(pushes.place(kHome, kPage, number + 1, 1), nullptr);
  EXPECT_EQ(pushes.place(kHome, kPage + 1, number, 1), nullptr);
  EXPECT_NE(pushes.place(kHome, kPage, number, 1), nullptr);
  EXPECT_EQ(pushes.find(kThird, kPage), nullptr) << "of another PE, who is not its home";
  EXPECT_NE(pushes.find(kHome, kPage), nullptr);
  pushes.announced(kThird, {0, UINT32_MAX}, 9);
  EXPECT_NE(pushes.find(kHome, kPage), nullptr);
  pushes.announced(kHome, {0, UINT32_MAX}, 2);
  EXPECT_EQ(pushes.find(kHome, kPage), nullptr);
}

TEST(Pushes, AreBounded) {
  Pushes<4> pushes;
  EXPECT_NE(pushes.subscribe(0, Pushes<4>::kMost), 0U);
  EXPECT_EQ(pushes.subscribe(1U << 20, 1), 0U);
  EXPECT_NE(pushes.subscribe(0, 2), 0U) << "in place of the same";
}

TEST(Pushes, MakeRoomAtTheirHomeTheOldestFirst) {
  Subscribers subscribers;
  constexpr auto kMost = static_cast<std::uint32_t>(Subscribers::kMost);
  subscribers.add(kReader, 0, kMost, 1);
  subscribers.add(kReader, 0, 1, 2);  // anew
  subscribers.add(kThird, kPage, 10, 1);
  std::vector<std::uint32_t> wanted;
  subscribers.each(kReader, {0, UINT32_MAX}, [&](std::uint32_t page, std::uint64_t /*number*/, bool /*by_twin*/) {
    wanted.push_back(page);
    return true;
  });
  ASSERT_EQ(wanted.size(), Subscribers::kMost - 10);
  EXPECT_EQ(wanted[0], 0U);
  EXPECT_EQ(wanted[1], 11U);
  std::size_t of_third = 0;
  subscribers.each(kThird, {0, UINT32_MAX}, [&](std::uint32_t /*page*/, std::uint64_t /*number*/, bool /*by_twin*/) {
    ++of_third;
    return true;
  });
  EXPECT_EQ(of_third, 10U);
  subscribers.forget(kReader, {0, UINT32_MAX});
  subscribers.forget(kThird, {0, UINT32_MAX});
  EXPECT_TRUE(subscribers.empty());
}

TEST(Pushes, ByFaultsLeaveRoomToPagesThatAreReadAgain) {
  Pushes<4> pushes;
  const auto used = [&](std::uint32_t page, std::uint64_t number) {
    return pushes.place(kHome, page, number, 1) != nullptr && pushes.find(kHome, page) != nullptr;
  };
  constexpr std::uint32_t kAgain = 1U << 20;
  const std::uint64_t again = pushes.subscribe_by_fault(kAgain);
  EXPECT_TRUE(used(kAgain, again)) << "so it is like the others from now on";
  std::vector<std::uint64_t> numbers;
  for (std::uint32_t k = 0; k < Pushes<4>::kMost; ++k) {
    numbers.push_back(pushes.subscribe_by_fault(2 * k));
    EXPECT_NE(numbers.back(), 0U);
  }
  EXPECT_NE(pushes.subscribe(kAgain + 1, Pushes<4>::kMost - 1), 0U) << "of pages that are read again";
  EXPECT_EQ(pushes.subscribe(2 * kAgain, 1), 0U);
  EXPECT_TRUE(used(kAgain, again));
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < Pushes<4>::kMost; ++k) {
    const bool is_here = pushes.place(kHome, 2 * k, numbers[k], 1) != nullptr;
    EXPECT_EQ(is_here, k >= Pushes<4>::kMost - Pushes<4>::kMostByFault) << k;
    left += is_here ? 1 : 0;
  }
  EXPECT_EQ(left, Pushes<4>::kMostByFault);
  pushes.forget({0, UINT32_MAX});
  EXPECT_TRUE(pushes.empty());
  EXPECT_NE(pushes.subscribe(0, Pushes<4>::kMost), 0U);
}

}  // namespace
}  // namespace weft::dsm::protocol
