/* One of several programs of a job: compiled twice, with static data of different sizes.
 *   mixed heap          what works between different programs
 *   mixed put|... PE    PE 0 does that to a static variable of that PE */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long before[PADDING];
static long value = 7;
static long psync[SHMEM_BARRIER_SYNC_SIZE];

static int heap(int me, int n) {
  long* all = shmem_malloc((size_t)n * sizeof *all);
  long* sum = shmem_malloc(sizeof *sum);
  long* lock = shmem_calloc(1, sizeof *lock);
  for (int pe = 0; pe < n; ++pe) shmem_long_p(&all[me], 100 + me, pe);
  shmem_barrier_all();
  int wrong = 0;
  for (int pe = 0; pe < n; ++pe) wrong += all[pe] != 100 + pe;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, &all[me], 1);
  wrong += *sum != 100L * n + (long)n * (n - 1) / 2;
  shmem_set_lock(lock);
  shmem_clear_lock(lock);
  int reachable = 0;
  for (int pe = 0; pe < n; ++pe) {
    reachable += shmem_addr_accessible(&value, pe);
    wrong += (shmem_ptr(&value, pe) != NULL) != shmem_addr_accessible(&value, pe);
    wrong += shmem_ptr(all, pe) == NULL;
    if (shmem_addr_accessible(&value, pe)) shmem_long_atomic_add(&value, 1, pe);
  }
  shmem_barrier_all();
  wrong += value != 7 + reachable || before[0] != 0 || before[PADDING - 1] != 0;
  printf("%s: PE %d of %d, statics of %d PEs, %s\n", NAME, me, n, reachable, wrong ? "wrong" : "right");
  shmem_finalize();
  return wrong != 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  if (strcmp(argv[1], "heap") == 0) return heap(me, n);
  if (argc < 3) return 2;
  if (me == 0) {
    const int pe = atoi(argv[2]);
    if (strcmp(argv[1], "put") == 0) shmem_long_p(&value, 1, pe);
    if (strcmp(argv[1], "library-put") == 0) pshmem_long_put(&value, before, 1, pe);
    if (strcmp(argv[1], "get") == 0) before[0] = shmem_long_g(&value, pe);
    if (strcmp(argv[1], "atomic") == 0) shmem_long_atomic_inc(&value, pe);
  }
  if (strcmp(argv[1], "psync") == 0 && me % 2 == 0) shmem_barrier(0, 1, (n + 1) / 2, psync);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
