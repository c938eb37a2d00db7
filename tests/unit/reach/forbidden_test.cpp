// Processes that may not reach each other: each finds out, says why, and goes on.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "reach/peer.hpp"
#include "reach/self.hpp"
#include "support/process.hpp"

namespace weft::reach {
namespace {

constexpr uid_t kNobody = 65534;
constexpr uid_t kSomebody = 65533;

// What a child answers with, so that the test says which.
enum Answer : int { kAsExpected = 0, kBadSetUp = 10, kOtherOutcome = 20, kOtherReason = 40 };

int answer_of(Why why, Why expected) {
  return why == expected ? static_cast<int>(kAsExpected) : kOtherReason + static_cast<int>(why);
}

struct Shared {
  Card card;
  std::atomic<int> ready;
};

Shared* share() {
  void* at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : new (at) Shared{};
}

// As another user than root, who may all; with the right to be looked into, which a change of user takes away.
bool become(uid_t user) {
  if (::getuid() == 0 && (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(user, user, user) != 0))
    return false;
  return ::prctl(PR_SET_DUMPABLE, 1) == 0;
}

// A process that shows itself after `prepare` and waits to be ended.
template <class Prepare>
weft::test::Child shown_by(Shared* shared, Prepare prepare) {
  weft::test::Child child = weft::test::Child::start([=] {
    static Self self;
    if (!prepare()) ::_exit(kBadSetUp);
    self.open(base::SingleCopy::kCma, 0);
    self.show(&shared->card);
    shared->ready = 1;
    for (;;) ::pause();
  });
  EXPECT_TRUE(weft::test::eventually([&] { return shared->ready == 1; }));
  return child;
}

int reach_it(Shared* shared, uid_t user, Why expected) {
  if (!become(user)) return kBadSetUp;
  Self self;
  self.open(base::SingleCopy::kCma, 0);
  Peer peer;
  peer.meet(self, shared->card, 1);
  std::uint64_t word = 0;
  const Moved moved = peer.read(&word, {shared->card.probe, 8, 0}, 0, 8);
  if ((moved.outcome == Outcome::kDone) != (expected == Why::kNothing)) return kOtherOutcome;
  return answer_of(peer.reason(Way::kCma, Direction::kRead).why, expected);
}

TEST(Forbidden, NotWithinAUser) {
  Shared* shared = share();
  weft::test::Child owner = shown_by(shared, [] { return become(kNobody); });
  const auto ended = weft::test::Child::start([&] { return reach_it(shared, kNobody, Why::kNothing); }).wait();
  EXPECT_TRUE(ended.clean()) << ended.text();
}

TEST(Forbidden, ByAProcessThatIsNotDumpable) {
  Shared* shared = share();
  weft::test::Child owner = shown_by(shared, [] { return become(kNobody) && ::prctl(PR_SET_DUMPABLE, 0) == 0; });
  const auto ended = weft::test::Child::start([&] { return reach_it(shared, kNobody, Why::kNotDumpable); }).wait();
  EXPECT_TRUE(ended.clean()) << ended.text();
}

TEST(Forbidden, BetweenUsers) {
  if (::getuid() != 0) GTEST_SKIP() << "takes root, to be two users";
  Shared* shared = share();
  weft::test::Child owner = shown_by(shared, [] { return become(kSomebody); });
  const auto ended = weft::test::Child::start([&] { return reach_it(shared, kNobody, Why::kOtherUser); }).wait();
  EXPECT_TRUE(ended.clean()) << ended.text();
}

// From now on process_vm_readv (or writev) answers `error` where it is given fewer than `pieces` of this process's.
bool filter(long call, int error, unsigned pieces) {
  const sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, pieces, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog whole{static_cast<unsigned short>(std::size(program)), const_cast<sock_filter*>(program)};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

TEST(Forbidden, ByAFilterOfSystemCalls) {
  for (const int error : {EPERM, ENOSYS, EACCES}) {
    const auto ended = weft::test::Child::start([=] {
                         if (!filter(SYS_process_vm_readv, error, 1000)) return static_cast<int>(kBadSetUp);
                         Self self;
                         self.open(base::SingleCopy::kCma, 0);
                         return answer_of(self.reason(Way::kCma).why, Why::kSeccomp);
                       }).wait();
    EXPECT_TRUE(ended.clean()) << ended.text() << " with " << error;
  }
}

// The filter comes in the middle of a copy: its first 64 pieces are read, the next call has fewer.
TEST(Forbidden, InTheMiddle) {
  const auto ended = weft::test::Child::start([] {
                       Self self;
                       self.open(base::SingleCopy::kCma, 0);
                       Card card{};
                       self.show(&card);
                       Peer peer;
                       peer.meet(self, card, 0);
                       if (peer.way(Direction::kRead) != static_cast<int>(Way::kCma))
                         return static_cast<int>(kBadSetUp);
                       if (!filter(SYS_process_vm_readv, EPERM, 64)) return static_cast<int>(kBadSetUp);
                       std::byte from[100] = {};
                       std::byte to[100] = {};
                       Piece pieces[100];
                       for (std::size_t k = 0; k < 100; ++k) {
                         from[k] = static_cast<std::byte>(k + 1);
                         pieces[k] = {to + k, 1};
                       }
                       const Range range{0, 100};
                       const Moved moved = peer.read({pieces, 100}, {self.show(from, 100, true), &range, 1});
                       if (moved.outcome != Outcome::kForbidden || moved.bytes != 64)
                         return static_cast<int>(kOtherOutcome);
                       for (std::size_t k = 0; k < 100; ++k) {
                         if (to[k] != (k < 64 ? from[k] : std::byte{})) return kOtherOutcome + 1;
                       }
                       return answer_of(peer.reason(Way::kCma, Direction::kRead).why, Why::kSeccomp);
                     }).wait();
  EXPECT_TRUE(ended.clean()) << ended.text();
}

// One direction alone.
TEST(Forbidden, ToWriteAndNotToRead) {
  const auto ended = weft::test::Child::start([] {
                       Self self;
                       self.open(base::SingleCopy::kCma, 0);
                       Card card{};
                       self.show(&card);
                       if (!filter(SYS_process_vm_writev, EPERM, 1000)) return static_cast<int>(kBadSetUp);
                       Peer peer;
                       peer.meet(self, card, 0);
                       const bool reads = peer.way(Direction::kRead) == static_cast<int>(Way::kCma);
                       const bool writes = peer.way(Direction::kWrite) != kNoWay;
                       return reads && !writes ? static_cast<int>(kAsExpected) : static_cast<int>(kOtherOutcome);
                     }).wait();
  EXPECT_TRUE(ended.clean()) << ended.text();
}

}  // namespace
}  // namespace weft::reach
