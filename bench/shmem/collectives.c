/* Collective operations of all PEs, by the calls of OpenSHMEM 1.4, one after another with a barrier after every
 * AT_A_TIME: broadcast64, long_sum_to_all, fcollect64, alltoall64 of 8 bytes, 1 KiB, 64 KiB and 1 MiB (fcollect and
 * alltoall: for each PE, as far as all PEs' fit in LARGEST).
 *
 *   collectives [--repetitions N] [--ms T] */
#include "common.h"

#define AT_A_TIME 16 /* calls that use a pSync array each */
#define LARGEST ((size_t)8 << 20)
#define WORK (((size_t)1 << 20) / 16 + 2 * SHMEM_REDUCE_MIN_WRKDATA_SIZE) /* longs of a pWrk array for 1 MiB */

enum { PSYNC = SHMEM_ALLTOALL_SYNC_SIZE > SHMEM_REDUCE_SYNC_SIZE ? SHMEM_ALLTOALL_SYNC_SIZE : SHMEM_REDUCE_SYNC_SIZE };
static long (*psync)[PSYNC], (*psync_broadcast)[SHMEM_BCAST_SYNC_SIZE], (*psync_collect)[SHMEM_COLLECT_SYNC_SIZE];
static long *source, *dest, *pwrk;

#define ROUNDS(NAME, CALL)                            \
  static void NAME(const void* what, long count) {    \
    const size_t words = *(const size_t*)what;        \
    for (long k = 0; k < count; k++) {                \
      const int turn = (int)(k % AT_A_TIME);          \
      CALL;                                           \
      if (turn == AT_A_TIME - 1) shmem_barrier_all(); \
    }                                                 \
    if (count % AT_A_TIME != 0) shmem_barrier_all();  \
  }

ROUNDS(broadcasts, shmem_broadcast64(dest, source, words, 0, 0, 0, n_pes, psync_broadcast[turn]))
ROUNDS(sums, shmem_long_sum_to_all(dest, source, (int)words, 0, 0, n_pes, pwrk + (size_t)turn * WORK, psync[turn]))
ROUNDS(fcollects, shmem_fcollect64(dest, source, words, 0, 0, n_pes, psync_collect[turn]))
ROUNDS(alltoalls, shmem_alltoall64(dest, source, words, 0, 0, n_pes, psync[turn]))

static void* new_psync(size_t words) {
  long* array = new_words(words);
  for (size_t k = 0; k < words; k++) array[k] = SHMEM_SYNC_VALUE;
  return array;
}

int main(int argc, char** argv) {
  struct plan plan;
  char name[32];
  (void)start(argc, argv, &plan);
  source = shmem_malloc(LARGEST);
  dest = shmem_malloc(LARGEST);
  pwrk = shmem_malloc(WORK * AT_A_TIME * sizeof(long));
  if (!source || !dest || !pwrk) shmem_global_exit(1);
  psync = new_psync((size_t)AT_A_TIME * PSYNC);
  psync_broadcast = new_psync((size_t)AT_A_TIME * SHMEM_BCAST_SYNC_SIZE);
  psync_collect = new_psync((size_t)AT_A_TIME * SHMEM_COLLECT_SYNC_SIZE);
  memset(source, 1, LARGEST);
  memset(dest, 2, LARGEST);
  shmem_barrier_all();
  static const size_t chosen[] = {0, 2, 5, 7};
  for (size_t k = 0; k < sizeof chosen / sizeof chosen[0]; k++) {
    const struct block_size size = block_sizes[chosen[k]];
    const size_t words = size.bytes / sizeof(long);
    measure_together(name_with(name, sizeof name, "broadcast", size.text), "heap", &plan, broadcasts, &words);
    measure_together(name_with(name, sizeof name, "sum", size.text), "heap", &plan, sums, &words);
    if (size.bytes * (size_t)n_pes > LARGEST) continue;
    measure_together(name_with(name, sizeof name, "fcollect", size.text), "heap", &plan, fcollects, &words);
    measure_together(name_with(name, sizeof name, "alltoall", size.text), "heap", &plan, alltoalls, &words);
  }
  shmem_finalize();
  return 0;
}
