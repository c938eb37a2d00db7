/* shmem_free of memory from malloc.
 *
 *   weft: PE 0: shmem_free: ptr, 0x..., was not given by shmem_malloc: it is allocated with malloc (called in main at free_private.c:10)
 */
#include <shmem.h>
#include <stdlib.h>

int main(void) {
  shmem_init();
  shmem_free(malloc(100));
  shmem_finalize();
}
