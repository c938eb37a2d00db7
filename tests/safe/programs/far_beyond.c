/* A store far behind the last block, by an index in bytes where elements were meant.
 *
 *   weft: PE 0: the heap's unused end was used in main at far_beyond.c:13: 568000 bytes behind the end of the block of 80000 bytes that shmem_malloc gave in main at far_beyond.c:10
 */
#include <shmem.h>

int main(void) {
  const int n = 10000;
  shmem_init();
  double* field = shmem_malloc(n * sizeof *field);
  shmem_barrier_all();
  for (int k = 8; k <= n; k += n - 8) {
    field[k * sizeof *field + 1000] = 1;
  }
  shmem_finalize();
}
