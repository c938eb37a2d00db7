/* A loop that stores one element past the end of its block.
 *
 *   weft: PE 0: shmem_barrier_all: the memory behind a block was written: byte 1 after the end of the block of 40 bytes that shmem_malloc gave in main at overrun_store.c:9 was changed by a store of this PE or through shmem_ptr (called in main at overrun_store.c:11)
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  int* cells = (int*)shmem_malloc(10 * sizeof(int));
  for (int k = 0; k <= 10; ++k) cells[k] = k + 1; /* < 10 */
  shmem_barrier_all();
  shmem_free(cells);
  shmem_finalize();
}
