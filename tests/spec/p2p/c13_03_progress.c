/* Point 13.3: waiting does not keep others from running. A token goes round through wait_until on more PEs than cores;
 * a long chain of waits is released from its end; and a thread that waits (for a flag, a lock, all of an array) leaves
 * its siblings free to communicate, which then release it. */
#include "check.h"

#include <pthread.h>

enum { kLaps = 200, kThreads = 3 };

static long g_token, g_chain, g_gates[kThreads], g_round_trip, g_all[4];
static long g_lock;

static void ring(void) {
  for (long lap = 1; lap <= kLaps; ++lap) {
    if (check_me != 0) shmem_long_wait_until(&g_token, SHMEM_CMP_EQ, lap);
    shmem_long_p(&g_token, lap, check_right(1));
    if (check_me == 0) shmem_long_wait_until(&g_token, SHMEM_CMP_EQ, lap);
  }
  shmem_barrier_all();
  CHECK_EQ(g_token, kLaps, "laps of the token");
}

/* All but the last PE wait; the last one starts late and releases its left neighbour, and so on down to PE 0. */
static void chain(void) {
  if (check_me == check_n - 1)
    check_sleep_ms(20);
  else
    shmem_long_wait_until(&g_chain, SHMEM_CMP_NE, 0);
  if (check_me > 0) shmem_long_p(&g_chain, check_me, check_me - 1);
  shmem_barrier_all();
  CHECK_EQ(g_chain, check_me == check_n - 1 ? 0 : check_me + 1, "who released this PE");
}

static void* waits(void* argument) {
  const long number = (long)(intptr_t)argument;
  if (number == 0) shmem_long_wait_until(&g_gates[0], SHMEM_CMP_EQ, 1);
  if (number == 1) shmem_long_wait_until_all(g_all, 4, NULL, SHMEM_CMP_EQ, 1);
  if (number == 2) shmem_set_lock(&g_lock); /* the main thread of PE 0 holds it meanwhile */
  if (number == 2) shmem_clear_lock(&g_lock);
  shmem_long_atomic_inc(&g_gates[2], check_me);
  return NULL;
}

/* While the threads wait, this thread's puts, gets, AMOs, barriers go on; then they let the threads go. */
static void siblings(void) {
  pthread_t thread[kThreads];
  long seen = 0;
  if (check_me == 0) shmem_set_lock(&g_lock);
  shmem_barrier_all();
  for (long t = 0; t < kThreads; ++t) pthread_create(&thread[t], NULL, waits, (void*)(intptr_t)t);
  check_sleep_ms(5);
  for (long i = 1; i <= 50; ++i) {
    shmem_long_p(&g_round_trip, i, check_right(1));
    shmem_quiet();
    shmem_long_get(&seen, &g_round_trip, 1, check_right(1));
    CHECK_EQ(seen, i, "put and get beside waiting threads");
    (void)shmem_long_atomic_fetch_inc(&g_gates[1], check_right(1));
  }
  shmem_barrier_all();
  CHECK_EQ(g_gates[1], 50, "AMOs beside waiting threads");
  CHECK_EQ(shmem_long_atomic_fetch(&g_gates[2], check_me), 0, "threads that did not wait");
  shmem_barrier_all();
  if (check_me == 0) shmem_clear_lock(&g_lock);
  shmem_long_atomic_set(&g_gates[0], 1, check_right(1));
  for (int i = 0; i < 4; ++i) shmem_long_atomic_set(&g_all[i], 1, check_right(1));
  for (int t = 0; t < kThreads; ++t) pthread_join(thread[t], NULL);
  CHECK_EQ(shmem_long_atomic_fetch(&g_gates[2], check_me), kThreads, "threads that came through");
  shmem_barrier_all();
}

int main(void) {
  int provided = -1;
  check_watch();
  REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0, "init_thread");
  check_identify();
  STEP("ring");
  ring();
  STEP("chain");
  chain();
  STEP("siblings");
  if (provided == SHMEM_THREAD_MULTIPLE) siblings();
  return check_end();
}
