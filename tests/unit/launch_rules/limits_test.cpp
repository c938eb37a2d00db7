#include "launch/rules/limits.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace weft::launch::rules {
namespace {

// Wait statuses as the kernel makes them.
constexpr int killed(int signal) { return signal; }
constexpr int dumped(int signal) { return signal | 0x80; }
constexpr auto kNo = OutOfMemory::kNo;

TEST(Advice, SaysHowToGetACoreFile) {
  const Limits off{.core_bytes = 0};
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGQUIT}) {
    EXPECT_EQ(advice(killed(signal), 7, off, kNo), "; core dumps are off here (ulimit -c unlimited turns them on)");
    EXPECT_EQ(advice(killed(signal), 7, Limits{}, kNo), "") << "something else kept the file from being written";
  }
  EXPECT_EQ(advice(killed(SIGTERM), 7, off, kNo), "") << "this one makes no core file anyway";
  EXPECT_EQ(advice(3 << 8, 7, off, kNo), "") << "it exited";
}

TEST(Advice, SaysWhereACoreDumpWent) {
  EXPECT_EQ(advice(dumped(SIGSEGV), 7, Limits{.core_pattern = "core"}, kNo), "");
  EXPECT_EQ(advice(dumped(SIGSEGV), 7, Limits{.core_pattern = "|/lib/systemd/systemd-coredump %P %u"}, kNo),
            "; coredumpctl gdb 7 opens the core dump");
  EXPECT_EQ(advice(dumped(SIGSEGV), 7, Limits{.core_pattern = "|/usr/share/apport/apport -p%p"}, kNo),
            "; the core dump went to /usr/share/apport/apport");
  EXPECT_EQ(advice(dumped(SIGSEGV), 7, Limits{.core_pattern = "|/sbin/take"}, kNo),
            "; the core dump went to /sbin/take");
}

TEST(Advice, TellsWhoMayHaveSentAKill) {
  EXPECT_NE(advice(killed(SIGKILL), 7, {}, OutOfMemory::kUnknown).find("if nobody sent it"), std::string::npos);
  EXPECT_NE(advice(killed(SIGKILL), 7, {}, OutOfMemory::kYes).find("memory ran out"), std::string::npos);
  EXPECT_EQ(advice(killed(SIGKILL), 7, {}, kNo),
            "; a process sent it: the kernel has not killed any for want of memory");
  EXPECT_NE(advice(killed(SIGKILL), 7, Limits{.cpu_seconds = 3}, kNo).find("(ulimit -t is 3 s)"), std::string::npos);
}

TEST(Advice, NamesTheLimitThatWasReached) {
  EXPECT_EQ(advice(killed(SIGXCPU), 7, Limits{.cpu_seconds = 60}, kNo),
            "; its processor time was up: ulimit -t is 60 s");
  EXPECT_EQ(advice(killed(SIGXFSZ), 7, Limits{.file_bytes = 4096}, kNo),
            "; it made a file too large: ulimit -f is 4 KiB");
  EXPECT_EQ(advice(killed(SIGXCPU), 7, {}, kNo) + advice(killed(SIGXFSZ), 7, {}, kNo), "") << "somebody sent these";
}

TEST(Limits, AreThoseOfThisProcess) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &none), 0);
  EXPECT_EQ(read_limits().core_bytes, 0U);
  EXPECT_FALSE(read_limits().core_pattern.empty());
  EXPECT_EQ(read_limits().core_pattern.find('\n'), std::string::npos);
  (void)::setrlimit(RLIMIT_CORE, &before);
}

}  // namespace
}  // namespace weft::launch::rules
