/* Point 15.3: a lock is one long, zero on all PEs, anywhere in symmetric memory: thousands of them in an array, inside
 * a structure, static, next to data that must stay as it is; and again in memory that held a lock or anything else
 * before, once it is zero on all PEs. */
#include "check.h"

enum { kMany = 5000, kLives = 8 };

static struct {
  long low;
  long lock;
  long high;
} g_guarded[4];
static long g_sum;

static void add_under(long* lock, int times) {
  for (int i = 0; i < times; ++i) {
    shmem_set_lock(lock);
    shmem_long_p(&g_sum, shmem_long_g(&g_sum, 0) + 1, 0);
    shmem_clear_lock(lock);
  }
}

static void expect_sum(long expected, const char* what) {
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&g_sum, 0), expected, "%s", what);
  shmem_barrier_all();
  g_sum = 0;
  shmem_barrier_all();
}

static void neighbours_stay(void) {
  for (int k = 0; k < 4; ++k) {
    g_guarded[k].low = -1;
    g_guarded[k].high = 0x5A5A5A5A5A5A5A5A;
  }
  shmem_barrier_all();
  for (int k = 0; k < 4; ++k) {
    add_under(&g_guarded[k].lock, 10);
    shmem_barrier_all(); /* one sum, four locks: one after the other */
  }
  expect_sum(40L * check_n, "four locks, one after the other");
  for (int k = 0; k < 4; ++k) {
    CHECK_EQ(g_guarded[k].low, -1, "the word before lock %d", k);
    CHECK_EQ(g_guarded[k].high, 0x5A5A5A5A5A5A5A5A, "the word behind lock %d", k);
  }
}

/* Everyone holds its share of a big array at the same time: state must fit into the locks themselves. */
static void many(void) {
  long* const locks = shmem_calloc(kMany, sizeof *locks);
  REQUIRE(locks != NULL, "no memory");
  for (int k = check_me; k < kMany; k += check_n) shmem_set_lock(&locks[k]);
  shmem_barrier_all();
  for (int k = 0; k < kMany; k += 61)
    if (k % check_n != check_me) CHECK_EQ(shmem_test_lock(&locks[k]), 1, "lock %d of PE %d", k, k % check_n);
  shmem_barrier_all();
  for (int k = check_me; k < kMany; k += check_n) shmem_clear_lock(&locks[k]);
  shmem_barrier_all();
  for (int k = (check_me + 1) % check_n; k < kMany; k += check_n)
    if (shmem_test_lock(&locks[k]) != 0) {
      CHECK(0, "lock %d is not free", k);
      break;
    }
  for (int k = (check_me + 1) % check_n; k < kMany; k += check_n) shmem_clear_lock(&locks[k]);
  shmem_barrier_all();
  shmem_free(locks);
}

static void many_lives(void) {
  const size_t words = 100;
  for (int life = 0; life < kLives; ++life) {
    long* const block = shmem_malloc(words * sizeof *block);
    REQUIRE(block != NULL, "no memory");
    for (size_t i = 0; i < words; ++i) block[i] = -1 - (long)i; /* any data */
    shmem_barrier_all();
    memset(block, 0, words * sizeof *block);
    shmem_barrier_all();
    add_under(&block[life * 7 % (int)words], 6);
    shmem_barrier_all();
    /* a lock that nobody holds is memory like any other: zero it again, use it again, on the same spot */
    memset(block, 0, words * sizeof *block);
    shmem_barrier_all();
    add_under(&block[life * 7 % (int)words], 6);
    shmem_barrier_all();
    shmem_free(block); /* the next malloc very likely returns the same place */
  }
  expect_sum(12L * kLives * check_n, "locks in memory used again");
}

int main(void) {
  check_begin();
  STEP("neighbours");
  neighbours_stay();
  STEP("many");
  many();
  STEP("used again");
  many_lives();
  return check_end();
}
