/* What the tests of teams share: an oracle that knows a team as the list of its members' numbers in the job, made by
 * counting them out one by one. */
#ifndef WEFT_TESTS_SPEC_TEAMS_H
#define WEFT_TESTS_SPEC_TEAMS_H

#include "check.h"

enum { kMostPes = 64 };

typedef struct {
  int n;
  int pe[kMostPes];
} Members;

CHECK_UNUSED static Members all_pes(void) {
  Members m;
  m.n = check_n;
  for (int k = 0; k < check_n; ++k) m.pe[k] = k;
  return m;
}

/* Members `start`, `start + stride`, ... of a team. n is 0 when one of them does not exist. */
CHECK_UNUSED static Members part_of(const Members* of, int start, int stride, int size) {
  Members m;
  m.n = size;
  for (int k = 0, from = start; k < size; ++k, from += stride) {
    if (from < 0 || from >= of->n) {
      m.n = 0;
      break;
    }
    m.pe[k] = of->pe[from];
  }
  return m;
}

/* Number of a PE of the job in the team, or -1. */
CHECK_UNUSED static int number_in(const Members* m, int pe) {
  for (int k = 0; k < m->n; ++k)
    if (m->pe[k] == pe) return k;
  return -1;
}

/* Everything that one PE can ask about a team. Not collective. */
CHECK_UNUSED static void expect_members(shmem_team_t team, const Members* m, const char* what) {
  const int me = number_in(m, check_me);
  if (me < 0) {
    CHECK(team == SHMEM_TEAM_INVALID, "%s: not a member, but has a handle", what);
    return;
  }
  REQUIRE(team != SHMEM_TEAM_INVALID, "%s: a member without a handle", what);
  CHECK_EQ(shmem_team_my_pe(team), me, "%s: own number", what);
  CHECK_EQ(shmem_team_n_pes(team), m->n, "%s: members", what);
  for (int k = -1; k <= m->n; ++k) {
    const int pe = k >= 0 && k < m->n ? m->pe[k] : -1;
    CHECK_EQ(shmem_team_translate_pe(team, k, SHMEM_TEAM_WORLD), pe, "%s: member %d in the world", what, k);
  }
  for (int pe = -1; pe <= check_n; ++pe)
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team), number_in(m, pe), "%s: PE %d in the team", what, pe);
}

static long teams_dest[kMostPes], teams_source[kMostPes];

/* The team works and counts as it should: members in order, a sum over all of them, a root by its number. Uses the
 * buffers above, so teams that overlap must not do it at the same time. */
CHECK_UNUSED static void expect_works(shmem_team_t team, const Members* m, const char* what) {
  long sum = 0;
  const int root = m->n / 2;
  if (number_in(m, check_me) < 0) return;
  teams_source[0] = 1000 + check_me;
  for (int k = 0; k < m->n; ++k) teams_dest[k] = -1;
  CHECK_EQ(shmem_team_sync(team), 0, "%s: sync", what);
  CHECK_EQ(shmem_long_fcollect(team, teams_dest, teams_source, 1), 0, "%s: fcollect", what);
  for (int k = 0; k < m->n; ++k) {
    CHECK_EQ(teams_dest[k], 1000 + m->pe[k], "%s: block %d", what, k);
    sum += 1000 + m->pe[k];
  }
  CHECK_EQ(shmem_team_sync(team), 0, "%s: sync", what);
  CHECK_EQ(shmem_long_sum_reduce(team, teams_dest, teams_source, 1), 0, "%s: sum", what);
  CHECK_EQ(teams_dest[0], sum, "%s: sum over the members", what);
  CHECK_EQ(shmem_team_sync(team), 0, "%s: sync", what);
  CHECK_EQ(shmem_long_broadcast(team, teams_dest, teams_source, 1, root), 0, "%s: broadcast", what);
  CHECK_EQ(teams_dest[0], 1000 + m->pe[root], "%s: from member %d", what, root);
  CHECK_EQ(shmem_team_sync(team), 0, "%s: sync", what);
}

/* Are all PEs of the job told the same? For results that must not differ. */
CHECK_UNUSED static void expect_same(long value, const char* what) {
  static long mine, least, most;
  mine = value;
  shmem_sync_all();
  shmem_long_min_reduce(SHMEM_TEAM_WORLD, &least, &mine, 1);
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, &most, &mine, 1);
  CHECK(least == most, "%s: PEs were told %ld to %ld, this one %ld", what, least, most, value);
  shmem_sync_all();
}

CHECK_UNUSED static shmem_team_t need_part(shmem_team_t parent, int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  REQUIRE(shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team) == 0, "split %d %d %d", start, stride,
          size);
  return team;
}

#endif
