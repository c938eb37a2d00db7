// Memory of the program whose pages become a PE's own area's, and private again.
#include "memory/adopted.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "os/mapping.hpp"
#include "os/mappings.hpp"

namespace weft::memory {
namespace {

constexpr std::uint64_t kBytes = 64 * OwnAreas::kUnit;
constexpr std::uint64_t kPages = 8 * os::kPage;

// A thread that does nothing, as long as this is there.
class Another {
 public:
  ~Another() {
    end_.set_value();
    thread_.join();
    // The kernel counts it a little longer.
    while (os::read_status().threads != 1) std::this_thread::yield();
  }

 private:
  std::promise<void> end_;
  std::thread thread_{[this] { end_.get_future().wait(); }};
};

class AdoptedTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer has a thread of its own from the first one on";
#endif
    fd_ = ::memfd_create("weft-test", MFD_CLOEXEC);
    ASSERT_GE(fd_, 0);
    ASSERT_EQ(::ftruncate(fd_, 2 * kBytes), 0);
    ASSERT_TRUE(own_.map({.n_pes = 2, .me = 1, .fd = fd_, .bytes = kBytes}));
    adopted_.begin(own_, fd_, Adopts::kAuto);
    memory_ = map(kPages);
    for (std::uint64_t k = 0; k < kPages; ++k) memory_[k] = value(k);
  }
  void TearDown() override {
    if (fd_ < 0) return;
    adopted_.end();
    own_.unmap();
    ::close(fd_);
  }
  static char* map(std::uint64_t bytes) {
    return static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  static char value(std::uint64_t k) { return static_cast<char>(k * 7 + k / os::kPage); }
  // What others of the node see.
  char* seen(std::uint64_t offset) { return reinterpret_cast<char*>(own_.at(1, offset)); }
  void expect_contents() {
    for (std::uint64_t k = 0; k < kPages; ++k) ASSERT_EQ(memory_[k], value(k)) << k;
  }

  int fd_ = -1;
  OwnAreas own_;
  Adopted adopted_;
  char* memory_ = nullptr;
};

TEST_F(AdoptedTest, IsSeenByOthersAndGoesBackAsItIs) {
  const auto place = adopted_.hold(memory_ + 100, 5000);
  ASSERT_TRUE(place);
  EXPECT_EQ(adopted_.find(memory_ + 104, 8), *place + 4);
  expect_contents();
  EXPECT_EQ(*seen(*place), value(100));
  *seen(*place + 1) = 77;
  EXPECT_EQ(memory_[101], 77);
  memory_[0] = 78;  // beside it, in its page
  EXPECT_EQ(*seen(*place - 100), 78);
  adopted_.let_go(memory_ + 100, 5000);
  EXPECT_FALSE(adopted_.find(memory_ + 104, 8));
  EXPECT_EQ(own_.in_use(), 0U);
  EXPECT_EQ(memory_[101], 77);
  EXPECT_EQ(memory_[0], 78);
  memory_[101] = value(101);
  memory_[0] = value(0);
  expect_contents();
  ASSERT_EQ(::madvise(memory_, kPages, MADV_DONTNEED), 0);
  EXPECT_EQ(memory_[100], 0) << "it is private memory again";
}

TEST_F(AdoptedTest, StaysWhileAnybodyHoldsIt) {
  const auto all = adopted_.hold(memory_, kPages);
  const auto part = adopted_.hold(memory_ + 5000, 8);
  ASSERT_TRUE(all && part);
  EXPECT_EQ(*part, *all + 5000);
  adopted_.let_go(memory_, kPages);
  *seen(*part) = 33;
  EXPECT_EQ(memory_[5000], 33);
  adopted_.let_go(memory_ + 5000, 8);
  EXPECT_EQ(own_.in_use(), 0U);
}

TEST_F(AdoptedTest, WhatIsPartlyAnothersOrIsCopiedStaysPrivate) {
  ASSERT_TRUE(adopted_.hold(memory_, os::kPage));
  EXPECT_FALSE(adopted_.hold(memory_ + 100, os::kPage)) << "partly";
  {
    const Another thread;
    EXPECT_FALSE(adopted_.hold(memory_ + 4 * os::kPage, 8)) << "it may store meanwhile";
  }
  EXPECT_FALSE(adopted_.hold(memory_ + 4 * os::kPage + 8, 8)) << "others copy into that page by the kernel";
  adopted_.let_go(memory_ + 4 * os::kPage, 8);
  adopted_.let_go(memory_ + 4 * os::kPage + 8, 8);
  EXPECT_TRUE(adopted_.hold(memory_ + 4 * os::kPage + 8, 8)) << "and no longer do";
  expect_contents();
}

TEST_F(AdoptedTest, StaysSharedWhileOthersCopyIntoItsPages) {
  const auto place = adopted_.hold(memory_, os::kPage);
  ASSERT_TRUE(place);
  EXPECT_FALSE(adopted_.hold(memory_ + 100, os::kPage)) << "copied";
  adopted_.let_go(memory_, os::kPage);
  EXPECT_EQ(adopted_.find(memory_, 8), place) << "what they store now would be lost";
  EXPECT_EQ(adopted_.hold(memory_, 8), place);
  adopted_.let_go(memory_, 8);
  *seen(*place + 1) = 77;
  adopted_.let_go(memory_ + 100, os::kPage);
  EXPECT_EQ(own_.in_use(), 0U);
  EXPECT_EQ(memory_[1], 77);
  memory_[1] = value(1);
  expect_contents();
}

// Pages that are not one behind the other: each is a mapping by itself.
TEST_F(AdoptedTest, ManyPiecesAreCopiedBehindSomeHundred) {
  constexpr int kPieces = 300;
  constexpr int kMost = 256;
  char* const many = map(std::uint64_t{2} * kPieces * os::kPage);
  const auto piece = [many](int k) { return many + std::uint64_t{2} * static_cast<unsigned>(k) * os::kPage; };
  for (int k = 0; k < kPieces; ++k) {
    EXPECT_EQ(adopted_.hold(piece(k), 8).has_value(), k < kMost) << k;
  }
  adopted_.let_go(piece(7), 8);
  EXPECT_TRUE(adopted_.hold(memory_, 8)) << "there is room for another one";
}

TEST_F(AdoptedTest, IsPrivateMemoryThatNothingElseHas) {
  int local = 0;
  EXPECT_FALSE(adopted_.hold(&local, sizeof local)) << "on the stack";
  static const int constant = 3;
  EXPECT_FALSE(adopted_.hold(&constant, sizeof constant));
  EXPECT_FALSE(adopted_.hold(nullptr, 8));
  EXPECT_FALSE(adopted_.hold(memory_, 0));
  EXPECT_FALSE(adopted_.hold(memory_, UINT64_MAX));
  ASSERT_EQ(::munmap(memory_ + os::kPage, os::kPage), 0);
  EXPECT_FALSE(adopted_.hold(memory_, 3 * os::kPage)) << "a page is missing";
  void* const shared = ::mmap(nullptr, os::kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT_FALSE(adopted_.hold(shared, 8)) << "others may share it";
  ASSERT_EQ(::mlock(memory_, os::kPage), 0);
  if (os::read_status().locked_bytes != 0) {  // sanitizers lock nothing
    EXPECT_FALSE(adopted_.hold(memory_ + 3 * os::kPage, 8)) << "locked pages stay the ones they are";
  }
  ASSERT_EQ(::munlock(memory_, os::kPage), 0);
  char* const large = map(Adopted::kMostOfAuto + os::kPage);
  EXPECT_FALSE(adopted_.hold(large, Adopted::kMostOfAuto + 1));
  static int data = 5;
  const auto place = adopted_.hold(&data, sizeof data);
  ASSERT_TRUE(place) << "static data";
  EXPECT_EQ(*seen(*place), 5);
}

TEST_F(AdoptedTest, GoesBackBesideThreadsThatStore) {
  const auto place = adopted_.hold(memory_, kPages);
  ASSERT_TRUE(place);
  auto* const word = reinterpret_cast<std::atomic<long>*>(memory_ + 5 * os::kPage);
  word->store(0);
  std::atomic<bool> is_over = false;
  long counted = 0;
  std::thread other([&] {
    do {
      ++counted;
      word->fetch_add(1);
    } while (!is_over.load());
  });
  while (word->load() < 1000) std::this_thread::yield();
  adopted_.let_go(memory_, kPages);
  is_over.store(true);
  other.join();
  EXPECT_EQ(word->load(), counted) << "no store is lost";
  word->store(0);
  EXPECT_EQ(*seen(*place + 7), 0) << "what others saw is empty";
  for (std::uint64_t k = 0; k < 5 * os::kPage; ++k) ASSERT_EQ(memory_[k], value(k)) << k;
  ASSERT_EQ(::madvise(memory_, kPages, MADV_DONTNEED), 0);
  EXPECT_EQ(memory_[100], 0);
}

TEST_F(AdoptedTest, WhatTheProgramHasUnmappedIsLeftAlone) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  ASSERT_EQ(::munmap(memory_ + os::kPage, os::kPage), 0);
  ASSERT_EQ(
      ::mmap(memory_ + os::kPage, os::kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
      memory_ + os::kPage);
  memory_[os::kPage] = 99;
  ASSERT_EQ(::munmap(memory_ + 3 * os::kPage, os::kPage), 0);
  adopted_.let_go(memory_, kPages);
  EXPECT_EQ(memory_[os::kPage], 99);
  EXPECT_EQ(memory_[2 * os::kPage], value(2 * os::kPage));
  EXPECT_TRUE(os::reserve_at(reinterpret_cast<std::uintptr_t>(memory_) + 3 * os::kPage, os::kPage)) << "still free";
  EXPECT_EQ(own_.in_use(), 0U);
}

TEST_F(AdoptedTest, WhatLiesWhereAdoptedMemoryWasIsCopied) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  ASSERT_EQ(::mmap(memory_, os::kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
            memory_);
  EXPECT_FALSE(adopted_.find(memory_, 8)) << "others would reach what was there before";
  EXPECT_FALSE(adopted_.hold(memory_, 8));
  EXPECT_FALSE(adopted_.hold(memory_, kPages));
  EXPECT_TRUE(adopted_.find(memory_ + os::kPage, 8)) << "the rest is as it was";
  for (int k = 0; k < 2; ++k) adopted_.let_go(memory_, kPages);
  EXPECT_NE(own_.in_use(), 0U) << "others still copy into the first page";
  adopted_.let_go(memory_, 8);
  EXPECT_EQ(own_.in_use(), 0U);
  for (std::uint64_t k = 0; k < os::kPage; ++k) memory_[k] = value(k);
  expect_contents();
}

TEST_F(AdoptedTest, AChildHasItsOwn) {
  const auto place = adopted_.hold(memory_, kPages);
  ASSERT_TRUE(place);
  adopted_.save_for_child();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool given = adopted_.give_child();
    bool good = given && memory_[5] == value(5);
    memory_[5] = 1;
    memory_[kPages - 1] = 1;
    good = good && *seen(*place + 5) == value(5);
    ::_exit(good ? 0 : 1);
  }
  adopted_.drop_saved();
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  expect_contents();
}

// Of this process no file can be opened, as long as this is there.
class NoFiles {
 public:
  NoFiles() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoFiles() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST_F(AdoptedTest, StaysSharedWhereTheKernelDoesNotTellWhatIsMapped) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  {
    const NoFiles none;
    adopted_.let_go(memory_, kPages);
    adopted_.save_for_child();
  }
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(adopted_.give_child() ? 1 : 0);
  adopted_.drop_saved();
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "it hears that it has no copy";
  EXPECT_TRUE(adopted_.find(memory_, 8));
  expect_contents();
}

TEST_F(AdoptedTest, StaysSharedWhereItIsNoPlainMemoryAnyMore) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  ASSERT_EQ(::mprotect(memory_ + os::kPage, os::kPage, PROT_READ), 0);
  adopted_.let_go(memory_, kPages);
  EXPECT_TRUE(adopted_.find(memory_, 8)) << "a page cannot be written";
  ASSERT_EQ(::mprotect(memory_ + os::kPage, os::kPage, PROT_READ | PROT_WRITE), 0);
  EXPECT_TRUE(adopted_.hold(memory_, kPages));
  ASSERT_EQ(::mlock(memory_, os::kPage), 0);
  const bool is_locked = os::read_status().locked_bytes != 0;  // sanitizers lock nothing
  adopted_.let_go(memory_, kPages);
  EXPECT_EQ(adopted_.find(memory_, 8).has_value(), is_locked);
  ASSERT_EQ(::munlock(memory_, os::kPage), 0);
  adopted_.end();
  EXPECT_EQ(own_.in_use(), 0U);
  expect_contents();
}

TEST_F(AdoptedTest, EndTurnsAllBack) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  adopted_.end();
  own_.unmap();
  expect_contents();
  EXPECT_FALSE(adopted_.hold(memory_, 8)) << "there is no area any more";
}

TEST_F(AdoptedTest, WithoutItsFileItStaysSharedBesideThreads) {
  ASSERT_TRUE(adopted_.hold(memory_, kPages));
  const int file = ::dup(fd_);
  ASSERT_EQ(::dup2(STDERR_FILENO, fd_), fd_) << "as if the program had closed it, and opened another one";
  {
    const Another thread;
    adopted_.let_go(memory_, kPages);
    EXPECT_TRUE(adopted_.find(memory_, 8));
    adopted_.end();
  }
  own_.unmap();
  expect_contents();
  ::close(file);
}

}  // namespace
}  // namespace weft::memory
