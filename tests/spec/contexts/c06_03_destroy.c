/* Point 6.3: ctx_destroy does what quiet does first; destroy, fence, quiet and pe_quiet of SHMEM_CTX_INVALID do
 * nothing. */
#include "check.h"

enum { kWords = 3000, kRounds = 20 };

static long g_data[kWords], g_flag, g_counter;

int main(void) {
  static long source[kWords], got[kWords];
  const int list[1] = {0};
  check_begin();
  for (long r = 1; r <= kRounds; ++r) {
    const int to = check_right(1), from = check_right(-1);
    shmem_ctx_t ctx;
    long fetched = -1;
    REQUIRE((r % 2 ? shmem_ctx_create(0, &ctx) : shmem_team_create_ctx(check_team_of_all(), 0, &ctx)) == 0,
            "ctx_create");
    for (int i = 0; i < kWords; ++i) source[i] = check_me * 1000000L + r * 10000 + i;
    shmem_ctx_long_put_nbi(ctx, g_data, source, kWords, to);
    shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &fetched, &g_counter, to);
    shmem_ctx_destroy(ctx);
    memset(source, 0xFF, sizeof source); /* complete: the source is ours */
    CHECK_EQ(fetched, r - 1, "fetch_inc_nbi after ctx_destroy");
    shmem_long_p(&g_flag, r, to); /* on another context, and still behind the data */
    shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, r);
    for (int i = 0; i < kWords; ++i)
      if (g_data[i] != from * 1000000L + r * 10000 + i) {
        CHECK_EQ(g_data[i], from * 1000000L + r * 10000 + i, "element %d after the writer's ctx_destroy", i);
        break;
      }
    shmem_barrier_all();
    REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
    for (int i = 0; i < kWords; ++i) got[i] = -1;
    shmem_ctx_long_get_nbi(ctx, got, g_data, kWords, to);
    shmem_ctx_destroy(ctx);
    CHECK_EQ(got[0], check_me * 1000000L + r * 10000, "get_nbi after ctx_destroy");
    CHECK_EQ(got[kWords - 1], check_me * 1000000L + r * 10000 + kWords - 1, "get_nbi after ctx_destroy");
    shmem_barrier_all();
  }
  STEP("invalid");
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_ctx_fence(SHMEM_CTX_INVALID);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, list, 1);
  shmem_long_p(&g_flag, -1, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(g_flag, -1, "a put after all that");
  return check_end();
}
