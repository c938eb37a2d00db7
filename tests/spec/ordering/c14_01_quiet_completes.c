/* Point 14.1, the quiet column: after quiet everything of that context is complete, also what fence does not cover:
 * get_nbi has its data, fetching nbi AMOs have their results. Nothing else is called in between. */
#include "check.h"

enum { kWords = 500, kRounds = 30 };

static long g_data[kWords], g_counter, g_word;

static void all_at_once(shmem_ctx_t ctx, long r) {
  static long got[kWords], fetched[4];
  const int to = check_right(1);
  for (int i = 0; i < kWords; ++i) got[i] = -1;
  for (int i = 0; i < 4; ++i) fetched[i] = -1;
  shmem_ctx_long_get_nbi(ctx, got, g_data, kWords, to);
  shmem_ctx_long_atomic_fetch_nbi(ctx, &fetched[0], &g_data[3], to);
  shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &fetched[1], &g_counter, to);
  shmem_ctx_long_atomic_swap_nbi(ctx, &fetched[2], &g_word, r, to);
  shmem_ctx_quiet(ctx);
  for (int i = 0; i < kWords; ++i)
    if (got[i] != to * 1000L + i) {
      CHECK_EQ(got[i], to * 1000L + i, "get_nbi, quiet: element %d in round %ld", i, r);
      break;
    }
  CHECK_EQ(fetched[0], to * 1000L + 3, "fetch_nbi, quiet");
  CHECK_EQ(fetched[1], r - 1, "fetch_inc_nbi, quiet");
  CHECK_EQ(fetched[2], r - 1, "swap_nbi, quiet");
  CHECK_EQ(fetched[3], -1, "a word that nobody fetched into");
}

int main(void) {
  shmem_ctx_t ctx;
  check_begin();
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  for (int i = 0; i < kWords; ++i) g_data[i] = check_me * 1000L + i;
  shmem_barrier_all();
  for (long r = 1; r <= kRounds; ++r) all_at_once(r % 2 ? ctx : SHMEM_CTX_DEFAULT, r);
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
  CHECK_EQ(g_counter, kRounds, "the counter");
  return check_end();
}
