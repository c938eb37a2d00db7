/* 5.4 MULTIPLE: threads run collectives of all kinds on the active set of all PEs, each thread with pSync arrays of its
 * own, all at the same time. Each PE uses the arrays for the first time in another order, and there are many; a part of
 * the calls is made again after all have ended, with one array for all kinds. */
#include "../check.h"

#include <pthread.h>

enum { kThreads = 3, kArrays = 24, kRounds = 2, kMostPes = 16, kWords = 20 };
static long psync[kThreads][kArrays][SHMEM_SYNC_SIZE];
static long work[kThreads][SHMEM_REDUCE_MIN_WRKDATA_SIZE + kWords];
static long source[kThreads][kMostPes * kWords], dest[kThreads][kMostPes * kWords];

#define EACH(K, LIMIT) for (int K = 0; K < (LIMIT); ++K)

static long value_of(int t, int round, int pe, int word) { return 100000L * round + 10000 * t + 100 * pe + word; }

/* Five calls with one array, which is free between them: each is behind a barrier with another one. */
static void calls(int t, int round, long* array, long* between) {
  const int n = check_n, root = round % n, words = 1 + round % kWords;
  long* const d = dest[t];
  long* const s = source[t];
  long sum = 0;
  EACH(w, n * kWords) s[w] = value_of(t, round, check_me, w % kWords);
  EACH(k, n) sum += value_of(t, round, k, 0);

  shmem_broadcast64(d, s, (size_t)words, root, 0, 0, n, array);
  if (check_me != root) EACH(w, words) CHECK_EQ(d[w], value_of(t, round, root, w), "thread %d, broadcast %d", t, round);
  shmem_barrier(0, 0, n, between);

  shmem_long_sum_to_all(d, s, words, 0, 0, n, work[t], array);
  EACH(w, words) CHECK_EQ(d[w], sum + (long)n * w, "thread %d, sum %d", t, round);
  shmem_sync(0, 0, n, between);

  shmem_fcollect64(d, s, (size_t)words, 0, 0, n, array);
  EACH(k, n) EACH(w, words) CHECK_EQ(d[k * words + w], value_of(t, round, k, w), "thread %d, fcollect %d", t, round);
  shmem_sync(0, 0, n, between);

  shmem_collect64(d, s, (size_t)(check_me % 2 ? 0 : words), 0, 0, n, array);
  EACH(k, (n + 1) / 2)
  EACH(w, words) CHECK_EQ(d[k * words + w], value_of(t, round, 2 * k, w), "thread %d, collect %d", t, round);
  shmem_barrier(0, 0, n, between);

  EACH(k, n) s[k] = value_of(t, round, check_me, k);
  shmem_alltoall64(d, s, 1, 0, 0, n, array);
  EACH(k, n) CHECK_EQ(d[k], value_of(t, round, k, check_me), "thread %d, alltoall %d", t, round);
  shmem_sync(0, 0, n, between);
}

static void* worker(void* number) {
  const int t = *(int*)number;
  EACH(round, kRounds) EACH(a, kArrays - 1) calls(t, round * kArrays + a, psync[t][a], psync[t][kArrays - 1]);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads], provided = -1;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided == SHMEM_THREAD_MULTIPLE && check_n <= kMostPes, "provided %d, %d PEs", provided, check_n);
  EACH(t, kThreads) EACH(a, kArrays) EACH(w, SHMEM_SYNC_SIZE) psync[t][a][w] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  STEP("threads at work");
  EACH(k, kThreads) {
    const int t = (k + check_me) % kThreads;
    numbers[t] = t;
    REQUIRE(pthread_create(&threads[t], NULL, worker, &numbers[t]) == 0, "pthread_create");
  }
  EACH(t, kThreads) pthread_join(threads[t], NULL);
  STEP("arrays of other threads");
  EACH(round, 3) calls(0, round, psync[1][0], psync[2][1]);
  EACH(t, kThreads)
  EACH(a, kArrays)
  EACH(w, SHMEM_SYNC_SIZE) CHECK_EQ(psync[t][a][w], SHMEM_SYNC_VALUE, "array %d of thread %d, word %d", a, t, w);
  return check_end();
}
