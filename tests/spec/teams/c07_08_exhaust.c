/* Points 7.2, 7.6 and 7.8: teams until there is no room for one more, with PEs that are in different numbers of teams
 * before: then creation fails on all PEs alike, also where only some have no room, leaves the handles invalid and
 * everything else working; destroyed teams make room again. split_2d with room for one of its two teams makes neither.
 */
#include "teams.h"

enum { kMost = 5000 };
static shmem_team_t teams[kMost];

/* Whole teams until it fails. How many were made. */
static int fill(int from) {
  for (int k = from; k < kMost; ++k) {
    const int code = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, check_n, NULL, 0, &teams[k]);
    if (code != 0) {
      CHECK(teams[k] == SHMEM_TEAM_INVALID, "the handle of a failure");
      return k;
    }
    REQUIRE(teams[k] != SHMEM_TEAM_INVALID, "a handle, team %d", k);
  }
  REQUIRE(0, "%d teams and no end", kMost);
  return 0;
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  const int n = check_n;
  shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
  STEP("to the last");
  const int most = fill(0);
  expect_same(most, "teams made");
  CHECK(most >= 100, "only %d teams", most);
  expect_works(SHMEM_TEAM_WORLD, &world, "WORLD when full");
  expect_works(teams[most - 1], &world, "the last one");
  expect_works(teams[most / 2], &world, "one of them");

  STEP("full is full, again and again");
  for (int k = 0; k < 3; ++k) CHECK_EQ(fill(most), most, "still full");
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0, "split_2d when full");
  CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "its handles");

  STEP("room for one of two");
  shmem_team_destroy(teams[most / 3]);
  x = y = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) != 0, "split_2d with room for one");
  CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "its handles");
  teams[most / 3] = need_part(SHMEM_TEAM_WORLD, 0, 1, n); /* the row has not kept the place */
  expect_works(teams[most / 3], &world, "in the place of the row");
  CHECK_EQ(fill(most), most, "full once more");

  STEP("room for two");
  shmem_team_destroy(teams[5]);
  shmem_team_destroy(teams[most - 5]);
  CHECK_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y), 0, "split_2d with room for two");
  shmem_team_destroy(x);
  shmem_team_destroy(y);
  teams[5] = need_part(SHMEM_TEAM_WORLD, 0, 1, n);
  teams[most - 5] = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);

  STEP("only some PEs have room");
  if (n > 1) {
    /* PE 0 alone fills the place it gets; the others keep theirs */
    shmem_team_t own, rest;
    shmem_team_destroy(teams[7]);
    own = need_part(SHMEM_TEAM_WORLD, 0, 0, 1);
    x = SHMEM_TEAM_WORLD;
    const int code = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &x);
    CHECK(code != 0 && x == SHMEM_TEAM_INVALID, "a team with a PE that has no room: %d", code);
    expect_same(code, "a team with a PE that has no room");
    if (n > 2) { /* who would not be in it is told the same */
      const int few = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &x);
      CHECK(few != 0 && x == SHMEM_TEAM_INVALID, "two, of which one has no room: %d", few);
      expect_same(few, "two, of which one has no room");
    }
    rest = need_part(SHMEM_TEAM_WORLD, 1, 1, n - 1); /* the others have */
    const Members m = part_of(&world, 1, 1, n - 1);
    expect_members(rest, &m, "those with room");
    expect_works(rest, &m, "those with room");
    shmem_team_destroy(rest);
    shmem_team_destroy(own);
    teams[7] = need_part(SHMEM_TEAM_WORLD, 0, 1, n);
  }

  STEP("all gone");
  for (int k = 0; k < most; ++k) shmem_team_destroy(teams[k]);
  CHECK_EQ(fill(0), most, "as many as the first time");
  expect_works(teams[0], &world, "the first of the second filling");
  for (int k = most - 1; k >= 0; --k) shmem_team_destroy(teams[k]);
  return check_end();
}
