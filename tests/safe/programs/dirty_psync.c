/* A pSync array that nobody has initialised.
 *
 *   weft: PE 0: shmem_broadcast64: pSync[0] is 99: it is in use or was never set; fill it with SHMEM_SYNC_VALUE before its first call (called in main at dirty_psync.c:15)
 */
#include <shmem.h>

static long work[SHMEM_BCAST_SYNC_SIZE], from[2], to[2];

int main(void) {
  shmem_init();
  work[0] = 99; /* what was in it before */
  int n = shmem_n_pes();
  shmem_barrier_all();
  int all = n;
  shmem_broadcast64(to, from, 2, 0, 0, 0, all, work);
  shmem_finalize();
}
