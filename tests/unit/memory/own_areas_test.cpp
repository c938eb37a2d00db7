// The areas of PEs' own: several of a node, pretended by several objects on one file.
#include "memory/own_areas.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace weft::memory {
namespace {

constexpr std::uint64_t kBytes = 2 * OwnAreas::kUnit;
constexpr std::uint64_t kSlots = std::uint64_t{64} << 20;
constexpr int kPes = 3;

// They last as long as the job, or, here, as the test.
struct Areas : OwnAreas {
  ~Areas() { unmap(); }
};

class OwnAreasTest : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = ::memfd_create("weft-test", MFD_CLOEXEC);
    ASSERT_GE(fd_, 0);
    ASSERT_EQ(::ftruncate(fd_, kSlots + kPes * kBytes), 0);
  }
  void TearDown() override { ::close(fd_); }
  OwnAreas::Plan plan(int me) const { return {.n_pes = kPes, .me = me, .fd = fd_, .offset = kSlots, .bytes = kBytes}; }
  int fd_ = -1;
};

TEST_F(OwnAreasTest, AreSeenByAllAndLieApart) {
  Areas all[kPes];
  for (int pe = 0; pe < kPes; ++pe) ASSERT_TRUE(all[pe].map(plan(pe)));
  for (int pe = 0; pe < kPes; ++pe) {
    const auto block = all[pe].allocate(100);
    ASSERT_TRUE(block);
    EXPECT_EQ(*block, 0U) << "each has a book of its own";
    std::memset(all[pe].at(pe, *block), pe + 1, 100);
  }
  for (const Areas& viewer : all)
    for (int pe = 0; pe < kPes; ++pe)
      for (int k = 0; k < 100; ++k) ASSERT_EQ(viewer.at(pe, 0)[k], std::byte(pe + 1)) << pe << " " << k;
  EXPECT_EQ(all[0].at(1, 0)[100], std::byte{0});
}

TEST_F(OwnAreasTest, LargeBlocksGiveTheirPagesBack) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  const auto in_file = [this] {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
  };
  Areas mine;
  ASSERT_TRUE(mine.map(plan(1)));
  const auto small = mine.allocate(100);
  const auto large = mine.allocate(kBlock);
  ASSERT_TRUE(small && large);
  std::memset(mine.at(1, *small), 1, 100);
  std::memset(mine.at(1, *large), 1, kBlock);
  EXPECT_GE(in_file(), kBlock);
  EXPECT_TRUE(mine.release_memory(*large, kBlock));
  EXPECT_LT(in_file(), kBlock / 2);
  EXPECT_FALSE(mine.release_memory(*large, kBlock)) << "twice";
  EXPECT_EQ(mine.at(1, *small)[99], std::byte{1}) << "what shares a page with it stays";
  EXPECT_TRUE(mine.release_memory(*small, kBlock));

  Areas alone;
  ASSERT_TRUE(alone.map({.bytes = kBytes}));
  const auto block = alone.allocate(kBlock);
  ASSERT_TRUE(block);
  std::memset(alone.at(0, *block), 1, kBlock);
  EXPECT_TRUE(alone.release_memory(*block, kBlock));
  EXPECT_EQ(*alone.at(0, *block), std::byte{0});
}

TEST_F(OwnAreasTest, ArePrivateMemoryWherePesAreAlone) {
  Areas alone;
  ASSERT_TRUE(alone.map({.bytes = kBytes}));
  const auto block = alone.allocate(kBytes);
  ASSERT_TRUE(block);
  std::memset(alone.at(0, *block), 1, kBytes);
  EXPECT_FALSE(alone.allocate(1));
  alone.unmap();
  EXPECT_FALSE(alone.mapped());
  EXPECT_FALSE(alone.allocate(1)) << "there is none";
}

TEST_F(OwnAreasTest, TellWhoseAnAddressIs) {
  Areas mine;
  EXPECT_EQ(mine.owner_of(1), -1);
  ASSERT_TRUE(mine.map(plan(1)));
  for (int pe = 0; pe < kPes; ++pe) {
    const auto lo = reinterpret_cast<std::uintptr_t>(mine.at(pe, 0));
    EXPECT_EQ(mine.owner_of(lo), pe);
    EXPECT_EQ(mine.owner_of(lo + kBytes - 1), pe);
  }
  EXPECT_EQ(mine.owner_of(mine.all().lo - 1), -1);
  EXPECT_EQ(mine.owner_of(mine.all().hi), -1);
  EXPECT_EQ(mine.own().lo, reinterpret_cast<std::uintptr_t>(mine.at(1, 0)));
  EXPECT_EQ(mine.own().bytes(), kBytes);
}

