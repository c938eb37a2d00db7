/* A lock that is set by who holds it.
 *
 *   weft: PE 0: shmem_set_lock: this PE holds the lock at 0x... already and would wait for itself (called in add at locked_twice.c:11)
 *       it was set by shmem_set_lock in main at locked_twice.c:18
 */
#include <shmem.h>

static long lock, sum;

static __attribute__((noinline)) void add(long value) {
  shmem_set_lock(&lock);
  shmem_long_atomic_add(&sum, value, 0);
  shmem_clear_lock(&lock);
}

int main(void) {
  shmem_init();
  shmem_set_lock(&lock);
  add(1);
  shmem_clear_lock(&lock);
  shmem_finalize();
}
