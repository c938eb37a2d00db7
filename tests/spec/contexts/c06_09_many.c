/* Point 6.9: hundreds of contexts alive at once, all in use, and many thousands made and destroyed one after another.
 */
#include "check.h"

enum { kAlive = 800, kTurns = 20000 };

static long g_data[kAlive];

int main(void) {
  static shmem_ctx_t ctx[kAlive];
  static long source[kAlive];
  check_begin();
  STEP("alive at once");
  for (int i = 0; i < kAlive; ++i) {
    REQUIRE(shmem_ctx_create(i % 2 ? SHMEM_CTX_SERIALIZED : 0, &ctx[i]) == 0, "context %d", i);
    source[i] = check_me * 10000L + i;
    shmem_ctx_long_put_nbi(ctx[i], &g_data[i], &source[i], 1, check_right(1));
  }
  for (int i = 0; i < kAlive; ++i) shmem_ctx_quiet(ctx[i]);
  shmem_sync_all();
  for (int i = 0; i < kAlive; ++i) CHECK_EQ(g_data[i], check_right(-1) * 10000L + i, "written on context %d", i);
  shmem_sync_all();
  for (int i = 0; i < kAlive; i += 2) shmem_ctx_destroy(ctx[i]); /* with holes */
  for (int i = 0; i < kAlive; i += 2) REQUIRE(shmem_ctx_create(0, &ctx[i]) == 0, "context %d again", i);
  for (int i = 0; i < kAlive; ++i) shmem_ctx_long_p(ctx[i], &g_data[i], i, check_right(1));
  for (int i = kAlive - 1; i >= 0; --i) shmem_ctx_destroy(ctx[i]);
  shmem_sync_all();
  for (int i = 0; i < kAlive; ++i) CHECK_EQ(g_data[i], i, "written on context %d, second turn", i);
  shmem_sync_all();
  STEP("one after another");
  for (long i = 1; i <= kTurns; ++i) {
    REQUIRE(shmem_ctx_create(0, &ctx[0]) == 0, "turn %ld", i);
    if (i % 100 == 0) shmem_ctx_long_p(ctx[0], &g_data[0], i, check_right(1));
    shmem_ctx_destroy(ctx[0]);
  }
  shmem_sync_all();
  CHECK_EQ(g_data[0], kTurns, "the last write");
  return check_end();
}
