/* A lock that is held at the end, after a way out of a loop that forgot it.
 *
 *   weft: PE 0: shmem_finalize: the lock at 0x... is still held at the end; whoever waits for it waits for ever (called in main at lock_kept.c:21)
 *       it was set by shmem_set_lock in find at lock_kept.c:11
 */
#include <shmem.h>

static long lock, table[4];

static __attribute__((noinline)) int find(long value) {
  shmem_set_lock(&lock);
  for (int k = 0; k < 4; ++k)
    if (table[k] == value) return k;
  shmem_clear_lock(&lock);
  return -1;
}

int main(void) {
  shmem_init();
  const int found = shmem_my_pe() == 0 ? find(0) : 0;
  shmem_finalize();
  return found;
}
