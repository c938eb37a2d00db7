/* A collective that only some PEs call.
 *
 *   weft: PE 1: shmem_barrier_all: PE 0 calls shmem_long_sum_reduce where this PE calls shmem_barrier_all; all PEs of the set make the same collective calls in the same order (called in main at other_collective.c:13)
 *       PE 0: shmem_long_sum_reduce in main at other_collective.c:12
 */
#include <shmem.h>

static long part = 1, sum;

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &part, 1);
  shmem_barrier_all();
  shmem_finalize();
}
