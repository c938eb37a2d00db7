#include "doctor/state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>

namespace weft::doctor {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

constexpr std::uint64_t kNow = 1000 * std::uint64_t{1'000'000'000};

class StateTest : public testing::Test {
 protected:
  StateTest() : memory_(std::aligned_alloc(4096, boot::control_bytes(2))) {
    std::memset(memory_.get(), 0, boot::control_bytes(2));
    job = new (memory_.get()) boot::JobHeader{};
    job->n_pes = 2;
    job->heap_bytes = job->heap_slot_bytes = 1 << 20;
    job->slot_bytes = 2 << 20;
    job->static_offset = 1 << 20;
    boot::pe_record(job, 0)->static_bytes = boot::pe_record(job, 1)->static_bytes = 4096;
  }
  boot::WaitRecord& wait(int pe, int k) { return boot::pe_record(job, pe)->waits[k]; }
  std::vector<Pe> look(const std::vector<bool>& living = {true, true}) {
    return look_at(job, Shape(*job), living, kNow);
  }
  /// PE 0 waits for a value, at a barrier, or for a lock.
  boot::WaitRecord& value() {
    boot::WaitRecord& record = begin(boot::Waiting::kValue);
    record.type = 4 | boot::kSigned;
    record.compare = 1;
    record.elements = 1;
    record.object = 65;
    return record;
  }
  boot::WaitRecord& meeting() {
    boot::WaitRecord& record = begin(boot::Waiting::kBarrier);
    record.size = 2;
    record.stride = 1;
    record.root = -1;
    return record;
  }
  boot::WaitRecord& begin(boot::Waiting why) {
    wait(0, 0).why = static_cast<std::uint32_t>(why);
    wait(0, 0).slot = 0;
    wait(0, 0).since = kNow - 5;
    return wait(0, 0);
  }
  std::string damage() { return look()[0].damage; }

  std::unique_ptr<void, Free> memory_;
  boot::JobHeader* job = nullptr;
};

TEST_F(StateTest, ReadsWhatIsThere) {
  boot::PeRecord& record = *boot::pe_record(job, 1);
  record.phase = static_cast<std::uint32_t>(boot::Phase::kInitialised);
  record.held[2] = 40;
  record.collectives = 12;
  wait(1, 3).why = static_cast<std::uint32_t>(boot::Waiting::kLock);
  wait(1, 3).object = 7;
  wait(1, 3).since = 99;
  const auto pes = look();
  EXPECT_TRUE(pes[0].waits.empty());
  EXPECT_EQ(pes[0].oldest(), nullptr);
  ASSERT_EQ(pes[1].waits.size(), 1U);
  EXPECT_EQ(pes[1].waits[0].object, 7U);
  EXPECT_EQ(pes[1].locks, std::vector<boot::Place>{40});
  EXPECT_EQ(pes[1].collectives, 12U);
  EXPECT_EQ(pes[1].damage, "");
  // What a PE that has gone had waited for is no wait.
  EXPECT_TRUE(look({true, false})[1].waits.empty());
}

TEST_F(StateTest, TheOldestWaitCounts) {
  for (int k = 0; k < 3; ++k) {
    wait(0, k).why = static_cast<std::uint32_t>(boot::Waiting::kLock);
    wait(0, k).since = static_cast<std::uint64_t>(10 + (k + 1) % 3);
  }
  const auto pes = look();
  EXPECT_EQ(pes[0].oldest()->since, 10U);
}

// One store of four bytes used to make the launcher ask for tens of gigabytes.
TEST_F(StateTest, MembersAreThoseOfTheJob) {
  boot::WaitRecord& record = meeting();
  EXPECT_EQ(damage(), "");
  record.size = 1'000'000'000;
  EXPECT_EQ(damage(), "1000000000 members of a team");
  EXPECT_TRUE(look()[0].waits.empty());
  record.size = -1;
  EXPECT_EQ(damage(), "-1 members of a team");
  record.size = 2;
  record.start = 2;
  EXPECT_EQ(damage(), "2 as the first member of a team");
  record.start = 1;
  EXPECT_EQ(damage(), "1 as the distance of a team's members");
  record.start = 0;
  record.stride = INT32_MIN;
  EXPECT_NE(damage(), "");
  record.stride = 0;
  EXPECT_NE(damage(), "");
  record.stride = 1;
  record.slot = boot::kTeamSlots;
  EXPECT_EQ(damage(), "1024 as the number of a team");
  record.slot = boot::kNoSlot;
  EXPECT_EQ(damage(), "");
  record.root = 2;
  EXPECT_EQ(damage(), "2 as the root");
}

TEST_F(StateTest, MembersWithoutAStrideAreRangesOrBits) {
  boot::WaitRecord& record = meeting();
  record.stride = 0;
  record.start = 1;
  record.n_missing = 1;
  record.missing[0].first = 0;
  record.missing[0].last = 1;
  EXPECT_EQ(damage(), "");
  EXPECT_EQ(look()[0].waits[0].table, (std::vector<int>{0, 1}));
  record.n_missing = boot::kByBits;
  record.given = 0;
  record.missing[0].first = 3;
  record.missing[0].last = 0;
  EXPECT_EQ(damage(), "");
  EXPECT_TRUE(look()[0].waits[0].has_member(1));
  // What is no member of the job, and what there are not so many of.
  record.missing[0].first = 5;
  EXPECT_NE(damage(), "");
  record.given = UINT64_MAX - 1;
  EXPECT_NE(damage(), "");
  record.n_missing = 7;
  record.missing[0].last = UINT32_MAX;
  EXPECT_NE(damage(), "");
  record.n_missing = 8;
  EXPECT_NE(damage(), "");
}

TEST_F(StateTest, WindowsAreOfPesOfTheJob) {
  boot::WaitRecord& record = begin(boot::Waiting::kWindow);
  record.root = -1;
  record.index = 1;
  record.type = 4;
  record.block = 0x41;
  EXPECT_EQ(damage(), "");
  EXPECT_EQ(look()[0].waits[0].label, "A");
  EXPECT_EQ(look()[0].waits[0].block, 0U);
  record.type = 5;
  EXPECT_EQ(damage(), "5 as a wait of a window");
  record.type = 0;
  record.index = 1000;
  EXPECT_EQ(damage(), "1000 as the PE of a window");
  record.index = 0;
  record.root = 1000;
  EXPECT_EQ(damage(), "1000 as the PE that a window waits for");
  record.root = -1;
  record.start = 2;
  EXPECT_EQ(damage(), "2 as the rank in a window");
}

TEST_F(StateTest, PagesAreAskedOfPesOfTheJob) {
  boot::WaitRecord& record = begin(boot::Waiting::kPages);
  record.root = 1;
  record.type = 5;
  record.compare = 2;
  record.given = UINT64_MAX;  // is only told
  EXPECT_EQ(damage(), "");
  EXPECT_EQ(look()[0].waits.size(), 1U);
  record.root = 2;
  EXPECT_EQ(damage(), "2 as the PE that is asked for pages");
  EXPECT_TRUE(look()[0].waits.empty());
  record.root = -1;
  record.type = 6;
  EXPECT_EQ(damage(), "6 as what of pages is asked");
  record.type = 0;
  record.compare = 3;
  EXPECT_EQ(damage(), "3 as what needs pages");
}

// What the library does beside the program is no wait of the program.
TEST_F(StateTest, WhatGoesOnBesideTheProgramHoldsNobodyUp) {
  boot::WaitRecord& record = begin(boot::Waiting::kPages);
  record.root = 1;
  record.compare = static_cast<std::uint32_t>(boot::PagesFor::kAccess);
  EXPECT_NE(look()[0].oldest(), nullptr);
  EXPECT_FALSE(look()[0].runs());
  record.compare = static_cast<std::uint32_t>(boot::PagesFor::kBeside);
  EXPECT_EQ(look()[0].oldest(), nullptr);
  EXPECT_TRUE(look()[0].runs());
}

TEST_F(StateTest, LocksInSharedMemoryHaveAPlaceOfTheirOwn) {
  boot::WaitRecord& record = begin(boot::Waiting::kLock);
  record.object = 65 | boot::kInShared;
  boot::pe_record(job, 1)->held[0] = 65 | boot::kInShared;
  EXPECT_EQ(damage(), "");
  EXPECT_EQ(look()[1].locks, std::vector<boot::Place>{65 | boot::kInShared});
  record.type = 8;
  EXPECT_EQ(damage(), "8 bytes of a lock");
  record.type = 0;
  record.root = 2;
  EXPECT_EQ(damage(), "2 as the PE that is home of a lock");
  record.root = 0;
  record.object = (std::uint64_t{1} << 40) | boot::kInShared;
  EXPECT_EQ(damage(), "1099511627775 as an offset in the shared memory");
  record.object = 65 | boot::kInShared | boot::kInStatics;
  EXPECT_EQ(damage(), "64 as an offset in the shared memory");
  // Nothing else lies there.
  value().object = 65 | boot::kInShared;
  EXPECT_NE(damage(), "");
}

// The kernel is asked of those that are here, and an agent tells of those on its host.
TEST_F(StateTest, AnAgentTellsWhoIsStopped) {
  EXPECT_FALSE(look()[1].stopped);
  boot::pe_record(job, 1)->presence.stopped = 1;
  EXPECT_TRUE(look()[1].stopped);
}

TEST_F(StateTest, LocksOfWindowsAreOfPesOfTheJob) {
  boot::HeldOfWindow& record = boot::pe_record(job, 0)->of_windows[1];
  record.window = 77;
  record.pe = record.first = record.last = 1;
  record.exclusive = 1;
  record.label[0] = 0x0141;
  EXPECT_EQ(damage(), "");
  const std::vector<HeldOfWindow> held = look()[0].window_locks;
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].window, 77U);
  EXPECT_TRUE(held[0].exclusive);
  EXPECT_EQ(held[0].label, "A?");
  EXPECT_TRUE(look({false, true})[0].window_locks.empty());
  record.last = 2;
  EXPECT_EQ(damage(), "2 as a rank whose window's lock is held");
  EXPECT_TRUE(look()[0].window_locks.empty());
  record.last = 1;
  record.first = 0;
  EXPECT_NE(damage(), "");  // of one PE it is one rank
  record.pe = boot::HeldOfWindow::kAll;
  EXPECT_EQ(damage(), "");
  EXPECT_EQ(look()[0].window_locks[0].pe, -1);
  record.pe = 2;
  EXPECT_NE(damage(), "");
  record.window = 0;
  EXPECT_EQ(damage(), "");
}

