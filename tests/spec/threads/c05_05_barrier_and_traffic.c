/* 5.5 One thread of each PE runs barriers while the others communicate; the barrier is not disturbed, and it completes
 * what its own PE had issued before. */
#include "../check.h"

#include <pthread.h>

enum { kBarriers = 300 };
static long stop, traffic, stamp[64], early;

static void* chatter(void* unused) {
  long i = 0;
  (void)unused;
  /* the barriers may be over before this thread ever ran: some rounds in any case */
  while (i < 100 || !__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    shmem_long_atomic_inc(&traffic, (int)(i++ % check_n));
    if (i % 64 == 0) sched_yield(); /* more threads than cores is the rule here */
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int provided = -1, i, t, pe;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  for (t = 0; t < 2; ++t) REQUIRE(pthread_create(&threads[t], NULL, chatter, NULL) == 0, "pthread_create");
  STEP("barriers beside traffic");
  for (i = 1; i <= kBarriers; ++i) {
    for (pe = 0; pe < check_n; ++pe) shmem_long_p(&stamp[check_me], i, pe);
    if (i % 2)
      shmem_barrier_all();
    else {
      shmem_quiet();
      shmem_sync_all();
    }
    for (pe = 0; pe < check_n; ++pe) {
      if (stamp[pe] != i) ++early;
    }
    shmem_barrier_all();
  }
  CHECK_EQ(early, 0, "stamps missing after a barrier");
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  for (t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  shmem_barrier_all();
  CHECK(shmem_long_atomic_fetch(&traffic, check_me) > 0, "no traffic arrived");
  return check_end();
}
