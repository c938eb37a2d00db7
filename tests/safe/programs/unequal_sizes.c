/* An allocation with another size on each PE.
 *
 *   weft: PE 1: shmem_malloc: size is 108 here and 100 on PE 0; all PEs must give the same (called in main at unequal_sizes.c:10)
 *       PE 0: shmem_malloc in main at unequal_sizes.c:10
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  void* part = shmem_malloc((size_t)(100 + 8 * shmem_my_pe()));
  shmem_free(part);
  shmem_finalize();
}
