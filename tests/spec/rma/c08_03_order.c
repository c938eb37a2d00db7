/* Point 8.3: without a fence two puts may overtake each other, so nothing is asserted about that; with a fence between
 * them the later one wins on the same address, for every pair of put-like operations and with several sizes. */
#include "check.h"

enum { kWords = 4096, kRounds = 60 };

static long g_target[kWords];
static long g_word;

/* First a write of `first` by one operation, a fence, then `second` by another; the second must stay. */
static void write_by(int op, long* to_where, const long* value, size_t n, int pe) {
  switch (op) {
    case 0: shmem_long_put(to_where, value, n, pe); break;
    case 1: shmem_long_put_nbi(to_where, value, n, pe); break;
    case 2: shmem_putmem(to_where, value, n * sizeof *value, pe); break;
    case 3: shmem_long_iput(to_where, value, 1, 1, n, pe); break;
    case 4: shmem_long_ibput(to_where, value, 1, 1, 1, n, pe); break;
    default:
      for (size_t i = 0; i < n; ++i) shmem_long_p(to_where + i, value[i], pe);
  }
}

static void pairs(size_t n, long* first, long* second) {
  const int to = check_right(1), from = check_right(-1);
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      const long base = (a * 6 + b) * 100000L + (long)n * 1000;
      for (size_t i = 0; i < n; ++i) first[i] = -1, second[i] = base + check_me * 10 + (long)i % 10;
      write_by(a, g_target, first, n, to);
      shmem_fence();
      write_by(b, g_target, second, n, to);
      shmem_barrier_all();
      size_t wrong = 0;
      for (size_t i = 0; i < n; ++i) wrong += g_target[i] != base + from * 10 + (long)i % 10;
      CHECK_EQ(wrong, 0, "%zu words by operation %d, fence, by operation %d", n, a, b);
      shmem_barrier_all();
    }
}

int main(void) {
  static long first[kWords], second[kWords];
  check_begin();
  STEP("pairs");
  pairs(1, first, second);
  pairs(130, first, second);
  STEP("a row of fenced puts to one word");
  for (long r = 1; r <= kRounds; ++r) {
    shmem_long_p(&g_word, r, check_right(1));
    shmem_fence();
  }
  shmem_barrier_all();
  CHECK_EQ(g_word, kRounds, "the last of a row of fenced puts");
  STEP("unordered puts all arrive");
  for (size_t i = 0; i < kWords; ++i) shmem_long_p(g_target + i, (long)i * 3 + check_me, check_right(1));
  shmem_barrier_all();
  for (size_t i = 0; i < kWords; ++i)
    if (g_target[i] != (long)i * 3 + check_right(-1)) {
      CHECK_EQ(g_target[i], (long)i * 3 + check_right(-1), "element %zu", i);
      break;
    }
  return check_end();
}
