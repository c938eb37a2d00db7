// A little of everything: a block of the heap, puts to each neighbour, waits, a lock, barriers, a reduction, a team;
// and a child, whose static data is its own: where that cannot be it ends with a line, and this PE with 4.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long lock;
static long source = 1, sum;
static volatile long of_parent = 1;

static int child_is_well(void) {
  const pid_t child = fork();
  if (child == 0) {
    of_parent = 2;
    _exit(of_parent == 2 ? 0 : 1);
  }
  int status = -1;
  return child < 0 || (waitpid(child, &status, 0) == child && status == 0 && of_parent == 1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  long* block = shmem_malloc(4096 * sizeof *block);
  long* flag = shmem_calloc(2, sizeof *flag);
  if (block == NULL || flag == NULL) {
    fprintf(stderr, "PE %d: no memory\n", me);
    shmem_global_exit(3);
  }
  long mine[4096];
  for (int k = 0; k < 4096; ++k) mine[k] = me;
  shmem_long_put(block, mine, 4096, (me + 1) % n);
  shmem_long_atomic_inc(flag, (me + 1) % n);
  shmem_quiet();
  shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
  int wrong = block[4095] != (me + n - 1) % n;
  shmem_set_lock(&lock);
  shmem_long_p(flag + 1, shmem_long_g(flag + 1, 0) + 1, 0);
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  wrong |= shmem_long_g(flag + 1, 0) != n;
  wrong |= shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &source, 1) != 0 || sum != n;
  shmem_team_t half = SHMEM_TEAM_INVALID;
  wrong |= shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &half) != 0;
  if (half != SHMEM_TEAM_INVALID) {
    shmem_team_sync(half);
    shmem_team_destroy(half);
  }
  shmem_free(flag);
  shmem_free(block);
  if (!child_is_well()) {
    fprintf(stderr, "PE %d: its child did not end well%s\n", me, of_parent == 1 ? "" : ", and has changed its parent");
    shmem_global_exit(of_parent == 1 ? 4 : 5);
  }
  if (me == 0 && !wrong) printf("transfers: all is right\n");
  shmem_finalize();
  return wrong;
}
