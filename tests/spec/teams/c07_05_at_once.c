/* Point 7.5: a new team may be used the moment the call returns: a PE that is early runs collectives on the child,
 * makes grandchildren of it and destroys them, while another is still on its way into or out of the split. Each round
 * another PE is late. Different rounds, different kinds of split. */
#include "teams.h"

enum { kRounds = 60 };
static long numbers[kRounds][kMostPes], sums[kRounds], from_root[kRounds];
static long one[kRounds];

static void be_late(int round, int which) {
  if ((round + which) % (check_n + 1) == check_me) usleep((useconds_t)(round % 3 == 0 ? 3000 : 200));
}

static void use(shmem_team_t team, const Members* m, int round) {
  long sum = 0;
  one[round] = 100 * (long)round + check_me;
  be_late(round, 1);
  shmem_long_fcollect(team, numbers[round], &one[round], 1);
  shmem_long_sum_reduce(team, &sums[round], &one[round], 1);
  shmem_long_broadcast(team, &from_root[round], &one[round], 1, m->n - 1);
  for (int k = 0; k < m->n; ++k) {
    CHECK_EQ(numbers[round][k], 100 * (long)round + m->pe[k], "round %d, block %d", round, k);
    sum += 100 * (long)round + m->pe[k];
  }
  CHECK_EQ(sums[round], sum, "round %d, sum", round);
  CHECK_EQ(from_root[round], 100 * (long)round + m->pe[m->n - 1], "round %d, broadcast", round);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  const int n = check_n;
  for (int round = 0; round < kRounds; ++round) {
    const int kind = round % 4;
    Members m = world;
    shmem_team_t team = SHMEM_TEAM_INVALID, other = SHMEM_TEAM_INVALID;
    be_late(round, 0);
    if (kind == 0) {
      team = need_part(SHMEM_TEAM_WORLD, 0, 1, n);
    } else if (kind == 1) {
      m = part_of(&world, n - 1, -1, n);
      team = need_part(check_team_of_all(), n - 1, -1, n);
    } else if (kind == 2) {
      const int first = check_me % 2;
      /* two splits, one after the other: even ones, odd ones */
      team = need_part(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2);
      if (n > 1) other = need_part(SHMEM_TEAM_WORLD, 1, 2, n / 2);
      if (first == 1) team = other;
      m = part_of(&world, first, 2, first == 0 ? (n + 1) / 2 : n / 2);
    } else {
      const int width = (n + 1) / 2;
      REQUIRE(shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &team, NULL, 0, &other) == 0, "split_2d");
      m.n = 0;
      for (int k = check_me / width * width; k < n && k / width == check_me / width; ++k) m.pe[m.n++] = k;
      shmem_team_sync(other);
    }
    use(team, &m, round);
    { /* a grandchild, at once */
      const Members back = part_of(&m, m.n - 1, -1, m.n);
      shmem_team_t child = need_part(team, m.n - 1, -1, m.n);
      be_late(round, 2);
      expect_members(child, &back, "a grandchild");
      shmem_team_sync(child);
      if (round % 2) shmem_team_sync(team);
      shmem_team_destroy(child);
    }
    if (kind == 3) shmem_team_destroy(other);
    shmem_team_destroy(team);
  }
  return check_end();
}
