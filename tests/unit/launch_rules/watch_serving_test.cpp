// PEs that serve others instead of running main: what is said when they, or the others, leave.
#include "watch_job.hpp"

namespace weft::launch::rules {
namespace {

class Serving : public WatchTest {
 protected:
  // PE 0 and 1 run main, PE 2 and 3 serve.
  void SetUp() override {
    begin(4);
    in_phase(Phase::kInitialised);
    in_phase(2, Phase::kServing);
    in_phase(3, Phase::kServing);
  }
  void ends_with_0(int pe) { ends(pe, exited(0)); }
};

TEST_F(Serving, IsNoWait) {
  pass(60'000);
  EXPECT_EQ(take_said(), "");
  EXPECT_TRUE(watch->is_running());
}

TEST_F(Serving, CountsAsHavingCome) {
  in_phase(0, Phase::kAttached);
  watch->begun(now, Watch::kSlowStart);
  pass(Watch::kSlowStart / kMillisecond + 500);
  EXPECT_EQ(take_said(), "3 of 4 PEs have come to shmem_init after 5 s; PE 0 has not");
}

TEST_F(Serving, EndsWhenItIsToldTo) {
  in_phase(2, Phase::kServed);
  ends_with_0(2);
  // Others wait for each other for long, and not for the one that has gone.
  waits(0, Waiting::kBarrier);
  waits(1, Waiting::kBarrier);
  pass(30'000);
  EXPECT_EQ(take_said(), "");
  in_phase(3, Phase::kServed);
  for (const int pe : {0, 1}) in_phase(pe, Phase::kFinalised);
  for (const int pe : {3, 0, 1}) ends_with_0(pe);
  EXPECT_TRUE(watch->over());
  EXPECT_EQ(watch->exit_code(), 0);
}

TEST_F(Serving, IsForgottenByThoseThatLeaveWithoutEnd) {
  ends_with_0(0);
  pass(30'000);
  EXPECT_EQ(take_said(), "") << "PE 1 may tell them";
  ends_with_0(1);
  pass(1000);
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) left while PEs 2 and 3 serve others and were not told to leave; ending the job");
  EXPECT_EQ(watch->exit_code(), 1);
}

TEST_F(Serving, HasTimeToLeaveAfterTheEndOfTheOthers) {
  in_phase(3, Phase::kServed);
  ends_with_0(3);
  for (const int pe : {0, 1}) {
    in_phase(pe, Phase::kFinalised);
    ends_with_0(pe);
  }
  pass(4000);
  EXPECT_EQ(take_said(), "");
  pass(2000);
  EXPECT_EQ(take_said(), "PE 1 (pid 101) left while PE 2 serves others and was not told to leave; ending the job");
}

TEST_F(Serving, IsMissedWhenItLeavesUntold) {
  ends_with_0(2);
  waits(0, Waiting::kBarrier);
  waits(1, Waiting::kBarrier);
  pass(1000);
  EXPECT_EQ(take_said(), "PE 2 (pid 102) left, though it served others, while PEs 0 and 1 wait; ending the job");
}

}  // namespace
}  // namespace weft::launch::rules
