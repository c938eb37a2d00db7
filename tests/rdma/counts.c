/* Every PE adds to one word of PE 0, where PEs of that node do so by a processor and the others by the network: once
 * with atomic operations, once plainly under a lock. Unlike mixed.c's, no update may be lost. */
#include <shmem.h>
#include <stdio.h>

enum { kAdds = 200, kHolds = 30 };

static long g_atomic, g_plain, g_lock;

static int told(const char* by, long found, long expected) {
  if (found == expected)
    printf("%s: nothing was lost\n", by);
  else
    printf("%s: %ld of %ld updates are lost\n", by, expected - found, expected);
  return found != expected;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_barrier_all();
  for (int k = 0; k < kAdds; ++k) {
    if (k % 2)
      shmem_long_atomic_inc(&g_atomic, 0);
    else
      (void)shmem_long_atomic_fetch_inc(&g_atomic, 0);
  }
  shmem_barrier_all();
  for (int k = 0; k < kHolds; ++k) {
    shmem_set_lock(&g_lock);
    shmem_long_p(&g_plain, shmem_long_g(&g_plain, 0) + 1, 0);
    shmem_clear_lock(&g_lock);
  }
  shmem_barrier_all();
  int lost = 0;
  if (me == 0) {
    lost = told("atomic operations", g_atomic, (long)n * kAdds);
    lost |= told("locks", g_plain, (long)n * kHolds);
  }
  shmem_finalize();
  return lost;
}