TEST_F(StateTest, MessagesAreOfPesOfTheJob) {
  boot::WaitRecord& record = begin(boot::Waiting::kMessage);
  record.root = 1;
  record.n_missing = 9;
  record.missing[0].first = 1;
  record.missing[0].last = 8;
  record.missing[1].first = 2;  // there is none
  record.missing[2].first = boot::kElsewhere;
  record.block = UINT64_MAX;
  record.block_bytes = 0x41;
  EXPECT_EQ(damage(), "");
  const Wait wait = look()[0].waits[0];
  EXPECT_EQ(wait.label, "????????A");
  EXPECT_EQ(wait.block, 0U);
  EXPECT_EQ(wait.block_site, 0U);
  ASSERT_EQ(wait.heard.size(), 6U);
  EXPECT_EQ(wait.heard[0].tag, 8);
  EXPECT_TRUE(wait.heard[1].elsewhere);
  record.type = 3;
  EXPECT_EQ(damage(), "3 as the kind of a message");
  record.root = 2;
  EXPECT_EQ(damage(), "2 as the PE that a message is of");
  record.root = -2;
  EXPECT_NE(damage(), "");
}

TEST_F(StateTest, ValuesLieInTheJob) {
  boot::WaitRecord& record = value();
  EXPECT_EQ(damage(), "");
  for (const std::uint32_t type : {0U, 3U, 16U, 0x204U}) {
    record.type = type;
    EXPECT_NE(damage(), "") << type;
  }
  record.type = 8;
  record.compare = 7;
  EXPECT_EQ(damage(), "7 as a comparison");
  record.compare = 6;
  record.object = (1 << 20) + 1;
  EXPECT_EQ(damage(), "1048576 as an offset in the heap");
  record.object = boot::kInStatics | 4097;
  EXPECT_EQ(damage(), "4096 as an offset in the static data");
  record.object = boot::kInStatics;
  EXPECT_NE(damage(), "");
  record.object = 65;
  record.block = 65;
  record.block_bytes = std::uint64_t{1} << 40;
  EXPECT_EQ(damage(), "1099511627776 bytes of a block");
  record.block = 66;
  record.block_bytes = 64;
  EXPECT_NE(damage(), "") << "the block does not have the object in it";
  record.block = 1;
  record.block_bytes = 65;
  EXPECT_EQ(damage(), "");
  record.elements = 0;
  EXPECT_EQ(damage(), "0 elements");
}

