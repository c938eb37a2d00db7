/* Point 15.1 and 15.5: mutual exclusion. All PEs, the lock's own ones included, add to words on several PEs with get
 * and put, which only the lock makes safe; by set_lock and by test_lock in turn; each lock of an array protects its own
 * word. */
#include "check.h"

enum { kLocks = 5, kRounds = 40 };

static long g_static_locks[kLocks];
static long g_sum[kLocks], g_inside[kLocks];

static void enter(long* lock, int by_test) {
  if (!by_test)
    shmem_set_lock(lock);
  else
    while (shmem_test_lock(lock) != 0) check_sleep_ms(0);
}

static void one_turn(long* locks, int which, int by_test) {
  const int home = which % check_n;
  long inside;
  enter(&locks[which], by_test);
  inside = shmem_long_atomic_fetch_inc(&g_inside[which], home);
  CHECK_EQ(inside, 0, "others inside lock %d", which);
  shmem_long_p(&g_sum[which], shmem_long_g(&g_sum[which], home) + check_me + 1, home);
  shmem_quiet();
  shmem_long_atomic_add(&g_inside[which], -1, home);
  shmem_clear_lock(&locks[which]);
}

static void turns(long* locks) {
  memset(g_sum, 0, sizeof g_sum);
  shmem_barrier_all();
  for (int i = 0; i < kRounds; ++i)
    for (int k = 0; k < kLocks; ++k) one_turn(locks, (k + check_me) % kLocks, (i + k) % 4 == 3);
  shmem_barrier_all();
  for (int k = 0; k < kLocks; ++k)
    CHECK_EQ(shmem_long_g(&g_sum[k], k % check_n), (long)kRounds * check_n * (check_n + 1) / 2, "sum of lock %d", k);
  shmem_barrier_all();
}

/* Several locks held at once, always taken in rising order. */
static void nested(long* locks) {
  memset(g_sum, 0, sizeof g_sum);
  shmem_barrier_all();
  for (int i = 0; i < kRounds; ++i) {
    for (int k = 0; k < kLocks; ++k) shmem_set_lock(&locks[k]);
    for (int k = 0; k < kLocks; ++k) shmem_long_p(&g_sum[k], shmem_long_g(&g_sum[k], check_n - 1) + 1, check_n - 1);
    /* released in another order */
    for (int k = 0; k < kLocks; ++k) shmem_clear_lock(&locks[(k + 2) % kLocks]);
  }
  shmem_barrier_all();
  for (int k = 0; k < kLocks; ++k)
    CHECK_EQ(shmem_long_g(&g_sum[k], check_n - 1), (long)kRounds * check_n, "nested, word %d", k);
  shmem_barrier_all();
}

int main(void) {
  long* heap;
  check_begin();
  heap = shmem_calloc(kLocks, sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  STEP("static locks");
  turns(g_static_locks);
  nested(g_static_locks);
  STEP("heap locks");
  turns(heap);
  nested(heap);
  shmem_free(heap);
  return check_end();
}