TEST_F(OwnAreasTest, KnowOffsetsThatAreNone) {
  Areas mine;
  ASSERT_TRUE(mine.map(plan(0)));
  EXPECT_TRUE(mine.holds(0, kBytes));
  EXPECT_TRUE(mine.holds(kBytes, 0));
  EXPECT_TRUE(mine.holds(kBytes - 8, 8));
  EXPECT_FALSE(mine.holds(kBytes - 7, 8));
  EXPECT_FALSE(mine.holds(1, kBytes));
  EXPECT_FALSE(mine.holds(UINT64_MAX, 2)) << "their sum is small";
  EXPECT_FALSE(mine.holds(2, UINT64_MAX));
}

TEST_F(OwnAreasTest, AreEmptyAgainAfterTheEnd) {
  Areas mine;
  Areas other;
  ASSERT_TRUE(mine.map(plan(0)));
  ASSERT_TRUE(other.map(plan(1)));
  *mine.at(0, 0) = std::byte{5};
  *mine.at(1, 0) = std::byte{6};
  mine.unmap();
  EXPECT_EQ(*other.at(0, 0), std::byte{0});
  EXPECT_EQ(*other.at(1, 0), std::byte{6}) << "not its own to clear";
  ASSERT_TRUE(mine.map(plan(0)));
  EXPECT_EQ(*mine.at(0, 0), std::byte{0});
  EXPECT_EQ(mine.in_use(), 0U);
}

TEST_F(OwnAreasTest, AreAllocatedFromByAnyThread) {
  Areas mine;
  ASSERT_TRUE(mine.map(plan(2)));
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) {
    threads.emplace_back([&mine, id] {
      for (int k = 0; k < 500; ++k) {
        const auto block = mine.allocate(64 + static_cast<std::uint64_t>(k % 7) * 64);
        ASSERT_TRUE(block);
        std::memset(mine.at(2, *block), id, 64);
        std::this_thread::yield();
        ASSERT_EQ(mine.at(2, *block)[63], std::byte(id)) << "another thread has it too";
        ASSERT_TRUE(mine.release(*block));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(mine.in_use(), 0U);
  EXPECT_FALSE(mine.release(0));
}

TEST_F(OwnAreasTest, AForkedChildLeavesItsParentsAlone) {
  Areas mine;
  ASSERT_TRUE(mine.map(plan(0)));
  EXPECT_DEATH(
      {
        mine.leave_after_fork();
        *mine.at(0, 0) = std::byte{1};
      },
      "");
  EXPECT_EQ(*mine.at(0, 0), std::byte{0});
}

TEST_F(OwnAreasTest, SayWhyThereIsNone) {
  Areas mine;
  OwnAreas::Plan closed = plan(0);
  closed.fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto none = mine.map(closed);
  ::close(closed.fd);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text()[0], 0);
  EXPECT_FALSE(mine.mapped());
  OwnAreas::Plan vast = plan(0);
  vast.bytes = std::uint64_t{1} << 50;
  EXPECT_FALSE(mine.map(vast)) << "more than addresses";
  EXPECT_FALSE(mine.mapped());
  EXPECT_TRUE(mine.map(plan(0))) << "it may try again";
}

TEST(OwnAreasOfHugePages, LieAsTheFileDoes) {
  constexpr std::uint64_t kEach = 4 * OwnAreas::kUnit;
  OwnAreas areas;
  ASSERT_TRUE(areas.map({.n_pes = 2, .me = 1, .bytes = kEach, .advise_huge = true}));
  EXPECT_TRUE(areas.wants_huge_pages());
  EXPECT_EQ(areas.all().lo % OwnAreas::kUnit, 0U);
  EXPECT_EQ(areas.all().bytes(), 2 * kEach);
  *areas.at(0, 0) = std::byte{1};
  *areas.at(1, kEach - 1) = std::byte{2};
  areas.unmap();
}

}  // namespace
}  // namespace weft::memory
