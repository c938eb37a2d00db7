/* The same block freed twice.
 *
 *   weft: PE 0: shmem_free: ptr, 0x..., was freed before: it was the block of 80 bytes that shmem_align gave in main at freed_twice.c:10 (called in main at freed_twice.c:12)
 *       it was freed by shmem_free in main at freed_twice.c:11
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  void* table = shmem_align(128, 80);
  shmem_free(table);
  shmem_free(table);
  shmem_finalize();
}
