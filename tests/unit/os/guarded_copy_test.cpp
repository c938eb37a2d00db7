#include "os/guarded_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

namespace weft::os {
namespace {

void by_libc(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

int g_strays = 0;
sigjmp_buf g_back;

void on_fault(int, siginfo_t* fault, void*) {
  end_guarded_copy(*fault);
  ++g_strays;
  siglongjmp(g_back, 1);
}

class GuardedCopy : public testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;
  GuardedCopy() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGSEGV, &action, &segv_);
    ::sigaction(SIGBUS, &action, &bus_);
    file_ = ::memfd_create("guarded", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(file_, 2 * kPage), 0);
    pages_ = static_cast<char*>(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    std::memset(pages_, 7, 2 * kPage);
  }
  ~GuardedCopy() override {
    (void)::munmap(pages_, 2 * kPage);
    (void)::close(file_);
    ::sigaction(SIGSEGV, &segv_, nullptr);
    ::sigaction(SIGBUS, &bus_, nullptr);
  }

  struct sigaction segv_ {};
  struct sigaction bus_ {};
  int file_ = -1;
  char* pages_ = nullptr;
};

TEST_F(GuardedCopy, IsACopy) {
  std::vector<char> to(2 * kPage);
  EXPECT_EQ(guarded_copy(to.data(), pages_, to.size(), by_libc), Fault::kNone);
  EXPECT_EQ(to.front(), 7);
  EXPECT_EQ(to.back(), 7);
  EXPECT_EQ(guarded_copy(nullptr, nullptr, 0, by_libc), Fault::kNone);
}

TEST_F(GuardedCopy, EndsWhereTheFileDoes) {
  ASSERT_EQ(::ftruncate(file_, kPage), 0);  // the second page is a bus error now
  std::vector<char> other(2 * kPage);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(guarded_copy(other.data(), pages_, other.size(), by_libc), Fault::kFrom);
    EXPECT_EQ(guarded_copy(pages_, other.data(), other.size(), by_libc), Fault::kTo);
    EXPECT_EQ(guarded_copy(other.data(), pages_, kPage, by_libc), Fault::kNone);
  }
}

TEST_F(GuardedCopy, EndsAtMemoryThatIsForbidden) {
  ASSERT_EQ(::mprotect(pages_ + kPage, kPage, PROT_READ), 0);
  std::vector<char> other(2 * kPage);
  EXPECT_EQ(guarded_copy(other.data(), pages_, other.size(), by_libc), Fault::kNone);
  EXPECT_EQ(guarded_copy(pages_, other.data(), other.size(), by_libc), Fault::kTo);
}

// A fault that is none of a copy's is left to the handler.
TEST_F(GuardedCopy, LeavesOtherFaultsAlone) {
  std::vector<char> to(kPage);
  ASSERT_EQ(guarded_copy(to.data(), pages_, kPage, by_libc), Fault::kNone);
  ASSERT_EQ(::mprotect(pages_, kPage, PROT_NONE), 0);
  g_strays = 0;
  if (sigsetjmp(g_back, 1) == 0) *const_cast<volatile char*>(pages_) = 1;
  EXPECT_EQ(g_strays, 1);
}

TEST_F(GuardedCopy, IsEachThreadsOwn) {
  ASSERT_EQ(::ftruncate(file_, kPage), 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<char> to(2 * kPage);
      for (int k = 0; k < 200; ++k) {
        const bool fails = (k + t) % 2 == 0;
        EXPECT_EQ(guarded_copy(to.data(), pages_, fails ? 2 * kPage : kPage, by_libc),
                  fails ? Fault::kFrom : Fault::kNone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weft::os
