/* 5.4 MULTIPLE: several threads of every PE use everything that is not collective at the same time: transfers of all
 * sizes, AMOs, signals, waits, contexts, fence, quiet, locks held by one thread per PE. Nothing is lost or mixed up. */
#include "../check.h"

#include <pthread.h>

enum { kThreads = 4, kTimes = 400, kWords = 300, kMostPes = 16 };
static long counters[8];                       /* on PE 0: added to by everybody */
static long slots[kMostPes][kThreads][kWords]; /* slots[p][t] of a PE is written by thread t of PE p */
static uint64_t signals[kMostPes][kThreads];   /* likewise */
static long ping[kMostPes][kThreads];
static uint32_t narrow;
static double swapped;

static void* worker(void* number) {
  const int t = *(int*)number;
  const int to = check_right(1 + t), from = check_right(-1 - t);
  long mine[kWords], got[kWords];
  shmem_ctx_t ctx;
  int i, k;
  if (shmem_ctx_create(t % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx) != 0) {
    check_fail(__FILE__, __LINE__, "ctx_create", "thread %d", t);
    return NULL;
  }
  for (i = 1; i <= kTimes; ++i) {
    const size_t n = (size_t)(1 + (i * 37) % kWords);
    for (k = 0; k < kWords; ++k) mine[k] = ((long)check_me * kThreads + t) * 1000000L + i * 1000L + k;
    switch (i % 4) {
      case 0: shmem_long_put(slots[check_me][t], mine, n, to); break;
      case 1: shmem_ctx_long_put_nbi(ctx, slots[check_me][t], mine, n, to); break;
      case 2: shmem_putmem_nbi(slots[check_me][t], mine, n * sizeof(long), to); break;
      default: shmem_ctx_long_put(ctx, slots[check_me][t], mine, n, to); break;
    }
    if (i % 2)
      shmem_ctx_quiet(ctx);
    else
      shmem_quiet();
    if (i % 4 == 2) shmem_quiet();
    shmem_long_get(got, slots[check_me][t], n, to);
    if (memcmp(got, mine, n * sizeof(long)) != 0) {
      check_fail(__FILE__, __LINE__, "what was put is got", "thread %d, round %d, %zu words", t, i, n);
      break;
    }
    shmem_long_atomic_inc(&counters[0], 0);
    shmem_ctx_long_atomic_add(ctx, &counters[1], 3, 0);
    shmem_long_atomic_fetch_add(&counters[2], -1, 0);
    shmem_uint32_atomic_xor(&narrow, 1u << (t % 32), 0);
    shmem_double_atomic_swap(&swapped, (double)i, 0);
    if (i % 16 == 0) {
      shmem_ctx_t extra = SHMEM_CTX_INVALID;
      CHECK_EQ(shmem_ctx_create(0, &extra), 0, "ctx_create by thread %d", t);
      shmem_ctx_long_atomic_inc(extra, &counters[3], 0);
      shmem_ctx_destroy(extra);
    }
    /* data with a signal to the peer's thread of the same number, and wait for ours */
    shmem_long_put_signal(&ping[check_me][t], &mine[0], 1, &signals[check_me][t], (uint64_t)i, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(&signals[from][t], SHMEM_CMP_GE, (uint64_t)i);
    if (ping[from][t] < ((long)from * kThreads + t) * 1000000L + i * 1000L) {
      check_fail(__FILE__, __LINE__, "data before its signal", "thread %d, round %d: %ld", t, i, ping[from][t]);
      break;
    }
  }
  shmem_ctx_destroy(ctx);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads], provided = -1, t;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided == SHMEM_THREAD_MULTIPLE && check_n <= kMostPes, "provided %d, %d PEs", provided, check_n);
  shmem_barrier_all();
  STEP("threads at work");
  for (t = 0; t < kThreads; ++t) {
    numbers[t] = t;
    REQUIRE(pthread_create(&threads[t], NULL, worker, &numbers[t]) == 0, "pthread_create");
  }
  for (t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  shmem_barrier_all();
  if (check_me == 0) {
    const long all = (long)check_n * kThreads * kTimes;
    CHECK_EQ(counters[0], all, "atomic_inc");
    CHECK_EQ(counters[1], 3 * all, "atomic_add by context");
    CHECK_EQ(counters[2], -all, "fetch_add");
    CHECK_EQ(counters[3], all / 16, "through short-lived contexts");
    CHECK_EQ(narrow, 0, "an even number of flips of each bit");
    CHECK(swapped == kTimes || (swapped >= 1 && swapped <= kTimes), "swap gave %g", swapped);
  }
  return check_end();
}
