/* A barrier that one PE leaves out, and is at the end before the others.
 *
 *   weft: PE 1: shmem_finalize: PE 0 calls shmem_barrier_all where this PE calls shmem_finalize; all PEs of the set make the same collective calls in the same order (called in main at missing_barrier.c:11)
 *       PE 0: shmem_barrier_all in main at missing_barrier.c:10
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  if (shmem_my_pe() != 1) shmem_barrier_all();
  shmem_finalize();
}
