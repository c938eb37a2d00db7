/* A healthy job that is always busy with everything that PEs wait for, until a file appears:
 *   busy STOP
 * Nothing in it can deadlock: locks are never nested, and all PEs make the same collective calls. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long lock_a, lock_b, counter;
static int token;
static int ready[8];
static long source[64], dest[64];
static long psync[SHMEM_REDUCE_SYNC_SIZE];
static int stop;

static void locked(long* lock) {
  shmem_set_lock(lock);
  shmem_atomic_inc(&counter, 0);
  shmem_clear_lock(lock);
}

/* A token goes round, and comes back to PE 0. */
static void ring(int me, int n, int round) {
  if (me > 0) shmem_wait_until(&token, SHMEM_CMP_GE, round);
  shmem_int_p(&token, round, (me + 1) % n);
  if (me == 0) shmem_wait_until(&token, SHMEM_CMP_GE, round);
}

/* Each PE waits for its eight left neighbours. */
static void neighbours(int me, int n, int round) {
  for (int k = 0; k < 8; ++k) shmem_int_p(&ready[k], round, (me + k + 1) % n);
  shmem_int_wait_until_all(ready, 8, NULL, SHMEM_CMP_GE, round);
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  shmem_team_t half;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, (n + 1 - me % 2) / 2, NULL, 0, &half);
  for (int k = 0; k < SHMEM_REDUCE_SYNC_SIZE; ++k) psync[k] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  if (me == 0) printf("busy\n"), fflush(stdout);
  for (int round = 1; !stop; ++round) {
    locked(round % 2 ? &lock_a : &lock_b);
    shmem_long_sum_reduce(half, dest, source, 64);
    ring(me, n, round);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 64, round % n);
    neighbours(me, n, round);
    if (me % 4 == 0) usleep((unsigned)(rand() % 300));
    locked(&lock_a);
    shmem_team_sync(half);
    if (me < n / 2) shmem_barrier(0, 0, n / 2, psync);
    if (me == 0) stop = argc > 1 && access(argv[1], F_OK) == 0;
    shmem_int_broadcast(SHMEM_TEAM_WORLD, &stop, &stop, 1, 0);
    shmem_barrier_all();
  }
  shmem_team_destroy(half);
  shmem_finalize();
  return 0;
}
