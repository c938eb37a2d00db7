/* Points 9.2 and 5.8: AMOs of several threads of each PE and of all PEs on the same words are atomic to one another,
 * and an AMO of a thread to its own PE releases a sibling that waits. Does nothing when SHMEM_THREAD_MULTIPLE is
 * missing. */
#include "check.h"

#include <pthread.h>

enum { kThreads = 3, kRounds = 3000 };

static long g_sum, g_gate;
static uint32_t g_bits;
static long g_tickets[64 * kThreads * kRounds];
static long g_next;

static void* worker(void* argument) {
  const long number = (long)(intptr_t)argument;
  const uint32_t bit = 1u << number;
  for (int i = 0; i < kRounds; ++i) {
    shmem_long_atomic_add(&g_sum, number + 1, 0);
    shmem_long_atomic_inc(&g_tickets[shmem_long_atomic_fetch_inc(&g_next, 0)], 0);
    /* each PE's own word: only this PE's threads toggle it */
    shmem_uint32_atomic_xor(&g_bits, bit, check_me);
  }
  shmem_quiet();
  return NULL;
}

static void* waiter(void* argument) {
  (void)argument;
  shmem_long_wait_until(&g_gate, SHMEM_CMP_EQ, 3);
  return NULL;
}

int main(void) {
  pthread_t thread[kThreads];
  int provided = -1;
  check_watch();
  REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "init_thread");
  check_identify();
  if (provided < SHMEM_THREAD_MULTIPLE) return check_end();
  STEP("threads that count");
  for (long t = 0; t < kThreads; ++t) pthread_create(&thread[t], NULL, worker, (void*)(intptr_t)t);
  for (int t = 0; t < kThreads; ++t) pthread_join(thread[t], NULL);
  shmem_barrier_all();
  CHECK_EQ(g_bits, kRounds % 2 ? (1u << kThreads) - 1 : 0, "the toggled bits");
  if (check_me == 0) {
    CHECK_EQ(g_sum, (long)check_n * kRounds * kThreads * (kThreads + 1) / 2, "the sum");
    CHECK_EQ(g_next, (long)check_n * kThreads * kRounds, "the tickets");
    for (long i = 0; i < g_next; ++i)
      if (g_tickets[i] != 1) {
        CHECK_EQ(g_tickets[i], 1, "ticket %ld", i);
        break;
      }
  }
  STEP("a thread releases its sibling");
  pthread_create(&thread[0], NULL, waiter, NULL);
  check_sleep_ms(5); /* let it wait for real; right whether it does or not */
  for (int i = 0; i < 3; ++i) shmem_long_atomic_inc(&g_gate, check_me);
  pthread_join(thread[0], NULL);
  shmem_barrier_all();
  return check_end();
}
