/* Point 6.2: each context completes and orders on its own. Operations are pending on several contexts at once; quiet
 * and fence of one speak for that one: its own writes are there, its own stream is ordered, and the pending work of the
 * others is neither lost nor needed. barrier_all completes the default context only, so each context quiets itself. */
#include "check.h"

enum { kContexts = 6, kWords = 200, kRounds = 15 };

static long g_data[kContexts][kWords], g_flag[kContexts];

static void interleaved(const shmem_ctx_t* ctx, long r) {
  static long source[kContexts][kWords];
  const int to = check_right(1), from = check_right(-1);
  for (int c = 0; c < kContexts; ++c)
    for (int i = 0; i < kWords; ++i) source[c][i] = check_me * 1000000L + r * 10000 + c * 1000 + i;
  for (int c = 0; c < kContexts; ++c) shmem_ctx_long_put_nbi(ctx[c], g_data[c], source[c], kWords / 2, to);
  for (int c = kContexts - 1; c >= 0; --c)
    shmem_ctx_long_put_nbi(ctx[c], g_data[c] + kWords / 2, source[c] + kWords / 2, kWords / 2, to);
  /* odd rounds: each context's quiet, checked by reading back; even ones: its fence and a flag on the same context */
  for (int k = 0; k < kContexts; ++k) {
    const int c = (k + (int)r) % kContexts;
    if (r % 2) {
      long seen[kWords];
      shmem_ctx_quiet(ctx[c]);
      shmem_long_get(seen, g_data[c], kWords, to);
      CHECK(memcmp(seen, source[c], sizeof seen) == 0, "context %d after its quiet, round %ld", c, r);
    } else {
      shmem_ctx_fence(ctx[c]);
    }
    shmem_ctx_long_p(ctx[c], &g_flag[c], r, to);
  }
  for (int c = 0; c < kContexts; ++c) {
    shmem_long_wait_until(&g_flag[c], SHMEM_CMP_EQ, r);
    for (int i = 0; i < kWords; ++i)
      if (g_data[c][i] != from * 1000000L + r * 10000 + c * 1000 + i) {
        CHECK(0, "context %d: element %d behind the flag, round %ld", c, i, r);
        break;
      }
  }
  for (int c = 0; c < kContexts; ++c) shmem_ctx_quiet(ctx[c]);
  shmem_barrier_all();
}

int main(void) {
  shmem_ctx_t ctx[kContexts] = {SHMEM_CTX_DEFAULT};
  check_begin();
  for (int c = 1; c < kContexts; ++c) {
    const int made = c % 2 ? shmem_ctx_create(0, &ctx[c]) : shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx[c]);
    REQUIRE(made == 0, "cannot make context %d", c);
  }
  for (long r = 1; r <= kRounds; ++r) interleaved(ctx, r);
  for (int c = 1; c < kContexts; ++c) shmem_ctx_destroy(ctx[c]);
  return check_end();
}
