// What a process finds out about itself.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "base/lines.hpp"
#include "reach/identity.hpp"
#include "reach/peer.hpp"
#include "reach/self.hpp"

namespace weft::reach {
namespace {

Systems without_modules() {
  Systems systems;
  systems.xpmem_device = systems.knem_device = "/no/such/device";
  return systems;
}

std::string text_of(Way way, const Reason& reason) {
  char text[kReasonText];
  return reason_text(way, reason, text);
}

TEST(Own, NamesModulesThatAreNotThere) {
  Self self;
  self.open(base::SingleCopy::kBest, 0, without_modules());
  EXPECT_EQ(text_of(Way::kXpmem, self.reason(Way::kXpmem)), "the kernel's module xpmem is not loaded (no /dev/xpmem)");
  EXPECT_EQ(text_of(Way::kKnem, self.reason(Way::kKnem)), "the kernel's module knem is not loaded (no /dev/knem)");
}

TEST(Own, NamesALibraryThatCannotBeLoaded) {
  Systems systems = without_modules();
  systems.xpmem_device = "/dev/null";
  systems.xpmem_library = "/no/such/library.so";
  Xpmem xpmem;
  EXPECT_EQ(xpmem.open(systems).why, Why::kNoLibrary);
  systems.xpmem_library = "libc.so.6";  // lacks the functions
  EXPECT_EQ(xpmem.open(systems).why, Why::kNoLibrary);
}

TEST(Own, RefusesAnotherVersionOfKnem) {
  Systems systems = without_modules();
  systems.knem_device = "/dev/null";
  Knem knem;
  EXPECT_EQ(knem.open(systems).why, Why::kDeviceRefused);  // no such ioctl
  systems.knem_control = [](int, unsigned long, void* info) {
    static_cast<knem::Info*>(info)->version = 12;
    return 0;
  };
  const Reason reason = knem.open(systems);
  EXPECT_EQ(reason.why, Why::kOtherVersion);
  EXPECT_NE(text_of(Way::kKnem, reason).find("version 12"), std::string::npos);
  EXPECT_EQ(knem.show(0, 1, true), 0U);
}

TEST(Own, OffersWhatIsAskedForOnly) {
  for (const auto choice : {base::SingleCopy::kXpmem, base::SingleCopy::kKnem, base::SingleCopy::kNone}) {
    Self self;
    self.open(choice, 0, without_modules());
    EXPECT_EQ(self.reason(Way::kCma).why, Why::kNotAsked);
    Card card{};
    self.show(&card);
    EXPECT_EQ(card.ways.load(), 0U);
  }
  Self self;
  self.open(base::SingleCopy::kCma, 0, without_modules());
  EXPECT_FALSE(self.reason(Way::kCma));
  EXPECT_EQ(self.reason(Way::kXpmem).why, Why::kNotAsked);
}

TEST(Own, ReadsWhatYamaAllows) {
  // Without a name in any folder, so that a failure leaves nothing behind.
  const int fd = ::memfd_create("ptrace_scope", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  Systems systems = without_modules();
  systems.ptrace_scope = path.c_str();
  Cma cma;
  ASSERT_EQ(::pwrite(fd, "1\n", 2, 0), 2);
  EXPECT_EQ(ptrace_scope(systems), 1);
  EXPECT_FALSE(cma.open(systems, ::getpid()));
  // Nothing else is in the way of this process reaching itself, were it refused.
  Self self;
  self.open(base::SingleCopy::kCma, 0, systems);
  Card card{};
  self.show(&card);
  const Reason refused = why_refused(card, systems, EPERM);
  EXPECT_EQ(text_of(Way::kCma, refused), "kernel.yama.ptrace_scope is 1, which forbids it");
  ASSERT_EQ(::pwrite(fd, "3\n", 2, 0), 2);
  EXPECT_EQ(cma.open(systems, 0).why, Why::kPtraceScope);
  ASSERT_EQ(::pwrite(fd, "0\n", 2, 0), 2);
  EXPECT_EQ(why_refused(card, systems, EPERM).why, Why::kRefused);
  (void)::close(fd);
  EXPECT_EQ(ptrace_scope(systems), 0);  // a kernel without yama
}

TEST(Own, ReachesItself) {
  Self self;
  self.open(base::SingleCopy::kCma, 0);
  Card card{};
  self.show(&card);
  Peer peer;
  peer.meet(self, card, 0);
  char from[] = "from here";
  char to[sizeof from] = {};
  ASSERT_EQ(peer.read(to, self.show(from, sizeof from, true), 0, sizeof from).outcome, Outcome::kDone);
  EXPECT_STREQ(to, from);
}

TEST(Own, HasATextForEachReason) {
  for (int why = 0; why <= static_cast<int>(Why::kFailed); ++why) {
    EXPECT_GT(text_of(Way::kCma, {static_cast<Why>(why), EPERM}).size(), 10U) << why;
  }
}

TEST(Own, SaysWhatItChose) {
  Self self;
  self.open(base::SingleCopy::kBest, 0, without_modules());
  Card card{};
  self.show(&card);
  Peer peer;
  peer.meet(self, card, 5);
  base::set_debug(true);
  testing::internal::CaptureStderr();
  EXPECT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kCma));
  EXPECT_EQ(peer.way(Direction::kRead), static_cast<int>(Way::kCma));  // says it once
  const std::string said = testing::internal::GetCapturedStderr();
  base::set_debug(false);
  EXPECT_NE(said.find("memory of PE 5 is not read by xpmem: the kernel's module xpmem is not loaded"),
            std::string::npos)
      << said;
  const std::size_t at = said.find("memory of PE 5 is read by cma");
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find("memory of PE 5 is read by cma", at + 1), std::string::npos) << said;
}

}  // namespace
}  // namespace weft::reach
