// What is told of MPI programs that hang: by rank, call, tag and communicator, down to the line of the source; and how
// those end of which a rank leaves.
#include "hang.hpp"

namespace weft::fault {
namespace {

class MpiHang : public HangTest {
 protected:
  std::string report(int n_ranks, const std::string& how) const {
    const Output output = job({"-n", std::to_string(n_ranks), "--timeout", "2s", WEFT_HANG, how});
    EXPECT_EQ(output.ending.exit_code, 124) << output.err;
    EXPECT_EQ(lines_with(output.err, " PE "), 0) << output.err;
    return output.err;
  }
};

const std::string kWaited = " has waited [0-9.]+ s in ";

TEST_F(MpiHang, AnotherTagHasCome) {
  for (const int n_ranks : {2, 3, 7}) {
    const std::string text = report(n_ranks, "tag");
    expect_line(text, "  rank 1" + kWaited + "MPI_Recv at " + line_of("tag") +
                          " in tags for a message with tag 7 of rank 0 \\(MPI_COMM_WORLD\\); rank 0 has sent tag 8$");
    expect_line(text, "=> deadlock: rank 0 waits for rank 1 in MPI_Barrier \\(#[0-9]+\\) at " + line_of("end") +
                          " in main, rank 1 waits for rank 0 in MPI_Recv at " + line_of("tag"));
  }
}

TEST_F(MpiHang, ItHasComeInAnotherCommunicator) {
  expect_line(report(3, "elsewhere"),
              " in tags for a message with tag 7 of rank 0 \\(solver\\); rank 0 has sent tag 7 in "
              "another communicator$");
}

TEST_F(MpiHang, AProbeOfAnySource) {
  const std::string text = report(3, "probe");
  expect_line(text, "  rank 1" + kWaited + "MPI_Probe at " + line_of("probe") +
                        " in tags for a message with tag 5 of any rank \\(MPI_COMM_WORLD\\)$");
  expect_line(text, "=> every rank waits$");
}

TEST_F(MpiHang, WaitsForRequests) {
  expect_line(report(2, "any"), "  rank 1" + kWaited + "MPI_Waitany at " + line_of("any") +
                                    " in several for one of 2 requests, the first of which waits for a message with "
                                    "tag 3 of rank 0 \\(MPI_COMM_WORLD\\)$");
  expect_line(report(2, "all"), "  rank 1" + kWaited + "MPI_Waitall at " + line_of("all") +
                                    " in several for a message with tag 3 of rank 0 \\(MPI_COMM_WORLD\\)$");
}

TEST_F(MpiHang, LargeSendsHeadToHead) {
  const std::string text = report(2, "heads");
  expect_line(text, "  rank 0" + kWaited + "MPI_Send at " + line_of("heads") +
                        " in sends until rank 1 takes a message with tag 1 \\(MPI_COMM_WORLD\\)$");
  expect_line(text, "=> deadlock: rank 0 waits for rank 1 in MPI_Send at " + line_of("heads") +
                        " in sends, rank 1 waits for rank 0 in MPI_Send at " + line_of("heads"));
  // The others are none of the circle.
  expect_line(report(3, "heads"),
              "=> deadlock: rank 0 waits for rank 1 in MPI_Send at .*, rank 1 waits for rank 0 in ");
}

TEST_F(MpiHang, ASynchronousSendToOneThatComputes) {
  const std::string text = report(2, "ssend");
  expect_line(text, "  rank 0" + kWaited + "MPI_Ssend at " + line_of("ssend") +
                        " in sends until rank 1 takes a message with tag 3 \\(MPI_COMM_WORLD\\)$");
  expect_line(text, "  rank 1 does not wait in Weft; its last call there was MPI_Comm_size at ");
  EXPECT_EQ(lines_with(text, "deadlock"), 0) << text;
}

TEST_F(MpiHang, ACircleOfReceives) {
  std::string all;
  for (const int n_ranks : {2, 3, 7}) {
    std::string circle = "=> deadlock: ";
    for (int rank = 0; rank < n_ranks; ++rank) {
      circle += (rank == 0 ? "rank " : ", rank ") + std::to_string(rank) + " waits for rank " +
                std::to_string((rank + 1) % n_ranks) + " in MPI_Recv at " + line_of("circle") + " in hang";
    }
    expect_line(report(n_ranks, "circle"), circle + "$");
  }
}

TEST_F(MpiHang, AReceiveOfItsOwn) {
  expect_line(report(2, "self"), "=> deadlock: rank 0 waits for itself in MPI_Recv at " + line_of("self"));
}

TEST_F(MpiHang, NoRoomForMessagesThatNobodyWants) {
  environment.emplace_back("WEFT_MPI_UNEXPECTED=1M");
  expect_line(report(2, "room"),
              "  rank 0" + kWaited + "MPI_Send at " + line_of("room") +
                  " in sends until rank 1 takes a message with tag 1 \\(MPI_COMM_WORLD\\); rank 1 keeps 1 MiB of "
                  "messages that it has not asked for, as much as it may \\(WEFT_MPI_UNEXPECTED\\), and ");
}

// The first ones go by the queue, as there is no box yet, and its room is soon used up.
TEST_F(MpiHang, NotForSmallSendsBeforeWhatIsWanted) {
  const Output output = job({"-n", "2", "--timeout", "20s", WEFT_HANG, "buffers"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
}

TEST_F(MpiHang, ARankThatIsMissing) {
  for (const int n_ranks : {3, 7}) {
    const std::string last = std::to_string(n_ranks - 1);
    const std::string text = report(n_ranks, "missing");
    expect_line(text, " in MPI_Barrier \\(#[0-9]+\\) at " + line_of("barrier") + " in collectives; rank " + last +
                          " has not arrived$");
    expect_line(text, "=> all others wait, so what rank " + last + " does, or has not done, holds them up$");
  }
}

TEST_F(MpiHang, CollectivesAreCounted) {
  expect_line(report(3, "fewer"), "  rank 2 has made [0-9]+ collective calls?, the others [0-9]+$");
}

TEST_F(MpiHang, DifferentCollectives) {
  expect_line(report(3, "calls"), "=> rank 0 is in MPI_Barrier \\(#[0-9]+\\) at " + line_of("barrier") +
                                      " in collectives where rank 2 is in MPI_Allreduce \\(#[0-9]+\\) at " +
                                      line_of("allreduce"));
}

TEST_F(MpiHang, LocksAndGroupsOfWindows) {
  for (const int n_ranks : {2, 3}) {
    const std::string text = report(n_ranks, "win_lock");
    expect_line(text, "  rank 1" + kWaited + "MPI_Win_lock at " + line_of("win_lock") +
                          " in windows for the exclusive lock of rank 1 in the window matrix, which rank 0 holds$");
    expect_line(text, "=> deadlock: rank 0 waits for rank 1 in MPI_Barrier \\(#[0-9]+\\) at " + line_of("end") +
                          " in main, rank 1 waits for rank 0 in MPI_Win_lock at " + line_of("win_lock"));
  }
  for (const char* const how : {"win_shared", "win_all"}) {
    expect_line(report(2, how),
                " for the exclusive lock of rank 1 in the window matrix, which rank 0 has locked shared$");
  }
  expect_line(report(2, "win_post"),
              "  rank 1" + kWaited + "MPI_Win_complete at " + line_of("win_complete") +
                  " in windows until rank 0 lets it access the window matrix \\(MPI_Win_post\\)$");
  expect_line(report(3, "win_wait"), "  rank 1" + kWaited + "MPI_Win_wait at " + line_of("win_wait") +
                                         " in windows until rank 2 has ended its accesses to the window matrix "
                                         "\\(MPI_Win_complete\\)$");
}

// The words of the lock do not tell who is inside then: its own notes do.
TEST_F(MpiHang, ALockThatItsHolderHasWaitedFor) {
  const std::string text = report(3, "win_behind");
  expect_line(text, "  rank 2" + kWaited + "MPI_Win_lock at " + line_of("behind") +
                        " in .* for the exclusive lock of rank 1 in the window matrix, which rank 1 holds$");
  expect_line(text,
              "=> deadlock: rank 2 waits for rank 1 in MPI_Win_lock at .*, rank 1 waits for rank 2 in MPI_Barrier ");
  const Output output = job({"-n", "3", WEFT_HANG, "win_behind_dies"});
  EXPECT_EQ(output.ending.exit_code, 128 + SIGKILL) << output.err;
  expect_line(output.err,
              "PE 1 .* was killed by signal 9.*; it held the exclusive lock of rank 1 in the window matrix; ");
}

TEST_F(MpiHang, ACircleOfLocksOfAWindow) {
  const std::string text = report(4, "win_circle");
  expect_line(text, "  rank 0" + kWaited + "MPI_Win_lock at " + line_of("reader") +
                        " in opposite_locks for the shared lock of rank 1 in the window matrix, which rank 1 has "
                        "locked shared; rank 3 waits before it$");
  expect_line(text,
              "=> deadlock: rank 0 waits for rank 3 in MPI_Win_lock at " + line_of("reader") +
                  " in opposite_locks for the shared lock of rank 1 in the window matrix, rank 3 waits for rank 1 "
                  "in MPI_Win_lock at " +
                  line_of("writer") +
                  " in opposite_locks for the exclusive lock of rank 1 in the window matrix, rank 1 waits for "
                  "rank 2 in .*, rank 2 waits for rank 0 in ");
}

TEST_F(MpiHang, OneDiesThatHoldsALock) {
  for (const int n_ranks : {2, 3, 7}) {
    const Output output = job({"-n", std::to_string(n_ranks), WEFT_HANG, "win_dies"});
    EXPECT_EQ(output.ending.exit_code, 128 + SIGKILL) << output.err;
    expect_line(output.err,
                "PE 0 .* was killed by signal 9.*; it held the exclusive lock of rank 1 in the window matrix; ");
  }
  const Output output = job({"-n", "2", WEFT_HANG, "win_faults"});
  EXPECT_EQ(output.ending.exit_code, 128 + SIGSEGV) << output.err;
  expect_line(output.err,
              "PE 0 .* was killed by signal 11.*; it held the exclusive lock of rank 1 in the window matrix; ");
}

TEST_F(MpiHang, StatusAsksAtAnyTime) {
  Running running(command({"-n", "3", WEFT_HANG, "circle"}), files.path());
  std::string text;
  ASSERT_TRUE(test::eventually([&] {
    text = job({"--status", std::to_string(running.pid())}).out;
    return lines_with(text, "=> deadlock: rank 0 waits for rank 1 in MPI_Recv") == 1;
  })) << text;
  expect_line(text, "  rank 1" + kWaited + "MPI_Recv at .* for a message with tag 1 of rank 2 \\(MPI_COMM_WORLD\\)$");
  running.signal(SIGTERM);
  (void)running.wait();
  std::system(("rm -f " + files.path() + "/*").c_str());
}

TEST_F(MpiHang, AbortsAndEarlyExitsEndTheJob) {
  for (const char* const how : {"abort", "exit"}) {
    for (const int n_ranks : {2, 3, 7}) {
      const Output output = job({"-n", std::to_string(n_ranks), WEFT_HANG, how});
      const bool aborts = how == std::string("abort");
      EXPECT_EQ(output.ending.exit_code, aborts ? 17 : 1) << output.err;
      expect_line(output.err,
                  aborts ? "rank 1: MPI_Abort: ends the job with code 17$" : "1 .*left without MPI_Finalize");
    }
  }
}

}  // namespace
}  // namespace weft::fault
