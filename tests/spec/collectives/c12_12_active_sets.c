/* Points 12.12 and 12.14: active sets. Every triplet there is; only members call; pSync is as before on return; barrier
 * and sync may use one pSync again at once; overlapping sets with a pSync each are under way at the same time; pWrk has
 * its smallest size and nothing behind it changes. */
#include "check.h"

enum { kMostPes = 16, kSets = 3, kBehind = 8 };

static long g_sync[SHMEM_BARRIER_SYNC_SIZE];
static long g_psync[2][SHMEM_SYNC_SIZE];
static long g_of_set[kSets][SHMEM_SYNC_SIZE], g_sync_of_set[kSets][SHMEM_BARRIER_SYNC_SIZE];
static long g_work_of_set[kSets][SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long g_source[40], g_dest[40 * kMostPes];
static long g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + kBehind];
static long g_arrived;

static int number(int start, int log_stride, int size) {
  const int stride = 1 << log_stride;
  const int k = check_me < start ? -1 : (check_me - start) / stride;
  return k >= 0 && k < size && start + k * stride == check_me ? k : -1;
}

static void set_all(long* psync, int n) {
  for (int i = 0; i < n; ++i) psync[i] = SHMEM_SYNC_VALUE;
}
static void check_all(const long* psync, int n, const char* what) {
  for (int i = 0; i < n; ++i) {
    if (psync[i] != SHMEM_SYNC_VALUE) {
      CHECK_EQ(psync[i], SHMEM_SYNC_VALUE, "pSync after %s, word %d", what, i);
      return;
    }
  }
}

/* nreduce 40 and SHMEM_REDUCE_MIN_WRKDATA_SIZE elements of pWrk. */
static void one_set(int start, int log_stride, int size) {
  const int me = number(start, log_stride, size);
  const long first = start, step = 1L << log_stride, sum = size * first + step * size * (size - 1) / 2;
  if (me < 0) return;
  for (int i = 0; i < 40; ++i) g_source[i] = check_me + i;
  for (int i = 0; i < kBehind; ++i) g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + i] = -3;
  shmem_sync(start, log_stride, size, g_sync);
  shmem_long_sum_to_all(g_dest, g_source, 40, start, log_stride, size, g_work, g_psync[0]);
  check_all(g_psync[0], SHMEM_REDUCE_SYNC_SIZE, "sum_to_all");
  for (int i = 0; i < 40; ++i) CHECK_EQ(g_dest[i], sum + i * size, "sum over %d %d %d", start, log_stride, size);
  for (int i = 0; i < kBehind; ++i) CHECK_EQ(g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + i], -3, "behind pWrk");
  shmem_sync(start, log_stride, size, g_sync);
  shmem_fcollect64(g_dest, g_source, 1, start, log_stride, size, g_psync[1]);
  check_all(g_psync[1], SHMEM_COLLECT_SYNC_SIZE, "fcollect64");
  for (int k = 0; k < size; ++k)
    CHECK_EQ(g_dest[k], first + k * step, "fcollect over %d %d %d", start, log_stride, size);
  shmem_barrier(start, log_stride, size, g_sync);
  check_all(g_psync[0], SHMEM_SYNC_SIZE, "all");
}

static void every_set(void) {
  for (int log_stride = 0; (1 << log_stride) < 2 * check_n; ++log_stride)
    for (int start = 0; start < check_n; ++start)
      for (int size = 1; start + (size - 1) * (1 << log_stride) < check_n; ++size) {
        one_set(start, log_stride, size);
        shmem_barrier_all(); /* the next set has the same arrays */
      }
  shmem_barrier_all();
  check_all(g_sync, SHMEM_BARRIER_SYNC_SIZE, "barriers of all sets");
  shmem_barrier_all();
}

/* Who comes out of number r has seen everybody come to it. */
static void again_and_again(void) {
  for (long r = 1; r <= 500; ++r) {
    __atomic_store_n(&g_arrived, r, __ATOMIC_RELAXED);
    if (r % 2)
      shmem_sync(0, 0, check_n, g_sync);
    else
      shmem_barrier(0, 0, check_n, g_sync);
    const long theirs = shmem_long_atomic_fetch(&g_arrived, check_right((int)r));
    CHECK(theirs == r || theirs == r + 1, "at number %ld another PE is at %ld", r, theirs);
  }
  shmem_barrier_all();
  check_all(g_sync, SHMEM_BARRIER_SYNC_SIZE, "500 barriers");
}

/* Three sets that share PEs, without any order between them but each PE's own. */
static void overlapping(void) {
  const int sets[kSets][3] = {{0, 0, check_n}, {0, 1, (check_n + 1) / 2}, {check_n / 2, 0, check_n - check_n / 2}};
  for (int round = 0; round < 100; ++round)
    for (int s = 0; s < kSets; ++s) {
      const int* const set = sets[s];
      const int me = number(set[0], set[1], set[2]);
      if (me < 0) continue;
      g_source[s] = round * 100 + me;
      shmem_long_max_to_all(&g_dest[s + kSets * (round % 2)], &g_source[s], 1, set[0], set[1], set[2], g_work_of_set[s],
                            g_of_set[s]);
      CHECK_EQ(g_dest[s + kSets * (round % 2)], round * 100 + set[2] - 1, "set %d, round %d", s, round);
      check_all(g_of_set[s], SHMEM_REDUCE_SYNC_SIZE, "max_to_all");
      shmem_sync(set[0], set[1], set[2], g_sync_of_set[s]); /* what the set has may be used again */
    }
  shmem_barrier_all();
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "%d PEs are more than this test has room for", check_n);
  set_all(g_sync, SHMEM_BARRIER_SYNC_SIZE);
  for (int k = 0; k < 2; ++k) set_all(g_psync[k], SHMEM_SYNC_SIZE);
  for (int k = 0; k < kSets; ++k) {
    set_all(g_of_set[k], SHMEM_SYNC_SIZE);
    set_all(g_sync_of_set[k], SHMEM_BARRIER_SYNC_SIZE);
  }
  shmem_barrier_all();
  every_set();
  again_and_again();
  overlapping();
  return check_end();
}
