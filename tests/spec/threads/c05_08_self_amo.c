/* 5.8 A wait is satisfied by another thread of the same PE that does an AMO, a put or a signal to itself; AMOs to
 * oneself are real atomics against those of other PEs. */
#include "../check.h"

#include <pthread.h>

/* The last two kinds are a put and the data of a put_signal: plain stores, which ThreadSanitizer rightly tells from
 * atomics. Programs wait for them all the same (13.2). */
#if defined(__SANITIZE_THREAD__)
enum { kKinds = 7 };
#else
enum { kKinds = 9 };
#endif
enum { kRounds = 40, kTimes = 3000 };
static long flag, turn, sum;
static int i_flag;
static uint64_t sig;
static long zero;

static void* waiter(void* unused) {
  int r, k;
  (void)unused;
  for (r = 0; r < kRounds; ++r) {
    for (k = 0; k < kKinds; ++k) {
      const long value = (long)r * kKinds + k + 1;
      if (k == 4)
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, (uint64_t)value);
      else if (k == 5)
        shmem_int_wait_until(&i_flag, SHMEM_CMP_EQ, (int)value);
      else if (k == 6)
        shmem_long_wait_until_any(&flag, 1, NULL, SHMEM_CMP_EQ, value);
      else
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, value);
      shmem_long_atomic_set(&turn, value, check_me); /* the main thread waits for this in turn */
    }
  }
  return NULL;
}

static void* adder(void* unused) {
  int i;
  (void)unused;
  for (i = 0; i < kTimes; ++i) shmem_long_atomic_inc(&sum, check_me);
  return NULL;
}

int main(void) {
  pthread_t thread, adders[2];
  int provided = -1, r, k, pe;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(pthread_create(&thread, NULL, waiter, NULL) == 0, "pthread_create");
  STEP("a sibling wakes the waiting thread");
  for (r = 0; r < kRounds; ++r) {
    for (k = 0; k < kKinds; ++k) {
      const long value = (long)r * kKinds + k + 1, before = shmem_long_atomic_fetch(&flag, check_me);
      if (r % 8 == 0 && k < 3) check_sleep_ms(3); /* let the waiter fall asleep */
      if (k == 0) shmem_long_atomic_set(&flag, value, check_me);
      if (k == 1) shmem_long_atomic_add(&flag, value - before, check_me);
      if (k == 2) CHECK_EQ(shmem_long_atomic_swap(&flag, value, check_me), before, "swap");
      if (k == 3) CHECK_EQ(shmem_long_atomic_compare_swap(&flag, before, value, check_me), before, "compare_swap");
      if (k == 4) shmem_signal_set(&sig, (uint64_t)value, check_me);
      if (k == 5) shmem_int_atomic_set(&i_flag, (int)value, check_me);
      if (k == 6) CHECK_EQ(shmem_long_atomic_fetch_add(&flag, value - before, check_me), before, "fetch_add");
      if (k == 7) shmem_long_p(&flag, value, check_me);
      if (k == 8) shmem_long_put_signal(&flag, &value, 1, (uint64_t*)&zero, 1, SHMEM_SIGNAL_ADD, check_me);
      shmem_long_wait_until(&turn, SHMEM_CMP_EQ, value);
    }
  }
  pthread_join(thread, NULL);

  STEP("AMOs to oneself against those of other PEs");
  shmem_barrier_all();
  for (k = 0; k < 2; ++k) REQUIRE(pthread_create(&adders[k], NULL, adder, NULL) == 0, "pthread_create");
  for (r = 0; r < kTimes; ++r)
    for (pe = 0; pe < check_n; ++pe) shmem_long_atomic_fetch_inc(&sum, pe);
  for (k = 0; k < 2; ++k) pthread_join(adders[k], NULL);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_atomic_fetch(&sum, check_me), (long)kTimes * (check_n + 2), "adds of all");
  return check_end();
}
