/* Point 12.11: calls with no elements are legal, with NULL too: they return 0, block nobody for ever, and touch
 * nothing; real calls may come right before and after. */
#include "check.h"

static long g_source[2];
static long g_dest[64];
static long g_psync[8][SHMEM_SYNC_SIZE];
static long g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void over_team(shmem_team_t team, long* dest, const long* source) {
  const int root = shmem_team_n_pes(team) - 1;
  CHECK_EQ(shmem_long_broadcast(team, dest, source, 0, root), 0, "broadcast");
  CHECK_EQ(shmem_broadcastmem(team, dest, source, 0, root), 0, "broadcastmem");
  CHECK_EQ(shmem_long_collect(team, dest, source, 0), 0, "collect");
  CHECK_EQ(shmem_collectmem(team, dest, source, 0), 0, "collectmem");
  CHECK_EQ(shmem_long_fcollect(team, dest, source, 0), 0, "fcollect");
  CHECK_EQ(shmem_long_alltoall(team, dest, source, 0), 0, "alltoall");
  CHECK_EQ(shmem_long_alltoalls(team, dest, source, 3, 2, 0), 0, "alltoalls");
  CHECK_EQ(shmem_long_sum_reduce(team, dest, source, 0), 0, "sum_reduce");
  CHECK_EQ(shmem_int64_xor_reduce(team, dest, source, 0), 0, "xor_reduce");
  CHECK_EQ(shmem_long_sum_inscan(team, dest, source, 0), 0, "sum_inscan");
  CHECK_EQ(shmem_long_sum_exscan(team, dest, source, 0), 0, "sum_exscan");
}

static void over_all(long* dest, long* source) {
  shmem_broadcast64(dest, source, 0, 0, 0, 0, check_n, g_psync[0]);
  shmem_broadcast32(dest, source, 0, check_n - 1, 0, 0, check_n, g_psync[1]);
  shmem_collect64(dest, source, 0, 0, 0, check_n, g_psync[2]);
  shmem_fcollect64(dest, source, 0, 0, 0, check_n, g_psync[3]);
  shmem_alltoall64(dest, source, 0, 0, 0, check_n, g_psync[4]);
  shmem_alltoalls64(dest, source, 2, 2, 0, 0, 0, check_n, g_psync[5]);
  shmem_long_sum_to_all(dest, source, 0, 0, 0, check_n, g_work, g_psync[6]);
  shmem_long_and_to_all(dest, source, 0, 0, 0, check_n, g_work, g_psync[7]);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs are more than this test has room for", check_n);
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) g_psync[k][i] = SHMEM_SYNC_VALUE;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 64; ++i) g_dest[i] = -5;
    g_source[0] = check_me + round;
    shmem_barrier_all();
    over_team(SHMEM_TEAM_WORLD, NULL, NULL);
    over_team(SHMEM_TEAM_SHARED, g_dest, g_source);
    over_all(g_dest, g_source);
    for (int i = 0; i < 64; ++i) CHECK_EQ(g_dest[i], -5, "word %d after calls without elements", i);
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) CHECK_EQ(g_psync[k][i], SHMEM_SYNC_VALUE, "word %d of pSync %d", i, k);
    shmem_barrier_all();
    over_all(NULL, NULL);
    CHECK_EQ(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, g_dest, g_source, 1), 0, "one element");
    over_team(SHMEM_TEAM_WORLD, g_dest, g_source);
    CHECK_EQ(g_dest[0], (long)check_n * round + (long)check_n * (check_n - 1) / 2,
             "the sum between two without elements");
    shmem_barrier_all();
    /* Nothing from all PEs but one. */
    CHECK_EQ(shmem_long_collect(SHMEM_TEAM_WORLD, g_dest, g_source, check_me == round % check_n ? 1 : 0), 0, "collect");
    CHECK_EQ(g_dest[0], round % check_n + round, "the only block");
    shmem_barrier_all();
  }
  return check_end();
}
