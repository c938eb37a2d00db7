/* Point 6.5: team_create_ctx of SHMEM_TEAM_INVALID fails with a nonzero result and SHMEM_CTX_INVALID; the predefined
 * teams give a context although their num_contexts was never asked for. */
#include "check.h"

static long g_word;

int main(void) {
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  const long options[] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_NOSTORE};
  check_begin();
  for (int i = 0; i < 4; ++i) {
    ctx = SHMEM_CTX_DEFAULT;
    CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, options[i], &ctx) != 0, "a context of no team, options %ld",
          options[i]);
    CHECK(ctx == SHMEM_CTX_INVALID, "its handle");
    shmem_ctx_destroy(ctx);
  }
  for (int i = 0; i < 8; ++i) {
    ctx = SHMEM_CTX_INVALID;
    CHECK_EQ(shmem_team_create_ctx(i % 2 ? SHMEM_TEAM_WORLD : check_team_of_all(), options[i / 2], &ctx), 0,
             "a context of a predefined team, options %ld", options[i / 2]);
    REQUIRE(ctx != SHMEM_CTX_INVALID, "its handle");
    shmem_ctx_long_p(ctx, &g_word, i + 1, check_right(1));
    shmem_ctx_quiet(ctx);
    CHECK_EQ(shmem_ctx_long_g(ctx, &g_word, check_right(1)), i + 1, "a put on it");
    shmem_ctx_destroy(ctx);
  }
  /* local as well: one PE alone */
  if (check_me == 0) {
    CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx), 0, "by one PE alone");
    shmem_ctx_destroy(ctx);
  }
  return check_end();
}
