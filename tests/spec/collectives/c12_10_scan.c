/* Point 12.10: inclusive and exclusive sums in the order of the team, whatever its order in the job; the first PE of an
 * exclusive one gets zeros, in place as well; nothing else changes. */
#include "check.h"

enum { kCount = 1500 };

static long g_a[kCount + 2];
static long g_b[kCount + 2];

static void fill(long* at, int me, int n) {
  at[0] = at[n + 1] = -99;
  for (int i = 1; i <= n; ++i) at[i] = (long)(me + 1) * (i + 7);
}

static void scan(shmem_team_t team, int inclusive, int in_place, int n) {
  const int me = team == SHMEM_TEAM_INVALID ? 0 : shmem_team_my_pe(team);
  const long before = inclusive ? (long)(me + 1) * (me + 2) / 2 : (long)me * (me + 1) / 2;
  long* const dest = in_place ? g_a : g_b;
  int code;
  fill(g_a, me, n);
  memset(g_b, 0x5A, sizeof g_b);
  g_b[0] = g_b[n + 1] = -99;
  shmem_barrier_all();
  if (team == SHMEM_TEAM_INVALID) return;
  code = inclusive ? shmem_long_sum_inscan(team, dest + 1, g_a + 1, (size_t)n)
                   : shmem_long_sum_exscan(team, dest + 1, g_a + 1, (size_t)n);
  CHECK_EQ(code, 0, "result of the scan");
  CHECK(dest[0] == -99 && dest[n + 1] == -99, "the words around have changed");
  for (int i = 1; i <= n; ++i) {
    if (dest[i] != before * (i + 7)) {
      CHECK_EQ(dest[i], before * (i + 7), "%s, %s place, %d elements, element %d of member %d",
               inclusive ? "inscan" : "exscan", in_place ? "in" : "not in", n, i, me);
      break;
    }
  }
}

int main(void) {
  static const int counts[] = {1, 2, 8, 9, 1024, 1025, kCount};
  shmem_team_t teams[3] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
  check_begin();
  shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &teams[1]);
  shmem_team_split_strided(teams[1], 0, 2, (check_n + 1) / 2, NULL, 0, &teams[2]);
  for (int team = 0; team < 3; ++team)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
      for (int way = 0; way < 4; ++way) {
        scan(teams[team], way % 2, way / 2, counts[c]);
        shmem_barrier_all();
      }
  return check_end();
}
