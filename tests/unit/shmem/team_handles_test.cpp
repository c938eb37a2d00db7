// Handles of teams: those that exist are found, and of others a line says what is wrong.
#include "shmem/team_handles.hpp"

#include <gtest/gtest.h>

#include "shmem/checks.hpp"
#include "support/job_of_one.hpp"

namespace weft::shmem {
namespace {

// A job of one PE, this process.
class TeamHandles : public testing::Test {
 protected:
  void SetUp() override {
    test::be_alone();
    set_ready(true);
    ASSERT_TRUE(group::set_up_teams());
  }
  void TearDown() override {
    group::delete_all_teams(boot::Interface::kOpenShmem);
    set_ready(false);
  }
};

TEST_F(TeamHandles, AreGoodUntilTheTeamIsDeleted) {
  group::Team* team = group::new_team_of({0, 1, 1}, group::new_id(), boot::Interface::kOpenShmem);
  const shmem_team_t handle = handle_of(*team);
  EXPECT_EQ(&need_team(handle), team);
  group::delete_team(*team);
  EXPECT_DEATH((void)need_team(handle), "does not exist; it was destroyed or never created");
}

TEST_F(TeamHandles, OfThePredefinedOnesAreFixed) {
  EXPECT_EQ(handle_of(need_team(SHMEM_TEAM_WORLD)), SHMEM_TEAM_WORLD);
  EXPECT_EQ(handle_of(need_team(SHMEM_TEAM_SHARED)), SHMEM_TEAM_SHARED);
  EXPECT_NE(&need_team(SHMEM_TEAM_WORLD), &need_team(SHMEM_TEAM_SHARED));
  EXPECT_TRUE(group::is_predefined(need_team(SHMEM_TEAM_SHARED)));
  EXPECT_DEATH((void)need_team(SHMEM_TEAM_INVALID), "SHMEM_TEAM_INVALID");
}

}  // namespace
}  // namespace weft::shmem
