/* A lock in memory from shmem_malloc that nobody has set to 0.
 *
 *   weft: PE 0: shmem_set_lock: the lock at 0x... is 99 on PE 0; set it to 0 on all PEs before its first use (called in main at dirty_lock.c:17)
 */
#include <shmem.h>

static long sum;

int main(void) {
  shmem_init();
  long* old = shmem_malloc(sizeof *old);
  *old = 99; /* what was there before */
  long* lock = shmem_malloc(sizeof *lock);
  *lock = *old;
  shmem_barrier_all();

  shmem_set_lock(lock);
  shmem_long_atomic_add(&sum, 1, 0);
  shmem_clear_lock(lock);
  shmem_free(lock);
  shmem_free(old);
  shmem_finalize();
}
