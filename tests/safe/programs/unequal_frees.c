/* Blocks that are freed in another order on each PE.
 *
 *   weft: PE 1: shmem_free: this PE gives the block of 64 bytes that shmem_malloc gave in main at unequal_frees.c:11, and PE 0 the block of 32 bytes that shmem_malloc gave in main at unequal_frees.c:10; all PEs must give the same (called in main at unequal_frees.c:12)
 *       PE 0: shmem_free in main at unequal_frees.c:12
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  void* a = shmem_malloc(32);
  void* b = shmem_malloc(64);
  shmem_free(shmem_my_pe() == 0 ? a : b);
  shmem_free(shmem_my_pe() == 0 ? b : a);
  shmem_finalize();
}
