/* The address from before shmem_realloc.
 *
 *   weft: PE 0: shmem_long_atomic_inc: dest, 8 bytes at 0x..., is freed memory: byte 0 of the block of 8 bytes that shmem_malloc gave in main at old_address.c:10 (called in main at old_address.c:13)
 *       it was freed by shmem_realloc in main at old_address.c:12
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  long* hits = (long*)shmem_malloc(sizeof(long));
  *hits = 0;
  long* more = (long*)shmem_realloc(hits, 2 * sizeof(long));
  shmem_long_atomic_inc(hits, 0);
  shmem_free(more);
  shmem_finalize();
}
