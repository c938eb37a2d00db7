/* What a wrong call says before it ends the job: one line that names the PE, the routine, the value and the way out.
 * CMakeLists.txt has the lines. */
#include "check.h"

static long g_source[8], g_dest[8 * 16];
static long g_psync[SHMEM_SYNC_SIZE];
static long g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  long here[8] = {0};
  check_begin();
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) g_psync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  if (strcmp(what, "root") == 0) shmem_long_broadcast(SHMEM_TEAM_WORLD, g_dest, g_source, 1, check_n);
  if (strcmp(what, "set_root") == 0) shmem_broadcast64(g_dest, g_source, 1, -1, 0, 0, check_n, g_psync);
  if (strcmp(what, "team") == 0) shmem_team_sync(SHMEM_TEAM_INVALID);
  if (strcmp(what, "dest") == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, here, g_source, 2);
  if (strcmp(what, "source") == 0) shmem_long_fcollect(SHMEM_TEAM_WORLD, g_dest, here, 2);
  if (strcmp(what, "collect_dest") == 0) shmem_long_collect(SHMEM_TEAM_WORLD, here, g_source, 1);
  if (strcmp(what, "stride") == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, g_dest, g_source, 0, 1, 1);
  if (strcmp(what, "psync") == 0) shmem_sync(0, 0, check_n, here);
  if (strcmp(what, "psync_set") == 0) {
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) g_psync[i] = 7;
    shmem_fcollect64(g_dest, g_source, 1, 0, 0, check_n, g_psync);
  }
  if (strcmp(what, "set") == 0) shmem_barrier(1, 0, check_n, g_psync);
  if (strcmp(what, "member") == 0) shmem_sync(0, 0, 1, g_psync);
  if (strcmp(what, "nreduce") == 0) shmem_long_max_to_all(g_dest, g_source, -2, 0, 0, check_n, g_work, g_psync);
  if (strcmp(what, "count") == 0) shmem_long_sum_inscan(SHMEM_TEAM_WORLD, g_dest, g_source, SIZE_MAX / 4);
  shmem_barrier_all();
  return check_end();
}
