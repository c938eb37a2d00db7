#include "memory/space.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "os/mapping.hpp"

namespace weft::memory {
namespace {

constexpr std::uint64_t kHeap = 8 << 20;
constexpr std::uint64_t kSlot = std::uint64_t{1} << 30;
constexpr std::uint64_t kStaticOffset = 16 << 20;

// A made-up executable in a mapping of this test: claiming the real one would move gtest's own data.
class SpaceTest : public testing::Test {
 protected:
  void SetUp() override { begin(nullptr); }
  void begin(void* wish) {
    data_fd_ = ::memfd_create("weft-test", MFD_CLOEXEC);
    ASSERT_GE(data_fd_, 0);
    ASSERT_EQ(::ftruncate(data_fd_, static_cast<off_t>(3 * kSlot)), 0);
    void* at = ::mmap(wish, 16 * os::kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    const auto base = reinterpret_cast<std::uintptr_t>(at);
    exe_.lowest = base;
    exe_.highest = base + 16 * os::kPage;
    exe_.data_lo = base + 4 * os::kPage;
    exe_.data_hi = base + 12 * os::kPage;
    exe_.writable[0] = {exe_.data_lo, exe_.data_hi};
    exe_.n_writable = 1;
  }
  void TearDown() override {
    ::close(data_fd_);
    ::munmap(reinterpret_cast<void*>(exe_.lowest), exe_.highest - exe_.lowest);
  }
  Plan plan(int me, int n_pes = 3) const {
    return {.n_pes = n_pes,
            .me = me,
            .data_fd = data_fd_,
            .slot_bytes = kSlot,
            .static_offset = kStaticOffset,
            .heap_bytes = kHeap,
            .heap_fd = data_fd_,
            .heap_slot_bytes = kSlot};
  }
  char* data(std::size_t offset = 0) const { return reinterpret_cast<char*>(exe_.data_lo + offset); }

  int data_fd_ = -1;
  os::Executable exe_;
};

TEST_F(SpaceTest, LeavesStaticDataWhereThreadsRun) {
  Space window;
  Plan with_threads = plan(1);
  with_threads.threads = 2;
  ASSERT_TRUE(window.claim(with_threads, exe_));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  std::strcpy(data(), "mine");
  char in_file[5] = "";
  ASSERT_EQ(::pread(data_fd_, in_file, 4, static_cast<off_t>(kSlot + kStaticOffset)), 4);
  EXPECT_STREQ(in_file, "");
  EXPECT_FALSE(window.symmetric(exe_.data_lo, 1));
  EXPECT_TRUE(window.private_statics().holds(exe_.data_lo));
  EXPECT_EQ(window.threads_at_claim(), 2);
  EXPECT_TRUE(window.symmetric(window.heap().lo, kHeap));
}

TEST_F(SpaceTest, KeepsStaticDataAndSharesIt) {
  std::strcpy(data(100), "before");
  Space window;
  ASSERT_TRUE(window.claim(plan(1), exe_));
  EXPECT_STREQ(data(100), "before");
  std::strcpy(data(100), "after");
  char seen[6] = {};
  ASSERT_EQ(::pread(data_fd_, seen, 6, static_cast<off_t>(kSlot + kStaticOffset + 100)), 6);
  EXPECT_STREQ(seen, "after");
}

TEST_F(SpaceTest, AlignsTheHeapToItsSize) {
  Space window;
  ASSERT_TRUE(window.claim(plan(0), exe_));
  EXPECT_EQ(window.heap().lo % kHeap, 0U);
  EXPECT_EQ(window.heap().bytes(), kHeap);
}

TEST_F(SpaceTest, ReachesHeapAndStaticDataOfEveryPe) {
  Space window;
  ASSERT_TRUE(window.claim(plan(1), exe_));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  for (int pe = 0; pe < 3; ++pe) {
    *reinterpret_cast<int*>(window.peer(window.heap().lo + 64, pe)) = 100 + pe;
    *reinterpret_cast<int*>(window.peer(exe_.data_lo + 64, pe)) = 200 + pe;
  }
  EXPECT_EQ(*reinterpret_cast<int*>(window.heap().lo + 64), 101);
  EXPECT_EQ(*reinterpret_cast<int*>(data(64)), 201);
  int seen = 0;
  ASSERT_EQ(::pread(data_fd_, &seen, sizeof seen, static_cast<off_t>(2 * kSlot + 64)), 4);
  EXPECT_EQ(seen, 102);
  ASSERT_EQ(::pread(data_fd_, &seen, sizeof seen, static_cast<off_t>(kStaticOffset + 64)), 4);
  EXPECT_EQ(seen, 200);
  EXPECT_EQ(window.peer(window.heap().lo, 2) % os::kPage, 0U);
  window.unmap_all();
}

int g_statics_of_peers[3] = {-1, -1, -1};

// As where no oshrun has made a file for all before any of them began.
TEST_F(SpaceTest, StaticDataMayLieInAFileOfEachPe) {
  for (int& fd : g_statics_of_peers) {
    fd = ::memfd_create("weft-test", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(exe_.data_hi - exe_.data_lo)), 0);
  }
  std::strcpy(data(100), "before");
  Space window;
  // What is known before main: not which PE this is, how many there are at most, how large the heap is at most.
  ASSERT_TRUE(window.claim({.n_pes = 50, .heap_bytes = 2 * kHeap, .statics_fd = g_statics_of_peers[1]}, exe_));
  EXPECT_STREQ(data(100), "before");
  std::strcpy(data(200), "between");
  const std::uintptr_t to_peers = window.peer(exe_.data_lo, 2);
  Plan own = plan(1);
  own.statics_fd = g_statics_of_peers[1];
  own.open_statics = [](int pe) -> base::Result<int> { return ::dup(g_statics_of_peers[pe]); };
  ASSERT_TRUE(window.settle(own));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  EXPECT_EQ(window.peer(exe_.data_lo, 2), to_peers) << "a compiler may have read it before";
  EXPECT_EQ(window.heap().bytes(), kHeap);
  EXPECT_TRUE(window.symmetric(window.heap().lo, kHeap));
  EXPECT_FALSE(window.symmetric(window.heap().lo, kHeap + 1));
  EXPECT_STREQ(data(200), "between");
  const auto* mine = reinterpret_cast<const char*>(window.peer(exe_.data_lo, 1));
  EXPECT_STREQ(mine + 100, "before");
  EXPECT_STREQ(mine + 200, "between");
  ASSERT_EQ(::pwrite(g_statics_of_peers[2], "peer", 5, 300), 5);
  EXPECT_STREQ(reinterpret_cast<const char*>(window.peer(exe_.data_lo, 2)) + 300, "peer");
  window.unmap_all();
  for (const int fd : g_statics_of_peers) ::close(fd);
}

TEST_F(SpaceTest, NoPeersWhereOneOfThemCannotBeOpened) {
  const int fd = ::memfd_create("weft-test", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(exe_.data_hi - exe_.data_lo)), 0);
  Space window;
  Plan own = plan(0);
  own.statics_fd = fd;
  own.open_statics = [](int pe) -> base::Result<int> { return base::Error::make("PE %d has gone", pe); };
  ASSERT_TRUE(window.claim(own, exe_));
  Plan more = own;
  more.n_pes = own.n_pes + 1;
  EXPECT_FALSE(window.settle(more)) << "there is no room for it";
  more = own;
  more.heap_bytes += os::kPage;
  EXPECT_FALSE(window.settle(more));
  ASSERT_TRUE(window.map_heap());
  const auto mapped = window.map_peers();
  ASSERT_FALSE(mapped);
  EXPECT_STREQ(mapped.error().text(), "PE 0 has gone");
  window.unmap_all();
  ::close(fd);
}

TEST_F(SpaceTest, KnowsWhatIsSymmetric) {
  Space window;
  ASSERT_TRUE(window.claim(plan(0), exe_));
  EXPECT_FALSE(window.symmetric(window.heap().lo, 1)) << "not before the heap is mapped";
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  EXPECT_TRUE(window.symmetric(window.heap().lo, kHeap));
  EXPECT_FALSE(window.symmetric(window.heap().lo, kHeap + 1));
  EXPECT_FALSE(window.symmetric(window.heap().lo + 1, SIZE_MAX)) << "a length must not wrap";
  EXPECT_TRUE(window.symmetric(exe_.data_lo, 1));
  EXPECT_FALSE(window.symmetric(exe_.data_lo - 1, 1)) << "text is not";
  EXPECT_FALSE(window.symmetric(reinterpret_cast<std::uintptr_t>(&window), 1)) << "the stack is not";
  window.unmap_all();
}

TEST_F(SpaceTest, AnOperationInTheHoleFaults) {
  Space window;
  ASSERT_TRUE(window.claim(plan(0), exe_));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  auto* hole = reinterpret_cast<volatile char*>(window.peer(exe_.data_lo - 1, 1));
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        *hole = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
  auto* past_the_end = reinterpret_cast<volatile char*>(window.peer(window.lo() + window.extent(), 1));
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        *past_the_end = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
  window.unmap_all();
}

// Many PEs: all heaps are one mapping, all static data a second one.
class ManyTest : public SpaceTest {
 protected:
  static constexpr int kPes = 40;
  static constexpr int kMe = 7;
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer keeps the addresses below programs to itself";
#endif
    // As programs lie: with nothing below for terabytes.
    begin(reinterpret_cast<void*>(std::uintptr_t{0x500000000000}));
    ASSERT_EQ(::ftruncate(data_fd_, static_cast<off_t>(kPes * kSlot)), 0);
    ASSERT_TRUE(window_.claim(plan(kMe, kPes), exe_));
    ASSERT_TRUE(window_.map_heap());
    ASSERT_TRUE(window_.map_peers());
  }
  void TearDown() override {
    if (data_fd_ >= 0) {
      window_.unmap_all();
      window_.give_back();
      SpaceTest::TearDown();
    }
  }
  // Of the files of the job, between the first and the last peer's memory.
  int mappings_of_peers() const {
    std::ifstream maps("/proc/self/maps");
    int found = 0;
    for (std::string line; std::getline(maps, line);) {
      const std::uintptr_t lo = std::strtoull(line.c_str(), nullptr, 16);
      found += window_.peers().holds(lo) && line.find("weft-test") != std::string::npos ? 1 : 0;
    }
    return found;
  }

