/* Point 6.7: ctx_get_team gives SHMEM_TEAM_WORLD for the default context and those of ctx_create, the team for those of
 * team_create_ctx; for SHMEM_CTX_INVALID it sets SHMEM_TEAM_INVALID and returns nonzero. */
#include "check.h"

static void expect_team(shmem_ctx_t ctx, shmem_team_t team, const char* what) {
  shmem_team_t seen = SHMEM_TEAM_INVALID;
  CHECK_EQ(shmem_ctx_get_team(ctx, &seen), 0, "ctx_get_team of %s", what);
  CHECK(seen == team, "the team of %s", what);
}

int main(void) {
  static shmem_ctx_t from_initialiser = SHMEM_CTX_DEFAULT;
  shmem_ctx_t ctx;
  shmem_team_t seen = SHMEM_TEAM_WORLD;
  check_begin();
  expect_team(SHMEM_CTX_DEFAULT, SHMEM_TEAM_WORLD, "the default context");
  expect_team(from_initialiser, SHMEM_TEAM_WORLD, "the default context from an initialiser");
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  expect_team(ctx, SHMEM_TEAM_WORLD, "a context of ctx_create");
  shmem_ctx_destroy(ctx);
  REQUIRE(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx) == 0, "team_create_ctx");
  expect_team(ctx, SHMEM_TEAM_WORLD, "a context of the world");
  shmem_ctx_destroy(ctx);
  REQUIRE(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx) == 0, "team_create_ctx");
  expect_team(ctx, SHMEM_TEAM_SHARED, "a context of the shared team");
  shmem_ctx_destroy(ctx);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &seen) != 0, "ctx_get_team of INVALID");
  CHECK(seen == SHMEM_TEAM_INVALID, "the team of INVALID");
  return check_end();
}
