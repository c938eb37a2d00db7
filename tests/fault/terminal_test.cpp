// oshrun on a terminal: what is typed reaches PE 0, Ctrl-C ends the job and Ctrl-Z stops it.
#include "terminal.hpp"

#include <algorithm>
#include <csignal>

namespace weft::fault {
namespace {

TEST_F(Terminal, TypedLinesReachPe0) {
  begin({"-n", "3", "/bin/sh", "-c", "while read line; do echo PE $WEFT_PE read $line; done; echo PE $WEFT_PE done"});
  EXPECT_TRUE(shows("PE 2 done")) << screen_;
  type("hello\n");
  EXPECT_TRUE(shows("PE 0 read hello")) << screen_;
  type("again\n");
  EXPECT_TRUE(shows("PE 0 read again")) << screen_;
  EXPECT_EQ(screen_.find("PE 0 done"), std::string::npos);
  type("\x04");
  EXPECT_TRUE(shows("PE 0 done")) << screen_;
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(Terminal, ControlCEndsTheJob) {
  begin({"-n", "3", "/bin/sh", "-c", "echo PE $WEFT_PE ready; sleep 1000; echo never"});
  for (int pe = 0; pe < 3; ++pe) EXPECT_TRUE(shows("PE " + std::to_string(pe) + " ready")) << screen_;
  type("\x03");
  EXPECT_EQ(exit_code(), 128 + SIGINT);
}

// The first Ctrl-C asks: who has something to tidy up does it.
TEST_F(Terminal, ControlCLetsPesTidyUp) {
  begin({"-n", "2", "/bin/sh", "-c",
         "trap 'echo PE $WEFT_PE tidied; exit 0' INT; echo PE $WEFT_PE ready; while :; do sleep 0.01; done"});
  for (int pe = 0; pe < 2; ++pe) EXPECT_TRUE(shows("PE " + std::to_string(pe) + " ready")) << screen_;
  type("\x03");
  for (int pe = 0; pe < 2; ++pe) EXPECT_TRUE(shows("PE " + std::to_string(pe) + " tidied")) << screen_;
  EXPECT_EQ(exit_code(), 128 + SIGINT);
}

TEST_F(Terminal, ControlZStopsTheJobAndContinuingGoesOn) {
  begin({"-n", "3", "--timeout", "1h", "/bin/sh", "-c",
         "echo PE $WEFT_PE ready; read line; echo PE $WEFT_PE read $line; sleep 1000"});
  for (int pe = 0; pe < 3; ++pe) EXPECT_TRUE(shows("PE " + std::to_string(pe) + " ready")) << screen_;
  type("\x1a");
  EXPECT_TRUE(test::eventually([&] { return stopped("/bin/sh") == 3 && stopped(oshrun()) >= 1; }));
  ASSERT_EQ(::kill(pid_, SIGCONT), 0);
  EXPECT_TRUE(test::eventually([&] { return stopped("/bin/sh") == 0 && stopped(oshrun()) == 0; }));
  type("hello\n");
  EXPECT_TRUE(shows("PE 0 read hello")) << screen_;
  type("\x03");
  EXPECT_EQ(exit_code(), 128 + SIGINT);
}

TEST_F(Terminal, ASlowStartIsTold) {
  begin({"-n", "3", "/bin/sh", "-c", std::string("test $WEFT_PE = 1 && sleep 6; exec ") + WEFT_ACTOR + " quit leave"});
  EXPECT_TRUE(shows("oshrun: 2 of 3 PEs have come to shmem_init after 5 s; PE 1 has not")) << screen_;
  EXPECT_EQ(exit_code(), 0) << screen_;
}

TEST_F(Terminal, ClosingItEndsTheJob) {
  begin({"-n", "2", "/bin/sh", "-c", "echo PE $WEFT_PE ready; sleep 1000"});
  EXPECT_TRUE(shows("PE 0 ready")) << screen_;
  EXPECT_TRUE(shows("PE 1 ready")) << screen_;
  (void)::close(std::exchange(master_, -1));
  EXPECT_EQ(exit_code(), 128 + SIGHUP);
}

}  // namespace
}  // namespace weft::fault
