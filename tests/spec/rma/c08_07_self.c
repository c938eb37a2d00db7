/* Point 8.7: every kind of operation works on the calling PE itself, without a barrier in between: a blocking get after
 * quiet, and a plain load, both see the data. */
#include "check.h"

enum { kWords = 300 };

static long g_room[kWords];
static uint64_t g_signal;

static void reads_back(long* room, const long* source, const char* by) {
  long seen[kWords];
  shmem_quiet();
  CHECK(memcmp(room, source, sizeof seen) == 0, "a load after quiet does not see what %s wrote", by);
  memset(seen, 0, sizeof seen);
  shmem_long_get(seen, room, kWords, check_me);
  CHECK(memcmp(seen, source, sizeof seen) == 0, "get does not see what %s wrote", by);
  memset(room, 0, sizeof seen);
}

static void rma(long* room, const long* source) {
  long seen[kWords];
  shmem_long_put(room, source, kWords, check_me);
  reads_back(room, source, "put");
  shmem_long_put_nbi(room, source, kWords, check_me);
  reads_back(room, source, "put_nbi");
  for (size_t i = 0; i < kWords; ++i) shmem_long_p(room + i, source[i], check_me);
  reads_back(room, source, "p");
  shmem_long_iput(room, source, 2, 2, kWords / 2, check_me);
  shmem_long_iput(room + 1, source + 1, 2, 2, kWords / 2, check_me);
  reads_back(room, source, "iput");
  shmem_long_ibput(room, source, 10, 10, 10, kWords / 10, check_me);
  reads_back(room, source, "ibput");
  shmem_putmem_signal(room, source, kWords * sizeof *room, &g_signal, 5, SHMEM_SIGNAL_ADD, check_me);
  CHECK_EQ(shmem_signal_wait_until(&g_signal, SHMEM_CMP_GE, 5), 5, "own signal");
  reads_back(room, source, "put_signal");
  g_signal = 0;
  memcpy(room, source, sizeof seen);
  shmem_long_get_nbi(seen, room, kWords, check_me);
  shmem_quiet();
  CHECK(memcmp(seen, source, sizeof seen) == 0, "get_nbi from self");
  CHECK_EQ(shmem_long_g(room + 7, check_me), source[7], "g from self");
}

static void amo(long* word) {
  long old;
  shmem_long_p(word, 40, check_me);
  shmem_quiet();
  CHECK_EQ(shmem_long_atomic_fetch_add(word, 2, check_me), 40, "fetch_add to self");
  shmem_long_atomic_inc(word, check_me);
  shmem_quiet();
  CHECK_EQ(*(volatile long*)word, 43, "own word after inc");
  CHECK_EQ(shmem_long_atomic_compare_swap(word, 43, 50, check_me), 43, "compare_swap to self");
  shmem_long_atomic_fetch_add_nbi(&old, word, 1, check_me);
  shmem_quiet();
  CHECK_EQ(old, 50, "fetch_add_nbi to self");
  CHECK_EQ(shmem_long_atomic_swap(word, 0, check_me), 51, "swap to self");
}

int main(void) {
  long source[kWords];
  long* heap;
  check_begin();
  heap = shmem_calloc(kWords, sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  for (size_t i = 0; i < kWords; ++i) source[i] = (long)i * 11 + check_me + 1;
  STEP("static");
  rma(g_room, source);
  amo(&g_room[3]);
  STEP("heap");
  rma(heap, source);
  amo(heap + 5);
  shmem_free(heap);
  return check_end();
}
