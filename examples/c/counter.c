/* Two ways for all PEs to count together: an atomic operation, and a lock around ordinary code.
 *
 *   oshcc -std=c11 counter.c -o counter && oshrun -n 4 ./counter
 *
 * Shows: atomics with the C11 names that know the type by themselves, and a distributed lock.
 */
#include <shmem.h>
#include <stdio.h>

#define ROUNDS 1000

static long by_atomic = 0; /* the copies of PE 0 are the counters */
static long by_lock = 0;
static long lock = 0; /* a lock is any symmetric long that starts at 0 */

int main(void) {
  shmem_init();
  int me = shmem_my_pe();
  int n = shmem_n_pes();

  for (int i = 0; i < ROUNDS; i++) {
    shmem_atomic_inc(&by_atomic, 0);

    shmem_set_lock(&lock);
    long value = shmem_g(&by_lock, 0);
    shmem_p(&by_lock, value + 1, 0);
    shmem_quiet(); /* the next holder must see it */
    shmem_clear_lock(&lock);
  }

  shmem_barrier_all();
  if (me == 0) {
    int right = by_atomic == (long)n * ROUNDS && by_lock == (long)n * ROUNDS;
    if (right) {
      printf("both counters are right\n");
    } else {
      printf("counted %ld and %ld instead of %ld\n", by_atomic, by_lock, (long)n * ROUNDS);
    }
  }

  shmem_finalize();
  return 0;
}
