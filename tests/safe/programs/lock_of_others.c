/* A lock that is cleared by who did not set it.
 *
 *   weft: PE 1: shmem_clear_lock: the lock at 0x... is not held by this PE; only the PE that has set a lock may clear it (called in main at lock_of_others.c:13)
 */
#include <shmem.h>

static long lock;

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) shmem_clear_lock(&lock);
  shmem_barrier_all();
  shmem_finalize();
}
