// What front ends will do with messages, in small (clients.hpp), over every network.
#include "contract.hpp"

#include "progress/progress.hpp"

namespace weft::transport {
namespace {

enum Act : int { kMeet, kCompute, kHoldTheLock };

constexpr int kSends = 24;
constexpr std::size_t kLengths[] = {8, 5000, 70'000};

class Clients : public Contract {
 public:
  static std::size_t length(int tag) { return kLengths[static_cast<std::size_t>(tag) % std::size(kLengths)]; }

  // Each sends all and then takes them from the last one on, so that nearly all of them are asked for too early.
  static void meet(int me) {
    std::vector<std::vector<std::byte>> sent;
    std::vector<std::vector<std::byte>> came(kSends);
    Pending sends;
    Pending receipts;
    for (int tag = 0; tag < kSends; ++tag) {
      sent.push_back(pattern(length(tag), tag + 100 * me));
      rendezvous_.send(1 - me, static_cast<std::uint64_t>(tag), sent.back().data(), sent.back().size(), sends);
    }
    for (int tag = kSends - 1; tag >= 0; --tag) {
      auto& room = came[static_cast<std::size_t>(tag)];
      room.resize(length(tag));
      Pending receipt;
      rendezvous_.receive(static_cast<std::uint64_t>(tag), room.data(), tag % 2 == 0 ? receipt : receipts);
      wait(receipt);
      if (tag % 2 == 0) {
        EXPECT_TRUE(room == pattern(length(tag), tag + 100 * (1 - me))) << tag;
      }
    }
    wait(receipts);
    wait(sends);
    for (int tag = 0; tag < kSends; ++tag) {
      EXPECT_TRUE(came[static_cast<std::size_t>(tag)] == pattern(length(tag), tag + 100 * (1 - me))) << tag;
    }
  }

  // Never lets the network go on itself.
  static void compute() {
    static progress::Progress thread;
    static sync::Doorbell bell{};
    EXPECT_TRUE(thread.start(network_, bell));
    for (std::uint64_t k = 0; !common_->act_ends; ++k) {
      pages_.change(static_cast<int>(k % Pages::kPages));
    }
    thread.stop();
    common_->act_says = pages_.late();
  }

  // The program at home has it too: first until some wait for it, then when it is free.
  static void hold_the_lock() {
    std::uint64_t times = 0;
    while (!common_->act_ends) {
      if (lock_home_.try_take()) {
        while (times == 0 && lock_home_.waiting() < 2 && !common_->act_ends) {
          network_->progress();
        }
        lock_home_.add_and_release();
        ++times;
      }
      network_->progress();
    }
    while (!lock_home_.is_free()) {
      network_->progress();
    }
    common_->act_says = lock_home_.is_whole(times + kLockUsers * kTimes) ? lock_home_.granted_late() : UINT64_MAX;
  }
  static constexpr std::uint64_t kTimes = 20;

  static void act(int what) {
    switch (what) {
      case kMeet: meet(1); break;
      case kCompute: compute(); break;
      default: hold_the_lock();
    }
    if (testing::Test::HasFailure()) {
      ::_exit(6);  // which the other process finds
    }
  }
  static const bool kActs;
};
const bool Clients::kActs = (act_ = act) != nullptr;

TEST_F(Clients, AnswersDoNotLieBehindWhatFillsTheBoxes) {
  for (int round = 0; round < 3; ++round) {
    begin_act(kMeet);
    meet(0);
    end_act();
  }
  EXPECT_GT(rendezvous_.most_owed(), std::size_t{1});
}

TEST_F(Clients, APeThatComputesGivesPages) {
  begin_act(kCompute);
  for (std::uint64_t k = 0; k < 60; ++k) {
    const std::uint64_t before = pages_.came;
    Pending pending;
    while (network_->tell(1, {kAskForPage, &k, sizeof k, nullptr, 0}, pending) == Told::kAgain) {
      go_on();
    }
    while (pages_.came.load(std::memory_order_acquire) == before) {
      go_on();
    }
    for (const std::uint64_t word : pages_.here) {
      ASSERT_EQ(word, pages_.here[0]);
    }
  }
  end_act();
}

TEST_F(Clients, ALockIsGrantedWithItsData) {
  begin_act(kHoldTheLock);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::uint64_t who = 0; who < kLockUsers; ++who) {
      goes_on = lock_users_[who].go_on(*network_, who, kTimes) || goes_on;
    }
    go_on();
  }
  end_act();
  EXPECT_NE(common_->act_says, UINT64_MAX) << "an update is lost";
  EXPECT_GT(common_->act_says, 0U) << "nobody had to wait for the lock";
}

}  // namespace
}  // namespace weft::transport
