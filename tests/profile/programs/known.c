/* Calls whose numbers and bytes profile_test.py knows. Compiled with -O2, so that the small ones have inline bodies. */
#include <shmem.h>
#include <unistd.h>

#define ROUNDS 10

static long flag, counter, lock;
static double sum[4], mine[4];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  long* const heap = shmem_malloc(1000 * sizeof(long));
  long here[1000] = {0};

  for (int k = 0; k < ROUNDS; ++k) {
    shmem_long_p(heap + k, k, next);        /* 8 bytes */
    shmem_long_put(heap, here, 100, next);  /* 800 bytes */
    shmem_putmem_nbi(heap, here, 3, 0);     /* 3 bytes, all to PE 0 */
    here[k] = shmem_long_g(heap, next);     /* 8 bytes */
    shmem_long_get(here, heap, 1000, next); /* 8000 bytes */
    shmem_long_atomic_add(&counter, 1, 0);
  }
  shmem_quiet();
  shmem_barrier_all();

  if (me == n - 1) usleep(50000); /* the last PE comes last to this one */
  shmem_barrier_all();

  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sum, mine, 4); /* 32 bytes */
  shmem_long_atomic_set(&flag, 1, next);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_set_lock(&lock);
  shmem_clear_lock(&lock);

  /* The same PE under another number. */
  shmem_team_t odd = SHMEM_TEAM_INVALID;
  if (n > 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, n / 2, NULL, 0, &odd);
  if (odd != SHMEM_TEAM_INVALID) {
    shmem_ctx_t ctx;
    if (shmem_team_create_ctx(odd, 0, &ctx) == 0) {
      shmem_ctx_long_put(ctx, heap, here, 5, 0); /* 40 bytes to PE 1 */
      shmem_ctx_quiet(ctx);
      shmem_ctx_destroy(ctx);
    }
    shmem_team_sync(odd);
    shmem_team_destroy(odd);
  }

  shmem_pcontrol(0);
  shmem_long_put(heap, here, 100, next); /* not counted */
  shmem_pcontrol(1);
  shmem_free(heap);
  shmem_finalize();
  return counter == 0 && me == 0;
}
