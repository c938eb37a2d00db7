/* 3.3 shmem_free waits for all PEs on entry and only then releases: what a slow PE still puts into the block arrives in
 * that block and not in its successor; it completes puts on the default context like a barrier. */
#include "../check.h"

enum { kWords = 5000, kRounds = 12 };
static long freed_by[64];

int main(void) {
  int round, i;
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  for (round = 0; round < kRounds; ++round) {
    const int slow = round % check_n, to = check_right(1), from = check_right(-1);
    long *first = (long*)shmem_malloc(kWords * sizeof(long)), *second;
    REQUIRE(first != NULL, "shmem_malloc");
    for (i = 0; i < kWords; ++i) first[i] = -1;
    shmem_barrier_all();
    if (check_me == slow) check_sleep_ms(20);
    /* the others are in shmem_free already */
    for (i = 0; i < kWords; i += 101) shmem_long_p(&first[i], round * 1000L + check_me, to);
    shmem_long_atomic_inc(&freed_by[round], 0);
    STEP("free waits for all");
    shmem_free(first);
    CHECK(shmem_long_atomic_fetch(&freed_by[round], 0) == check_n, "free returned before all had called it");
    /* the same size again: it may well be the same place */
    second = (long*)shmem_calloc(kWords, sizeof(long));
    REQUIRE(second != NULL, "shmem_calloc");
    for (i = 0; i < kWords; ++i)
      if (second[i] != 0) break;
    CHECK(i == kWords, "a late put into the freed block shows in the next: word %d is %ld", i, second[i]);
    shmem_barrier_all();
    shmem_long_p(&second[from], 7, to);
    shmem_free(second);
  }
  /* freeing in another order than allocating, many blocks */
  {
    enum { kBlocks = 40 };
    char* block[kBlocks];
    for (i = 0; i < kBlocks; ++i) {
      block[i] = (char*)shmem_malloc((size_t)(64 + i * 37));
      REQUIRE(block[i] != NULL, "block %d", i);
      check_fill(block[i], i + check_me, (size_t)(64 + i * 37));
    }
    for (i = 0; i < kBlocks; i += 2) shmem_free(block[i]);
    for (i = 1; i < kBlocks; i += 2) {
      const size_t n = (size_t)(64 + i * 37);
      CHECK_EQ(check_find_wrong(block[i], i + check_me, n), n, "block %d after its neighbours were freed", i);
    }
    for (i = kBlocks - 1; i > 0; i -= 2) shmem_free(block[i]);
  }
  return check_end();
}
