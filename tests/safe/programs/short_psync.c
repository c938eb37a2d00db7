/* A pSync array that is too short.
 *
 *   weft: PE 0: shmem_barrier: pSync, 1024 bytes at 0x..., runs 1008 bytes past the end of the block of 16 bytes that shmem_calloc gave in main at short_psync.c:9 (called in main at short_psync.c:10)
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  long* sync = (long*)shmem_calloc(2, sizeof(long)); /* SHMEM_BARRIER_SYNC_SIZE */
  shmem_barrier(0, 0, shmem_n_pes(), sync);
  shmem_free(sync);
  shmem_finalize();
}
