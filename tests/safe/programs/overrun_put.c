/* A put of one element too many.
 *
 *   weft: PE 0: shmem_long_put: dest, 88 bytes at 0x..., runs 8 bytes past the end of the block of 80 bytes that shmem_malloc gave in main at overrun_put.c:10 (called in main at overrun_put.c:13)
 */
#include <shmem.h>

int main(void) {
  long row[11] = {0};
  shmem_init();
  long* rows = (long*)shmem_malloc(10 * sizeof(long));
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_barrier_all();
  shmem_long_put(rows, row, 11, right); /* 10 is the last that fits */
  shmem_finalize();
}
