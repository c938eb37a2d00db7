/* A free of a pointer that was moved on.
 *
 *   weft: PE 0: shmem_free: ptr, 0x..., is not the beginning of a block: it is 32 bytes behind that of the block of 32 bytes that shmem_malloc gave in main at free_inside.c:9 (called in main at free_inside.c:12)
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  long* first = (long*)shmem_malloc(4 * sizeof(long));
  long* next = first;
  for (int k = 0; k < 4; ++k) *next++ = k;
  shmem_free(next);
  shmem_finalize();
}