TEST_F(StateTest, NumbersHaveTheirMeaning) {
  value().why = 10;
  EXPECT_EQ(damage(), "10 as the kind of a wait");
  value().call = 1 << 30;
  EXPECT_EQ(damage(), "1073741824 as the number of a routine");
  wait(0, 0).call = 0;
  wait(0, 0).since = UINT64_MAX;
  EXPECT_EQ(look()[0].waits.at(0).since, kNow) << "nothing begins later than now";
  boot::pe_record(job, 0)->held[6] = 1 << 30;
  EXPECT_EQ(damage(), "1073741823 as an offset in the heap");
  boot::pe_record(job, 0)->phase = 99;
  EXPECT_EQ(look()[0].phase, boot::Phase::kInitialised);
}

TEST_F(StateTest, RangesOfElementsThatCannotBeAreLeftOut) {
  boot::WaitRecord& record = value();
  record.given = 20;
  record.n_missing = UINT32_MAX;
  const std::uint32_t told[][2] = {{1, 1}, {5, 4}, {3, 6}, {6, 9}, {8, 19}, {20, 20}, {0, UINT32_MAX}};
  for (int k = 0; k < boot::kMissing; ++k) {
    record.missing[k].first = told[k][0];
    record.missing[k].last = told[k][1];
  }
  const auto pes = look();
  ASSERT_EQ(pes[0].waits.size(), 1U);
  ASSERT_EQ(pes[0].waits[0].missing.size(), 3U);
  EXPECT_EQ(pes[0].waits[0].missing[2].first, 8U);
}

