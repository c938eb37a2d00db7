/* Point 9.4: fetching AMOs are done when they return; the others are done after quiet or a barrier; and a fence orders
 * them: whoever sees a later one sees the earlier ones too. */
#include "check.h"

enum { kRounds = 400 };

static long g_first, g_second, g_flag, g_word;
static uint64_t g_mask;

static void done_after_quiet(void) {
  const int to = check_right(1);
  for (long i = 0; i < kRounds; ++i) {
    shmem_long_atomic_set(&g_word, i, to);
    shmem_quiet();
    CHECK_EQ(shmem_long_g(&g_word, to), i, "set, quiet, get");
    shmem_long_atomic_add(&g_word, 3, to);
    shmem_long_atomic_inc(&g_word, to);
    shmem_quiet();
    CHECK_EQ(shmem_long_g(&g_word, to), i + 4, "add, inc, quiet, get");
    CHECK_EQ(shmem_long_atomic_fetch_add(&g_word, 5, to), i + 4, "fetch_add");
    CHECK_EQ(shmem_long_atomic_fetch(&g_word, to), i + 9, "fetch after a fetch_add that returned");
  }
  shmem_barrier_all();
  g_word = 0;
  shmem_barrier_all();
  shmem_long_atomic_add(&g_word, 77, to);
  shmem_uint64_atomic_or(&g_mask, 6, to);
  shmem_barrier_all();
  CHECK_EQ(g_word, 77, "add, barrier, load");
  CHECK_EQ(g_mask, 6, "or, barrier, load");
  shmem_barrier_all();
}

/* Each PE counts on its right neighbour: the first word is always ahead of the second by 0 or more. */
static void ordered_by_fence(void) {
  const int to = check_right(1);
  long second = 0;
  for (int i = 0; i < kRounds; ++i) {
    shmem_long_atomic_inc(&g_first, to);
    shmem_fence();
    shmem_long_atomic_inc(&g_second, to);
    if (i % 7 == 0) {
      second = shmem_long_atomic_fetch(&g_second, check_me);
      const long first = shmem_long_atomic_fetch(&g_first, check_me);
      CHECK(first >= second && second <= kRounds, "second is %ld, first read later is %ld", second, first);
    }
  }
  shmem_long_atomic_set(&g_flag, 1, to); /* not ordered behind the rest: no fence */
  while (second < kRounds) {
    shmem_long_wait_until(&g_second, SHMEM_CMP_GT, second);
    second = shmem_long_atomic_fetch(&g_second, check_me);
    const long first = shmem_long_atomic_fetch(&g_first, check_me);
    CHECK(first >= second, "second is %ld, first read later is %ld", second, first);
  }
  shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, 1);
  shmem_barrier_all();
  CHECK_EQ(g_first, kRounds, "first at the end");
  CHECK_EQ(g_second, kRounds, "second at the end");
}

/* A put, a fence and an AMO on a flag: the flag's arrival shows the data. */
static void behind_a_put(void) {
  static long data[200];
  const int to = check_right(1), from = check_right(-1);
  long source[200];
  g_flag = 0;
  shmem_barrier_all();
  for (long r = 1; r <= 100; ++r) {
    for (int i = 0; i < 200; ++i) source[i] = check_me * 100000L + r * 200 + i;
    shmem_long_put(data, source, 200, to);
    shmem_fence();
    shmem_long_atomic_inc(&g_flag, to);
    shmem_long_wait_until(&g_flag, SHMEM_CMP_GE, r);
    for (int i = 0; i < 200; ++i)
      if (data[i] != from * 100000L + r * 200 + i) {
        CHECK_EQ(data[i], from * 100000L + r * 200 + i, "element %d in round %ld", i, r);
        break;
      }
    shmem_barrier_all();
  }
}

int main(void) {
  check_begin();
  STEP("quiet");
  done_after_quiet();
  STEP("fence");
  ordered_by_fence();
  STEP("put, fence, AMO");
  behind_a_put();
  return check_end();
}
