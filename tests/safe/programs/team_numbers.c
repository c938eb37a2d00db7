/* The number that a PE has in the job, given to a context of a team.
 *
 *   weft: PE 0: shmem_ctx_long_p: PE 1 does not exist in the context's team; its PEs are 0 to 0 (called in main at team_numbers.c:15)
 */
#include <shmem.h>

static long word;

int main(void) {
  shmem_team_t alone;
  shmem_ctx_t ctx;
  shmem_init();
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &alone);
  if (alone != SHMEM_TEAM_INVALID && shmem_team_create_ctx(alone, 0, &ctx) == 0)
    shmem_ctx_long_p(ctx, &word, 1, shmem_n_pes() - 1);
  shmem_barrier_all();
  shmem_finalize();
}
