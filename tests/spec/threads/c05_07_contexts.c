/* 5.7 A context is shareable unless said otherwise: any thread uses it, also at once. SERIALIZED: any thread, one at a
 * time. PRIVATE: the thread that created it uses and destroys it. */
#include "../check.h"

#include <pthread.h>

enum { kThreads = 4, kTimes = 500 };
static long shared_sum, serial_sum, private_sum, nostore_sum;
static shmem_ctx_t shareable, serialized;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* number) {
  shmem_ctx_t own = SHMEM_CTX_INVALID, nostore = SHMEM_CTX_INVALID;
  int i;
  CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE, &own), 0, "private context of thread %d", *(int*)number);
  CHECK_EQ(shmem_ctx_create(SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &nostore), 0, "private nostore context");
  if (own == SHMEM_CTX_INVALID || nostore == SHMEM_CTX_INVALID) return NULL;
  for (i = 0; i < kTimes; ++i) {
    const int to = (check_me + i) % check_n;
    shmem_ctx_long_atomic_inc(shareable, &shared_sum, to);
    shmem_ctx_long_atomic_inc(own, &private_sum, to);
    shmem_ctx_long_atomic_inc(nostore, &nostore_sum, to);
    if (i % 8 == 0) {
      pthread_mutex_lock(&one_at_a_time);
      shmem_ctx_long_atomic_add(serialized, &serial_sum, 8, to);
      if (i % 64 == 0) shmem_ctx_quiet(serialized);
      pthread_mutex_unlock(&one_at_a_time);
    }
    if (i % 50 == 0) {
      shmem_ctx_quiet(shareable);
      shmem_ctx_fence(own);
    }
  }
  shmem_ctx_quiet(shareable);
  shmem_ctx_destroy(own); /* completes it */
  shmem_ctx_destroy(nostore);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads], provided = -1, t, pe;
  long sums[4] = {0, 0, 0, 0};
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(shmem_ctx_create(0, &shareable) == 0, "ctx_create");
  REQUIRE(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &serialized) == 0, "ctx_create SERIALIZED");
  shmem_barrier_all();
  for (t = 0; t < kThreads; ++t) {
    numbers[t] = t;
    REQUIRE(pthread_create(&threads[t], NULL, worker, &numbers[t]) == 0, "pthread_create");
  }
  for (t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  shmem_ctx_quiet(serialized);
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    sums[0] += shmem_long_g(&shared_sum, pe);
    sums[1] += shmem_long_g(&private_sum, pe);
    sums[2] += shmem_long_g(&nostore_sum, pe);
    sums[3] += shmem_long_g(&serial_sum, pe);
  }
  CHECK_EQ(sums[0], (long)check_n * kThreads * kTimes, "through a shareable context");
  CHECK_EQ(sums[1], (long)check_n * kThreads * kTimes, "through private contexts");
  CHECK_EQ(sums[2], (long)check_n * kThreads * kTimes, "through private nostore contexts");
  CHECK_EQ(sums[3], (long)check_n * kThreads * ((kTimes + 7) / 8) * 8, "through a serialized context");
  shmem_ctx_destroy(serialized);
  shmem_ctx_destroy(shareable);
  return check_end();
}