// Two looks in vain after the first look: only then the later of them began after it.
TEST_F(StateTest, StillIsWhoHasLookedSince) {
  value().looks = UINT32_MAX;
  const auto before = look();
  EXPECT_FALSE(is_settled(before, look()));
  wait(0, 0).looks = 0;
  EXPECT_FALSE(is_settled(before, look()));
  auto after = look();
  keep_still(before, after);
  EXPECT_FALSE(after[0].waits[0].still);
  EXPECT_TRUE(after[0].moved);
  EXPECT_EQ(after[0].oldest(), nullptr);
  wait(0, 0).looks = 1;
  EXPECT_TRUE(is_settled(before, look()));
  after = look();
  keep_still(before, after);
  EXPECT_TRUE(after[0].waits[0].still);
  EXPECT_TRUE(after[0].waits_still());
  EXPECT_FALSE(after[1].moved);
}

TEST_F(StateTest, AnotherWaitIsNotTheSame) {
  value().looks = 1;
  const auto before = look();
  value().looks = 100;
  wait(0, 0).since = kNow - 4;
  auto after = look();
  EXPECT_TRUE(is_settled(before, after)) << "it has gone on";
  keep_still(before, after);
  EXPECT_TRUE(after[0].moved);
  wait(0, 0).since = 0;
  after = look();
  keep_still(before, after);
  EXPECT_TRUE(after[0].moved) << "it waited before";
}

// The writer as job/notes.cpp does it. A copy is of one wait: all its numbers are the same.
TEST_F(StateTest, NeverMixesTwoWaits) {
  std::atomic<bool> stop = false;
  boot::WaitRecord& record = wait(0, 0);
  std::thread writer([&] {
    for (std::uint64_t number = 1; !stop.load(); number = number % 1'000'000 + 1) {
      record.why.store(static_cast<std::uint32_t>(boot::Waiting::kLock), std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      record.object.store(number, std::memory_order_relaxed);
      record.wanted.store(number, std::memory_order_relaxed);
      record.since.store(number, std::memory_order_release);
      for (int k = 0; k < 100; ++k) std::atomic_signal_fence(std::memory_order_seq_cst);  // or nobody saw a whole one
      record.since.store(0, std::memory_order_relaxed);
      record.why.store(0, std::memory_order_release);
    }
  });
  int seen = 0;
  // Beside other load the writer may not run for a while: some are to be seen, however long that takes.
  for (int tries = 0; (tries < 2'000'000 && seen < 1000) || seen == 0; ++tries) {
    const auto pes = look();
    for (const Wait& copy : pes[0].waits) {
      ++seen;
      ASSERT_EQ(copy.object, copy.since);
      ASSERT_EQ(copy.wanted, copy.since);
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace weft::doctor
