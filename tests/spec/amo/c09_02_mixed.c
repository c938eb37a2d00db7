/* Point 9.2: AMOs, puts, gets, plain loads and stores on one word, separated by synchronisation, always see each
 * other's latest value; and AMOs are atomic against wait and test of the same type. */
#include "check.h"

static long g_word;
static int g_int;

static void turns(long* word) {
  const int to = check_right(1);
  *word = 100 + check_me; /* store, then remote AMO */
  shmem_barrier_all();
  CHECK_EQ(shmem_long_atomic_fetch_add(word, 5, to), 100 + to, "AMO after a store");
  shmem_barrier_all();
  CHECK_EQ(*word, 105 + check_me, "load after an AMO");
  shmem_barrier_all();
  shmem_long_p(word, 7, to); /* put, then remote AMO */
  shmem_barrier_all();
  CHECK_EQ(shmem_long_atomic_fetch_inc(word, to), 7, "AMO after a put");
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(word, to), 8, "get after an AMO");
  shmem_barrier_all();
  shmem_long_atomic_set(word, 60 + check_me, to); /* AMO, then store, then get */
  shmem_barrier_all();
  CHECK_EQ(*word, 60 + check_right(-1), "load after a set");
  *word += 1;
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(word, to), 61 + check_me, "get after a store after a set");
  shmem_barrier_all();
  CHECK_EQ(shmem_long_atomic_swap(word, 1, to), 61 + check_me, "swap after that");
  shmem_barrier_all();
}

/* PE 0 waits through every value that the others add, no step may be lost or seen twice. */
static void with_wait(void) {
  const int adders = check_n - 1;
  g_int = 0;
  shmem_barrier_all();
  if (check_me == 0) {
    int seen = 0;
    while (seen < adders * 50) {
      shmem_int_wait_until(&g_int, SHMEM_CMP_GT, seen);
      const int now = shmem_int_atomic_fetch(&g_int, 0);
      CHECK(now > seen && now <= adders * 50, "the counter went from %d to %d", seen, now);
      if (now <= seen) break;
      seen = now;
    }
  } else {
    for (int i = 0; i < 50; ++i) shmem_int_atomic_inc(&g_int, 0);
  }
  shmem_barrier_all();
  CHECK_EQ(shmem_int_g(&g_int, 0), adders * 50, "the counter at the end");
}

int main(void) {
  long* heap;
  check_begin();
  heap = shmem_malloc(sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  for (int i = 0; i < 20; ++i) {
    turns(&g_word);
    turns(heap);
  }
  STEP("with wait_until");
  with_wait();
  shmem_free(heap);
  return check_end();
}
