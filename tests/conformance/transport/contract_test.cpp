// What every leaf of transport/ has to do (transport/transport.hpp): memory that others reach.
#include "contract.hpp"

namespace weft::transport {
namespace {

// Once for all tests, as a network's library must not have been used before the fork: the kernel refuses an RDMA device
// to a process that has not opened it itself.
class Peers : public testing::Environment {
  void SetUp() override { Contract::begin(); }
  void TearDown() override { Contract::end(); }
};
const testing::Environment* const kPeers = testing::AddGlobalTestEnvironment(new Peers);

class Sizes : public Contract, public testing::WithParamInterface<std::tuple<std::size_t, std::size_t>> {};

// Also the bytes before and behind must stay.
TEST_P(Sizes, PutReachesExactlyItsPlace) {
  const auto [bytes, offset] = GetParam();
  for (const Source source : {Source::kReusable, Source::kInARow, Source::kStays}) {
    std::byte* heap = theirs(kHeapRegion);
    std::memset(heap, 0x5a, bytes + offset + 64);
    std::vector<std::byte> data = pattern(bytes, 1 + static_cast<int>(source));
    const std::vector<std::byte> sent = data;
    Pending pending;
    network_->put({1, key(kHeapRegion), offset}, data.data(), bytes, source, pending);
    if (source != Source::kStays) {
      std::fill(data.begin(), data.end(), std::byte{0});
    }
    wait(pending);
    EXPECT_EQ(std::memcmp(heap + offset, sent.data(), bytes), 0);
    for (std::size_t k = 0; k < 64; ++k) {
      ASSERT_EQ(heap[offset + bytes + k], std::byte{0x5a}) << k;
    }
    for (std::size_t k = 0; k < offset; ++k) {
      ASSERT_EQ(heap[k], std::byte{0x5a}) << k;
    }
  }
}

TEST_P(Sizes, GetBringsExactlyItsPlace) {
  const auto [bytes, offset] = GetParam();
  const std::vector<std::byte> data = pattern(bytes, 3);
  std::memcpy(theirs(kHeapRegion) + offset, data.data(), bytes);
  std::vector<std::byte> got(bytes + 64, std::byte{0x5a});
  Pending pending;
  network_->get(got.data(), {1, key(kHeapRegion), offset}, bytes, pending);
  wait(pending);
  EXPECT_EQ(std::memcmp(got.data(), data.data(), bytes), 0);
  for (std::size_t k = 0; k < 64; ++k) {
    ASSERT_EQ(got[bytes + k], std::byte{0x5a}) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         testing::Combine(testing::Values(1, 3, 8, 63, 64, 65, 4096, 8192, 8193, 65537, 1048579),
                                          testing::Values(0, 1, 8, 13)));

TEST_F(Contract, StaticDataIsAPlaceOfItsOwn) {
  const std::uint64_t value = 0x1122334455667788;
  Pending pending;
  network_->put({1, key(kStaticsRegion), kStatics - sizeof value}, &value, sizeof value, Source::kReusable, pending);
  wait(pending);
  std::uint64_t there = 0;
  std::memcpy(&there, theirs(kStaticsRegion) + kStatics - sizeof value, sizeof there);
  EXPECT_EQ(there, value);
}

// Sent as bytes, which is how one gets it.
TEST_F(Contract, MemoryIsLentWhileTheJobRuns) {
  RegionKey last;
  for (std::uint64_t round = 1; round <= 20; ++round) {
    const RegionKey later = lend_later();
    EXPECT_NE(later, RegionKey{});
    EXPECT_NE(later, last);
    last = later;
    Pending pending;
    network_->put({1, later, kLater - sizeof round}, &round, sizeof round, Source::kReusable, pending);
    network_->atomic({1, later, 64}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    wait(pending);
    std::uint64_t back = 0;
    network_->get(&back, {1, later, kLater - sizeof round}, sizeof back, pending);
    wait(pending);
    EXPECT_EQ(back, round);
    EXPECT_EQ(reinterpret_cast<std::atomic<std::uint64_t>*>(common_->lent_later + 64)->load(), round);
    (void)lend_later();
  }
}

TEST_F(Contract, ManyPutsUnderWayAllArrive) {
  constexpr std::size_t kPuts = 5000;  // more than may be under way at a time
  for (const Source source : {Source::kReusable, Source::kInARow}) {
    Pending pending;
    const std::uint64_t turn = source == Source::kInARow ? 1U << 20 : 0;
    for (std::uint64_t k = 0; k < kPuts; ++k) {
      const std::uint64_t value = ~(k + turn);
      network_->put({1, key(kHeapRegion), k * sizeof value}, &value, sizeof value, source, pending);
    }
    wait(pending);
    const auto* there = reinterpret_cast<const std::uint64_t*>(theirs(kHeapRegion));
    for (std::uint64_t k = 0; k < kPuts; ++k) {
      ASSERT_EQ(there[k], ~(k + turn));
    }
  }
}

// Of every size beside each other, so that some are held back, some leave at once, and some take others along.
TEST_F(Contract, SmallAndLargeOnesStayWhole) {
  constexpr std::size_t kSizes[] = {1, 8, 100, 1024, 1025, 9000, 16384, 70000};
  constexpr std::size_t kRoom = kHeap - 70000;
  std::vector<std::vector<std::byte>> data;
  Pending pending;
  std::size_t offset = 0;
  for (int round = 0; round < 40; ++round) {
    for (const std::size_t bytes : kSizes) {
      data.push_back(pattern(bytes, static_cast<int>(data.size())));
    }
  }
  for (std::size_t k = 0; k < data.size(); ++k) {
    const Source source = k % 5 == 4 ? Source::kReusable : k % 2 == 0 ? Source::kStays : Source::kInARow;
    network_->put({1, key(kHeapRegion), offset % kRoom}, data[k].data(), data[k].size(), source, pending);
    std::vector<std::byte> back(data[k].size());
    if (k % 7 == 3) {
      wait(pending);
      network_->get(back.data(), {1, key(kHeapRegion), offset % kRoom}, back.size(), pending);
      wait(pending);
      ASSERT_EQ(back, data[k]) << k;
    }
    offset += data[k].size();
  }
  wait(pending);
}

// An operation that the program does not wait for, behind another one: it arrives though this PE never asks again, as
// long as somebody sleeps on its network.
TEST_F(Contract, WhatIsHeldBackLeavesByItself) {
  Pending pending;
  auto* there = reinterpret_cast<std::atomic<std::uint64_t>*>(theirs(kHeapRegion));
  there[0] = 0;
  int times_up = 0;
  for (std::uint64_t round = 1; round <= 200; ++round) {
    network_->atomic({1, key(kHeapRegion), 0}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    network_->atomic({1, key(kHeapRegion), 0}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    network_->put({1, key(kHeapRegion), 8}, &round, sizeof round, Source::kInARow, pending);
    // As the thread does that serves others.
    while (there[0].load() != 2 * round || there[1].load() != round) {
      times_up += network_->sleep(100) ? 0 : 1;
      network_->progress();
    }
  }
  wait(pending);
  EXPECT_LT(times_up, 100) << "what is held back leaves when an answer comes, not when somebody looks by chance";
}

// Data, a fence and a flag, again and again and in between without a flag: the flag never comes before its data, and
// data without one comes too, as long as somebody sleeps on this PE's network.
TEST_F(Contract, AFlagComesBehindItsData) {
  if (!network_->keeps_order()) {
    GTEST_SKIP() << "this network keeps no order";
  }
  auto* there = reinterpret_cast<std::atomic<std::uint64_t>*>(theirs(kHeapRegion));
  there[0] = there[8] = 0;
  Pending pending;
  for (std::uint64_t round = 1; round <= 300; ++round) {
    const bool has_flag = round % 10 != 0;
    network_->put({1, key(kHeapRegion), 0}, &round, sizeof round, Source::kReusable, pending);
    if (has_flag) {
      network_->fenced();
      network_->put({1, key(kHeapRegion), 64}, &round, sizeof round, Source::kReusable, pending);
    }
    const std::atomic<std::uint64_t>& last = has_flag ? there[8] : there[0];
    while (last.load(std::memory_order_acquire) != round) {
      // Who sleeps goes on when there is something to do, as the thread that serves others does.
      if (network_->sleep(5) || round % 3 == 0) {
        network_->progress();
      }
    }
    ASSERT_EQ(there[0].load(), round);
  }
  wait(pending);
}

// What each operation leaves, by the standard's own words.
template <class T>
T after(Op op, T before, T operand, T compare) {
  switch (op) {
    case Op::kFetch: return before;
    case Op::kSet:
    case Op::kSwap: return operand;
    case Op::kCompareSwap: return before == compare ? operand : before;
    case Op::kAdd: return static_cast<T>(before + operand);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case Op::kAnd: return static_cast<T>(before & operand);
      case Op::kOr: return static_cast<T>(before | operand);
      case Op::kXor: return static_cast<T>(before ^ operand);
      default: break;
    }
  }
  return T{};
}

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t made = 0;
  std::memcpy(&made, &value, sizeof value);
  return made;
}

template <class T>
class Atomics : public Contract {
 protected:
  static constexpr Type kType = std::is_same_v<T, float>    ? Type::kFloat
                                : std::is_same_v<T, double> ? Type::kDouble
                                : sizeof(T) == 1            ? Type::k8
                                : sizeof(T) == 2            ? Type::k16
                                : sizeof(T) == 4            ? Type::k32
                                                            : Type::k64;
  void try_one(Op op, T before, T operand, T compare, bool fetches) {
    // Beside it what must stay.
    auto* there = reinterpret_cast<T*>(theirs(kHeapRegion) + 64);
    there[0] = static_cast<T>(5);
    there[1] = before;
    there[2] = static_cast<T>(6);
    T fetched = static_cast<T>(99);
    Pending pending;
    this->network_->atomic({1, key(kHeapRegion), 64 + sizeof(T)}, {op, kType, bits(operand), bits(compare)},
                           fetches ? &fetched : nullptr, pending);
    this->wait(pending);
    EXPECT_EQ(there[1], after(op, before, operand, compare)) << static_cast<int>(op);
    EXPECT_EQ(fetched, fetches ? before : static_cast<T>(99)) << static_cast<int>(op);
    EXPECT_EQ(there[0], static_cast<T>(5));
    EXPECT_EQ(there[2], static_cast<T>(6));
  }
};
using Types =
    testing::Types<std::uint8_t, std::int16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Atomics, Types);

TYPED_TEST(Atomics, EachDoesWhatItSays) {
  using T = TypeParam;
  for (const Op op : {Op::kFetch, Op::kSwap, Op::kCompareSwap, Op::kAdd, Op::kAnd, Op::kOr, Op::kXor}) {
    if (std::is_floating_point_v<T> && op >= Op::kAnd) {
      continue;
    }
    this->try_one(op, static_cast<T>(12), static_cast<T>(10), static_cast<T>(12), true);
    this->try_one(op, static_cast<T>(12), static_cast<T>(10), static_cast<T>(13), true);
    this->try_one(op, static_cast<T>(-1), static_cast<T>(3), static_cast<T>(-1), true);
  }
  for (const Op op : {Op::kSet, Op::kAdd, Op::kAnd, Op::kOr, Op::kXor}) {
    if (!std::is_floating_point_v<T> || op < Op::kAnd) {
      this->try_one(op, static_cast<T>(12), static_cast<T>(10), T{}, false);
    }
  }
}

// On one word, by the network and by a processor of the target's node, where that is promised.
TEST_F(Contract, AtomicOperationsLoseNoUpdate) {
  auto* word = reinterpret_cast<std::atomic<std::uint64_t>*>(theirs(kHeapRegion));
  *word = 0;
  constexpr std::uint64_t kAdds = 2000;
  Pending pending;
  std::uint64_t ours = 0;
  for (std::uint64_t k = 0; k < kAdds; ++k) {
    network_->atomic({1, key(kHeapRegion), 0}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    for (int again = 0; network_->amo_cpu_coherent() && again < 100; ++again, ++ours) {
      word->fetch_add(1);
    }
  }
  wait(pending);
  EXPECT_EQ(*word, kAdds + ours);
}

TEST_F(Contract, SignalComesAfterTheData) {
  constexpr std::size_t kData = 65536;
  auto* signal = reinterpret_cast<std::atomic<std::uint64_t>*>(theirs(kHeapRegion) + kData);
  const auto* last = reinterpret_cast<const std::uint64_t*>(theirs(kHeapRegion) + kData) - 1;
  *signal = 0;
  std::vector<std::uint64_t> data(kData / sizeof(std::uint64_t));
  for (std::uint64_t round = 1; round <= 50; ++round) {
    for (const std::size_t words : {std::size_t{1}, std::size_t{100}, data.size()}) {
      std::fill(data.begin(), data.end(), round * 1000 + words);
      Pending pending;
      const std::size_t bytes = words * sizeof(std::uint64_t);
      network_->put_then({1, key(kHeapRegion), kData - bytes}, data.data(), bytes, words < 1000,
                         {1, key(kHeapRegion), kData}, {Op::kAdd, Type::k64, 1}, pending);
      const std::uint64_t before = signal->load();
      while (signal->load(std::memory_order_acquire) == before && !pending.done()) {
        network_->progress();
      }
      if (signal->load() != before) {
        EXPECT_EQ(*last, round * 1000 + words);
      }
      wait(pending);
      EXPECT_EQ(*last, round * 1000 + words);
    }
  }
  EXPECT_EQ(*signal, 150U);
}

// Whoever serves a target that computes sleeps on the network.
TEST_F(Contract, ATargetThatSleepsIsWokenByOperations) {
  common_->sleeps = true;
  for (std::uint64_t k = 0; k < 100; ++k) {
    std::uint64_t back = 0;
    Pending pending;
    network_->put({1, key(kHeapRegion), 8}, &k, sizeof k, Source::kReusable, pending);
    wait(pending);
    network_->atomic({1, key(kHeapRegion), 8}, {Op::kAdd, Type::k64, 1}, nullptr, pending);
    wait(pending);
    network_->get(&back, {1, key(kHeapRegion), 8}, sizeof back, pending);
    wait(pending);
    ASSERT_EQ(back, k + 1);
  }
  common_->sleeps = false;
}

}  // namespace
}  // namespace weft::transport