  Space window_;
};

TEST_F(ManyTest, TwoMappingsReachAll) {
  EXPECT_EQ(mappings_of_peers(), 2);
  EXPECT_EQ(window_.heap().lo % kHeap, 0U);
  for (int pe = 0; pe < kPes; ++pe) {
    *reinterpret_cast<int*>(window_.peer(window_.heap().hi - 4, pe)) = 100 + pe;
    *reinterpret_cast<int*>(window_.peer(exe_.data_hi - 4, pe)) = 200 + pe;
  }
  EXPECT_EQ(*reinterpret_cast<int*>(window_.heap().hi - 4), 100 + kMe);
  EXPECT_EQ(*reinterpret_cast<int*>(exe_.data_hi - 4), 200 + kMe);
  for (int pe = 0; pe < kPes; ++pe) {
    const std::uint64_t slot = static_cast<std::uint64_t>(pe) * kSlot;
    int seen[2] = {};
    ASSERT_EQ(::pread(data_fd_, &seen[0], 4, static_cast<off_t>(slot + kHeap - 4)), 4);
    const std::uint64_t end = kStaticOffset + (exe_.data_hi - exe_.data_lo);
    ASSERT_EQ(::pread(data_fd_, &seen[1], 4, static_cast<off_t>(slot + end - 4)), 4);
    EXPECT_EQ(seen[0], 100 + pe);
    EXPECT_EQ(seen[1], 200 + pe);
  }
}

