/* A sum over all PEs runs while each PE computes something else.
 *
 *   oshcc overlap.c -o overlap && oshrun -n 4 ./overlap
 *
 * Shows: a non-blocking collective. It is Weft's own extension (shmemx.h); OpenSHMEM 1.6 has none.
 */
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

enum { kCount = 100000 };

static double mine[kCount], sum[kCount];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  for (int i = 0; i < kCount; ++i) mine[i] = me + i;

  shmemx_req_t request;
  shmem_sync_all(); /* every PE's `sum` is ready */
  if (shmemx_double_sum_reduce_nb(SHMEM_TEAM_WORLD, sum, mine, kCount, &request) != 0) shmem_global_exit(1);

  double pi = 0;
  for (int i = 0; i < 1000000; ++i) {
    pi += (i % 2 == 0 ? 4.0 : -4.0) / (2 * i + 1);
    if (i % 100000 == 0) shmemx_req_test(&request); /* a look now and then lets the sum go on */
  }
  shmemx_req_wait(&request); /* returns at once if a look has found it complete */

  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += sum[i] != n * (n - 1) / 2.0 + (double)n * i;
  if (me == 0) printf("%d of %d sums are wrong; meanwhile pi became %.5f\n", wrong, (int)kCount, pi);
  shmem_finalize();
  return wrong != 0;
}
