/* Points 15.1 and 15.3 with SHMEM_THREAD_MULTIPLE: threads of one PE and of all PEs compete for the same locks; a PE's
 * threads wait for several locks at once, and one holds a lock that a sibling wants. */
#include "check.h"

#include <pthread.h>

enum { kThreads = 3, kLocks = 2, kRounds = 25 };

static long g_locks[kLocks], g_sum[kLocks], g_inside[kLocks];

static void* worker(void* argument) {
  const int number = (int)(intptr_t)argument;
  for (int i = 0; i < kRounds; ++i)
    for (int k = 0; k < kLocks; ++k) {
      const int which = (k + number) % kLocks;
      if ((i + number) % 5 == 4)
        while (shmem_test_lock(&g_locks[which]) != 0) check_sleep_ms(0);
      else
        shmem_set_lock(&g_locks[which]);
      CHECK_EQ(shmem_long_atomic_fetch_inc(&g_inside[which], 0), 0, "others inside lock %d", which);
      shmem_long_p(&g_sum[which], shmem_long_g(&g_sum[which], 0) + 1, 0);
      shmem_quiet();
      shmem_long_atomic_add(&g_inside[which], -1, 0);
      shmem_clear_lock(&g_locks[which]);
    }
  return NULL;
}

int main(void) {
  pthread_t thread[kThreads];
  int provided = -1;
  check_watch();
  REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "init_thread");
  check_identify();
  if (provided < SHMEM_THREAD_MULTIPLE) return check_end();
  for (int t = 0; t < kThreads; ++t) pthread_create(&thread[t], NULL, worker, (void*)(intptr_t)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(thread[t], NULL);
  shmem_barrier_all();
  for (int k = 0; k < kLocks; ++k)
    CHECK_EQ(shmem_long_g(&g_sum[k], 0), (long)kRounds * kThreads * check_n, "turns under lock %d", k);
  shmem_barrier_all();
  return check_end();
}
