/* Calls that are inlined, and some that are not: a tool has to see each. */
#include <shmem.h>

static long word, sum, words[2];
static double numbers[2];

int main(void) {
  int me, to;
  shmem_init();
  me = shmem_my_pe();
  to = (me + 1) % shmem_n_pes();
  for (int k = 0; k < 3; ++k) shmem_long_p(&word, k, to);
  shmem_fence();
  shmem_double_put(numbers, (double[]){1, 2}, 2, to);
  shmem_putmem(words, &me, sizeof me, to);
  shmem_quiet();
  (void)shmem_long_atomic_fetch_add(&words[1], 1, to);
  shmem_quiet();
  void* block = shmem_malloc(100);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &word, 1);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