TEST_F(ManyTest, KnowsWhoseMemoryAnAddressIsIn) {
  for (const int pe : {0, kMe, kPes - 1}) {
    for (const std::uintptr_t local : {window_.heap().lo, window_.heap().hi - 1, exe_.data_lo, exe_.data_hi - 1}) {
      const Space::Place place = window_.place_of(window_.peer(local, pe));
      EXPECT_EQ(place.number, pe);
      EXPECT_EQ(place.local, local);
    }
  }
}

TEST_F(ManyTest, NobodyElseGetsTheHoleBetween) {
  volatile const auto* behind = reinterpret_cast<const volatile char*>(window_.heap().hi);
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        (void)*behind;
      },
      testing::KilledBySignal(SIGSEGV), "");
  EXPECT_FALSE(os::reserve_at(window_.heap().hi, os::kPage));
  EXPECT_FALSE(os::reserve_at(exe_.data_lo - kSlot, os::kPage));
  EXPECT_FALSE(window_.symmetric(window_.heap().hi, 1));
}

TEST_F(ManyTest, OthersStaticDataCanBeHiddenOneByOne) {
  ASSERT_TRUE(window_.hide_statics_of(3));
  *reinterpret_cast<int*>(window_.peer(exe_.data_lo, 2)) = 1;
  *reinterpret_cast<int*>(window_.peer(exe_.data_lo, 4)) = 1;
  auto* hidden = reinterpret_cast<volatile char*>(window_.peer(exe_.data_lo, 3));
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        *hidden = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(SpaceTest, ManyPesHaveGuardsWhereAddressesAreFew) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer has more addresses than the limit already, and takes more as it goes on";
#endif
  ASSERT_EQ(::ftruncate(data_fd_, static_cast<off_t>(40 * kSlot)), 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit few{rlim_t{64} << 40, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &few), 0);
  Space window;
  ASSERT_TRUE(window.claim(plan(1, 40), exe_));
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  EXPECT_NE(window.stride(), kSlot);
  *reinterpret_cast<int*>(window.peer(exe_.data_lo, 39)) = 1;
  window.unmap_all();
}

