// What every leaf has to do with messages, which order it keeps if it says so, and what it refuses.
#include "contract.hpp"

namespace weft::transport {
namespace {

// Of all sizes: with the head, in one buffer, and by itself.
constexpr std::size_t kDataSizes[] = {0, 1, 8, 100, 3999, 4000, 4001, 8192, 65536, 1048579};

TEST_F(Contract, WhatIsToldGoesWhereItsHandlerSays) {
  for (const std::size_t bytes : kDataSizes) {
    const std::uint64_t before = common_->arrived;
    std::byte* heap = theirs(kHeapRegion);
    std::memset(heap, 0x5a, bytes + 128);
    const std::vector<std::byte> data = pattern(bytes, 7);
    Pending pending;
    tell(kStore, {0, 64}, data.data(), bytes, pending);
    wait(pending);
    wait_for_arrivals(before, 1);
    EXPECT_TRUE(bytes == 0 || std::memcmp(heap + 64, data.data(), bytes) == 0) << bytes;
    EXPECT_EQ(heap[63], std::byte{0x5a});
    EXPECT_EQ(heap[64 + bytes], std::byte{0x5a});
    // And nowhere.
    tell(kStore, {0, Listener::kNowhere}, data.data(), bytes, pending);
    wait(pending);
    wait_for_arrivals(before, 2);
  }
}

// What is said to be done may be changed at once.
TEST_F(Contract, DataThatIsDoneMayBeChanged) {
  const std::uint64_t before = common_->arrived;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Pending pending;
    std::uint64_t value = k;
    const Listener::Head head{k, 8 * k};
    Told told = Told::kAgain;
    while ((told = network_->tell(1, {kStore, &head, sizeof head, &value, sizeof value}, pending)) == Told::kAgain) {
      go_on();
    }
    if (told == Told::kDone) {
      value = UINT64_MAX;
    }
    wait(pending);
  }
  wait_for_arrivals(before, 200);
  for (std::uint64_t k = 0; k < 200; ++k) {
    std::uint64_t value = 0;
    std::memcpy(&value, theirs(kHeapRegion) + 8 * k, sizeof value);
    ASSERT_EQ(value, k);
  }
}

TEST_F(Contract, HandlersAnswer) {
  for (const std::size_t bytes : kDataSizes) {
    if (bytes > kMostAnswer) {
      continue;
    }
    const std::vector<std::byte> data = pattern(bytes, 9);
    const std::uint64_t before = listener_.answers;
    Pending pending;
    tell(kEcho, {1, 2}, data.data(), bytes, pending);
    while (listener_.answers == before) {
      go_on();
    }
    EXPECT_TRUE(listener_.answer == data) << bytes;
    wait(pending);
  }
}

// As many as there is room for, again and again: each comes, and each is answered. Nobody is kept waiting inside.
TEST_F(Contract, ThereIsRoomForSoManyMessages) {
  constexpr std::uint64_t kTold = 1000;
  const std::uint64_t before = common_->arrived;
  const std::uint64_t answers = listener_.answers;
  Pending pending;
  std::uint64_t again = 0;
  const std::vector<std::byte> data = pattern(2000, 1);
  for (std::uint64_t k = 0; k < kTold;) {
    const Listener::Head head{k, 0};
    if (network_->tell(1, {kEcho, &head, sizeof head, data.data(), data.size()}, pending) != Told::kAgain) {
      ++k;
      continue;
    }
    ++again;
    go_on();
  }
  EXPECT_GT(again, 0U);
  while (listener_.answers != answers + kTold) {
    go_on();
  }
  wait_for_arrivals(before, kTold);
  EXPECT_TRUE(listener_.answer == data);
  wait(pending);
}

// Small and large ones mixed: those behind a large one are placed after it, and their order comes back, relayed from
// inside the handler that places each.
TEST_F(Contract, MessagesArePlacedInOrder) {
  constexpr std::uint64_t kTold = 400;
  const std::uint64_t before = common_->arrived;
  listener_.placed.clear();
  const std::vector<std::byte> data = pattern(20'000, 2);
  Pending pending;
  for (std::uint64_t k = 0; k < kTold; ++k) {
    tell(kRelay, {k, Listener::kNowhere}, data.data(), k % 3 == 0 ? data.size() : k % 3, pending);
  }
  wait(pending);
  wait_for_arrivals(before, kTold);
  while (listener_.placed.size() < kTold) {
    go_on();
  }
  for (std::uint64_t k = 0; k < kTold; ++k) {
    ASSERT_EQ(listener_.placed[k], k);
  }
}

// Also behind large ones: nothing else is placed between.
TEST_F(Contract, MessagesWithoutDataArriveAsTheyArePlaced) {
  constexpr std::uint64_t kTold = 400;
  const std::uint64_t before = common_->arrived;
  listener_.placed.clear();
  const std::vector<std::byte> data = pattern(20'000, 3);
  Pending pending;
  for (std::uint64_t k = 0; k < kTold; ++k) {
    tell(kWatch, {k, Listener::kNowhere}, data.data(), k % 3 == 0 ? data.size() : 0, pending);
  }
  wait(pending);
  wait_for_arrivals(before, kTold);
  while (listener_.placed.size() < 2 * kTold) {
    go_on();
  }
  const std::vector<std::uint64_t>& told = listener_.placed;
  std::uint64_t next = 0;
  for (std::size_t at = 0; at < told.size(); ++at) {
    if ((told[at] & Listener::kArrived) != 0) {
      continue;
    }
    ASSERT_EQ(told[at], next);
    if (next % 3 != 0) {
      ASSERT_LT(at + 1, told.size());
      ASSERT_EQ(told[at + 1], next | Listener::kArrived);
    }
    ++next;
  }
  EXPECT_EQ(next, kTold);
}

TEST_F(Contract, ATargetThatSleepsIsWokenByMessages) {
  common_->sleeps = true;
  for (std::uint64_t k = 0; k < 50; ++k) {
    const std::uint64_t before = listener_.answers;
    Pending pending;
    tell(kEcho, {k, 0}, &k, sizeof k, pending);
    while (listener_.answers == before) {
      go_on();
    }
    ASSERT_EQ(std::memcmp(listener_.answer.data(), &k, sizeof k), 0);
  }
  common_->sleeps = false;
}

// Where an order is promised: data, then a word of it, then an atomic operation, without a wait between them. Looked at
// meanwhile by this process, which sees the target's memory as a processor of its node does.
TEST_F(Contract, OperationsKeepTheOrderThatIsPromised) {
  if (!network_->keeps_order()) {
    GTEST_SKIP() << network_->name() << " promises none";
  }
  constexpr std::size_t kData = 65536;
  std::byte* heap = theirs(kHeapRegion);
  auto* flag = reinterpret_cast<std::atomic<std::uint64_t>*>(heap + kData);
  auto* count = reinterpret_cast<std::atomic<std::uint64_t>*>(heap + kData + 64);
  const auto* first = reinterpret_cast<std::uint64_t*>(heap);
  const auto* last = reinterpret_cast<std::uint64_t*>(heap + kData) - 1;
  *flag = *count = 0;
  std::vector<std::uint64_t> data(kData / sizeof(std::uint64_t));
  for (std::uint64_t round = 1; round <= 200; ++round) {
    std::fill(data.begin(), data.end(), round);
    Pending pending;
    network_->put({1, key(kHeapRegion), 0}, data.data(), kData, Source::kStays, pending);
    network_->put({1, key(kHeapRegion), kData}, &round, sizeof round, Source::kReusable, pending);
    network_->atomic({1, key(kHeapRegion), kData + 64}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    while (flag->load(std::memory_order_acquire) != round) {
      network_->progress();
    }
    ASSERT_EQ(*first, round);
    ASSERT_EQ(*last, round);
    wait(pending);
    ASSERT_EQ(*count, round);
  }
}

TEST_F(Contract, MessagesComeInOrder) {
  Pending sent;
  std::vector<std::uint64_t> numbers(kMessages);
  std::iota(numbers.begin(), numbers.end(), 1000);
  for (const std::uint64_t& number : numbers) {
    tagged_.send(1, kTag, &number, sizeof number, sent);
  }
  for (const std::uint64_t number : numbers) {
    std::uint64_t back = 0;
    Pending came;
    tagged_.receive(1, kTag, &back, sizeof back, came);
    wait(came);
    ASSERT_EQ(back, number);
  }
  wait(sent);
}

// The tag is of no use afterwards.
TEST_F(Contract, AMessageThatIsTooShortIsToldOf) {
  static char told[256];
  static std::uint64_t wanted[2];
  Pending sent;
  Pending came;
  g_told = told;
  tagged_.receive(1, kTag, wanted, sizeof wanted, came);
  const std::uint64_t number = 1;
  tagged_.send(1, kTag, &number, sizeof number, sent);
  while (told[0] == '\0' && !came.done()) {
    go_on();
  }
  EXPECT_STREQ(told, "the receipt of a message with PE 1: it has 8 bytes, expected are 16");
  wait(sent);
  g_told = nullptr;
}

// The last of all, as tests with parameters are in their order: the network is of no use afterwards.
class Refused : public Contract, public testing::WithParamInterface<int> {};

TEST_P(Refused, KeysThatWereTakenBackOrMadeUpAre) {
  static char told[256];
  static std::uint64_t value = 77;
  const RegionKey old = lend_later();
  (void)lend_later();
  const RegionKey other = lend_later();  // the same memory, and maybe the same slot
  std::memset(common_->lent_later, 0, kLater);
  g_told = told;
  static Pending pending;
  for (const RegionKey& key : {old, RegionKey{other.key ^ 0x5a5a, other.base}}) {
    told[0] = '\0';
    network_->put({1, key, 0}, &value, sizeof value, Source::kReusable, pending);
    while (told[0] == '\0' && !pending.done()) {
      network_->progress();
    }
    EXPECT_NE(std::strstr(told, "a put with PE 1"), nullptr) << told;
  }
  for (const std::byte byte : common_->lent_later) {
    ASSERT_EQ(byte, std::byte{0});
  }
}

INSTANTIATE_TEST_SUITE_P(AtTheEnd, Refused, testing::Values(0));

}  // namespace
}  // namespace weft::transport
