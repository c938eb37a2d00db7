/* A store into a small block that was freed.
 *
 *   weft: PE 0: shmem_barrier_all: freed memory was written: byte 8 of the block of 24 bytes that shmem_malloc gave in main at freed_store.c:10 was changed by a store of this PE or through shmem_ptr (called in main at freed_store.c:13)
 *       it was freed by shmem_free in main at freed_store.c:11
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  long* volatile counts = (long*)shmem_malloc(3 * sizeof(long));
  shmem_free(counts);
  counts[1] = 7;
  shmem_barrier_all();
  shmem_finalize();
}
