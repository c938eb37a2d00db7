// Which processes have ended, although their parents have not asked yet.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/process.hpp"

namespace weft::os {
namespace {

// Its program, until it is killed or has ended; `body` is the child's.
template <typename Body>
pid_t child(Body&& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  return pid;
}

bool ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0;
}

TEST(HasEnded, IsSoBeforeAndAfterTheParentHasAsked) {
  const pid_t pid = child([] {});
  ASSERT_GT(pid, 0);
  ASSERT_TRUE(ended(pid));
  EXPECT_TRUE(has_ended(pid));
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_TRUE(has_ended(pid));
}

TEST(HasEnded, IsNotSoOfOneThatWaits) {
  EXPECT_FALSE(has_ended(::getpid()));
  EXPECT_FALSE(has_ended(1));
}

void* go_on(void* pipe) {
  char byte = 0;
  while (::read(*static_cast<int*>(pipe), &byte, 1) < 0) {
  }
  ::_exit(3);
}

TEST(HasEnded, IsNotSoWhenOnlyTheMainThreadHas) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t pid = child([&pipe] {
    ::close(pipe[1]);
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, go_on, pipe) == 0) ::syscall(SYS_exit, 0);
  });
  ASSERT_GT(pid, 0);
  ::close(pipe[0]);
  while (!is_zombie(pid) && ::kill(pid, 0) == 0) {
    ::usleep(1000);
  }
  EXPECT_TRUE(is_zombie(pid));
  EXPECT_FALSE(has_ended(pid));
  ::close(pipe[1]);
  ASSERT_TRUE(ended(pid));
  EXPECT_TRUE(has_ended(pid));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace weft::os