TEST_F(SpaceTest, TheHeapIsEmptyAgainAfterUnmapping) {
  Space window;
  ASSERT_TRUE(window.claim(plan(2), exe_));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  *reinterpret_cast<int*>(window.heap().lo) = 7;
  *reinterpret_cast<int*>(data()) = 8;
  window.unmap_all();
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  EXPECT_EQ(*reinterpret_cast<int*>(window.heap().lo), 0);
  EXPECT_EQ(*reinterpret_cast<int*>(data()), 8) << "static data outlives a finalize";
  window.unmap_all();
}

TEST_F(SpaceTest, ASavedCopyBecomesPrivateAgain) {
  std::strcpy(data(5000), "parent");
  Space window;
  ASSERT_TRUE(window.claim(plan(1), exe_));
  std::string saved(window.statics().bytes(), '\0');
  window.save_statics(saved.data());
  EXPECT_EXIT(
      {
        window.leave_job_after_fork(saved.data());
        const bool kept = std::strcmp(data(5000), "parent") == 0;
        std::strcpy(data(5000), "child");
        ::_exit(kept ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
  EXPECT_STREQ(data(5000), "parent");
}

TEST_F(SpaceTest, SaysWhenStaticDataIsTooLarge) {
  Space window;
  Plan small = plan(0);
  small.slot_bytes = kStaticOffset + os::kPage;
  const auto claimed = window.claim(small, exe_);
  ASSERT_FALSE(claimed);
  EXPECT_NE(std::strstr(claimed.error().text(), "larger than a job can share"), nullptr);
}

TEST_F(SpaceTest, AJobOfOnePeSharesNothing) {
  Space window;
  Plan alone = plan(0, 1);
  alone.data_fd = alone.heap_fd = -1;
  ASSERT_TRUE(window.claim(alone, exe_));
  ASSERT_TRUE(window.map_heap());
  ASSERT_TRUE(window.map_peers());
  EXPECT_EQ(window.peer(exe_.data_lo, 0), exe_.data_lo);
  EXPECT_TRUE(window.symmetric(window.heap().lo, kHeap));
  window.unmap_all();
}

}  // namespace
}  // namespace weft::memory
