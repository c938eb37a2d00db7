/* Point 15.2: test_lock returns exactly 0 when it took the lock and exactly 1, without waiting, when another PE has it;
 * clear_lock completes the default context's operations before it lets go: the next holder finds them on a third PE. */
#include "check.h"

enum { kWords = 600, kRounds = 60 };

static long g_lock, g_data[kWords], g_counter;

static void zero_or_one(long* lock) {
  for (int holder = 0; holder < check_n; ++holder) {
    if (check_me == holder) CHECK_EQ(shmem_test_lock(lock), 0, "test_lock of a free lock");
    shmem_barrier_all();
    if (check_me != holder)
      for (int i = 0; i < 100; ++i) CHECK_EQ(shmem_test_lock(lock), 1, "test_lock of a lock that PE %d has", holder);
    shmem_barrier_all();
    if (check_me == holder) shmem_clear_lock(lock);
    shmem_barrier_all();
  }
  /* the same by set_lock */
  if (check_me == 0) shmem_set_lock(lock);
  shmem_barrier_all();
  if (check_me != 0) CHECK_EQ(shmem_test_lock(lock), 1, "test_lock of a lock that was set");
  shmem_barrier_all();
  if (check_me == 0) shmem_clear_lock(lock);
  shmem_barrier_all();
  if (check_me == check_n - 1) {
    CHECK_EQ(shmem_test_lock(lock), 0, "test_lock of a cleared lock");
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
}

/* Everyone gets it once, by test_lock alone. */
static void everyone_once(long* lock) {
  const long before = shmem_long_g(&g_counter, 0);
  int taken = 1;
  shmem_barrier_all();
  while (taken) {
    taken = shmem_test_lock(lock);
    CHECK(taken == 0 || taken == 1, "test_lock returned %d", taken);
    if (taken) check_sleep_ms(0);
  }
  shmem_long_p(&g_counter, shmem_long_g(&g_counter, 0) + 1, 0);
  shmem_clear_lock(lock);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&g_counter, 0), before + check_n, "PEs that had the lock");
  shmem_barrier_all();
}

/* The data lies on PE `round % n`, for writer and reader alike mostly another PE. No quiet but that of clear_lock. */
static void quiet_first(void) {
  static long source[kWords], seen[kWords];
  for (int r = 0; r < kRounds; ++r) {
    const int home = r % check_n;
    shmem_set_lock(&g_lock);
    shmem_long_get(seen, g_data, kWords, home);
    for (int i = 1; i < kWords; ++i)
      if (seen[i] != seen[0]) {
        CHECK_EQ(seen[i], seen[0], "data of the last holder, element %d, round %d", i, r);
        break;
      }
    for (int i = 0; i < kWords; ++i) source[i] = seen[0] + 1;
    if (r % 3 == 0)
      shmem_long_put_nbi(g_data, source, kWords, home);
    else if (r % 3 == 1)
      shmem_long_put(g_data, source, kWords, home);
    else
      shmem_long_iput(g_data, source, 1, 1, kWords, home);
    shmem_clear_lock(&g_lock);
  }
  shmem_barrier_all();
  long sum = 0;
  for (int pe = 0; pe < check_n; ++pe) sum += shmem_long_g(&g_data[kWords - 1], pe);
  CHECK_EQ(sum, (long)kRounds * check_n, "increments by all holders");
}

int main(void) {
  long* heap;
  check_begin();
  heap = shmem_calloc(1, sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  STEP("zero or one");
  zero_or_one(&g_lock);
  zero_or_one(heap);
  STEP("everyone once");
  everyone_once(&g_lock);
  everyone_once(heap);
  STEP("quiet first");
  quiet_first();
  shmem_free(heap);
  return check_end();
}
