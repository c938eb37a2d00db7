/* Points 7.5 and 7.8: destroy and split again and again with nothing in between, thousands of times: what the next team
 * synchronises through is what the last one has just left, and a member that is late in leaving it must not be
 * confused, nor confuse the others. Successive teams have other members, orders and sizes; PEs are late by turns; the
 * collectives before and after differ, so that the counts the members keep do not stay alike by luck. */
#include "together.h"

#include "teams.h"

enum { kRounds = 1500 };
static long dest[2][kMostPes], source[2];

static void collectives(shmem_team_t team, const Members* m, int round) {
  const int line = round % 2;
  const int times = round % 3;
  long sum = 0;
  /* The members' targets are theirs again: each has passed the sync of the team below. */
  for (int t = 0; t < times; ++t) shmem_team_sync(team);
  source[line] = 1000L * round + check_me;
  shmem_long_fcollect(team, dest[line], &source[line], 1);
  for (int k = 0; k < m->n; ++k) {
    CHECK_EQ(dest[line][k], 1000L * round + m->pe[k], "round %d, block %d", round, k);
    sum += 1000L * round + m->pe[k];
  }
  shmem_team_sync(team);
  if (round % 5 == 0) {
    shmem_long_sum_reduce(team, dest[line], &source[line], 1);
    CHECK_EQ(dest[line][0], sum, "round %d, sum", round);
    shmem_team_sync(team);
  }
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  const int n = check_n;
  const int rounds = n <= 7 ? kRounds : kRounds / 3;
  shmem_team_t kept = SHMEM_TEAM_INVALID;
  for (int round = 1; round <= rounds; ++round) {
    /* the start moves through the PEs, the rest follows to the end, forwards or backwards */
    const int start = round % n;
    const int backwards = round / n % 2;
    const int size = backwards ? start + 1 : n - start;
    const Members m = part_of(&world, start, backwards ? -1 : 1, size);
    shmem_team_t team;
    check_jitter(round % 7 == check_me ? 20000 : 50);
    team = need_part(SHMEM_TEAM_WORLD, start, backwards ? -1 : 1, size);
    if (round % 50 == 1) expect_members(team, &m, "again");
    if (team != SHMEM_TEAM_INVALID) collectives(team, &m, round);
    if (round % 101 == check_me) usleep(500);
    if (team != SHMEM_TEAM_INVALID) shmem_team_sync(team);
    shmem_team_destroy(team);
    if (round % 10 == 0) { /* lifetimes that overlap: one team outlives the next ones */
      shmem_team_destroy(kept);
      kept = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);
    }
    if (kept != SHMEM_TEAM_INVALID) shmem_team_sync(kept);
  }
  shmem_team_destroy(kept);
  return check_end();
}
