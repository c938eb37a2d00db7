/* 3.2 Allocations that do not fit return NULL on every PE together, without ending the program, and are barriers like
 * successful ones; what was allocated stays good, and after the frees all of it can be had again. Heap: 8 MiB. */
#include "../check.h"

enum { kMost = 4096 };
static long counts[64], arrived;

/* Every routine's refusal is a barrier on exit: the add of every PE is there when it returns. */
static void refused(void* p, const char* what, long calls) {
  long seen;
  CHECK(p == NULL, "%s gave memory", what);
  seen = shmem_long_atomic_fetch(&arrived, 0);
  CHECK(seen >= calls * check_n, "%s was no barrier: %ld of %ld adds", what, seen, calls * check_n);
  shmem_barrier_all();
}

int main(void) {
  static char* block[kMost];
  const size_t piece = 100000;
  long calls = 0;
  int got = 0, i, pe, round;
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs", check_n);

#define REFUSED(call)                                \
  do {                                               \
    if (check_me == check_n - 1) check_sleep_ms(20); \
    shmem_long_atomic_inc(&arrived, 0);              \
    shmem_quiet();                                   \
    STEP(#call);                                     \
    refused(call, #call, ++calls);                   \
  } while (0)
  REFUSED(shmem_malloc((size_t)1 << 40));
  REFUSED(shmem_malloc(SIZE_MAX));
  REFUSED(shmem_malloc(SIZE_MAX - 4095));
  REFUSED(shmem_malloc((size_t)PTRDIFF_MAX + 1));
  REFUSED(shmem_calloc((size_t)1 << 20, (size_t)1 << 20));
  REFUSED(shmem_calloc(SIZE_MAX, 2));              /* the product wraps to a small number */
  REFUSED(shmem_calloc(((size_t)1 << 63) + 8, 2)); /* wraps to 16 */
  REFUSED(shmem_align(4096, (size_t)1 << 40));
  REFUSED(shmem_align(4096, SIZE_MAX - 100));
  REFUSED(shmem_malloc_with_hints((size_t)1 << 40, SHMEM_MALLOC_SIGNAL_REMOTE));
  REFUSED(shmem_realloc(NULL, (size_t)1 << 40));

  for (round = 0; round < 3; ++round) {
    int again = 0;
    while (again < kMost) {
      char* p = (char*)shmem_malloc(piece);
      if (!p) break;
      check_fill(p, check_me * 100 + again, piece);
      block[again++] = p;
    }
    if (round) CHECK_EQ(again, got, "blocks that fit after everything was freed, round %d", round);
    got = again;
    CHECK(got >= 8, "only %d blocks of 100000 in 8 MiB", got);
    CHECK(got < kMost, "the heap never ended");
    for (pe = 0; pe < check_n; ++pe) shmem_long_p(&counts[check_me], got, pe);
    shmem_barrier_all();
    for (pe = 0; pe < check_n; ++pe) CHECK_EQ(counts[pe], got, "blocks PE %d got before NULL", pe);
    REFUSED(shmem_malloc((size_t)1 << 22));
    {
      char* grown;
      /* a realloc that fails leaves its block alone */
      shmem_barrier_all();
      grown = (char*)shmem_realloc(block[0], (size_t)1 << 30);
      CHECK(grown == NULL, "realloc to 1 GiB in a full heap");
      CHECK_EQ(check_find_wrong(block[0], check_me * 100, piece), piece, "the old block after a failed realloc");
      shmem_barrier_all();
    }
    for (i = 0; i < got; ++i) {
      const size_t wrong = check_find_wrong(block[i], check_me * 100 + i, piece);
      CHECK(wrong == piece, "block %d, byte %zu changed when the heap was full", i, wrong);
    }
    /* free in another order each round: upwards, downwards, even ones before odd ones */
    for (i = 0; i < got; ++i) {
      const int half = (got + 1) / 2;
      const int k = round == 0 ? i : round == 1 ? got - 1 - i : i < half ? 2 * i : 2 * (i - half) + 1;
      shmem_free(block[k]);
    }
  }
  {
    void* all = shmem_malloc((size_t)7 << 20);
    CHECK(all != NULL, "7 of 8 MiB after everything was freed");
    shmem_free(all);
  }
  return check_end();
}
