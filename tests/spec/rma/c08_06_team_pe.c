/* Point 8.6: the PE number of an RMA call counts within the team of its context. The predefined teams number like the
 * world on one machine, so context calls and plain calls with the same number must meet in the same memory. */
#include "check.h"

static long g_slot[4][64];

static void through(shmem_ctx_t ctx, int row, int world_pe_of_zero) {
  /* Everybody writes its own slot on every PE of the team. */
  for (int pe = 0; pe < check_n; ++pe) shmem_ctx_long_p(ctx, &g_slot[row][check_me], check_me * 100 + pe + row, pe);
  shmem_ctx_quiet(ctx);
  for (int pe = 0; pe < check_n; ++pe) {
    const long expect = check_me * 100 + pe + row;
    CHECK_EQ(shmem_ctx_long_g(ctx, &g_slot[row][check_me], pe), expect, "g with context %d from team PE %d", row, pe);
    CHECK_EQ(shmem_long_g(&g_slot[row][check_me], pe + world_pe_of_zero), expect, "g from world PE %d", pe);
  }
  shmem_barrier_all();
  for (int pe = 0; pe < check_n; ++pe)
    CHECK_EQ(g_slot[row][pe], pe * 100 + check_me + row, "what PE %d wrote with context %d", pe, row);
}

int main(void) {
  shmem_ctx_t plain, world, shared;
  check_begin();
  REQUIRE(shmem_ctx_create(0, &plain) == 0, "ctx_create");
  REQUIRE(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &world) == 0, "team_create_ctx of the world");
  REQUIRE(shmem_team_create_ctx(check_team_of_all(), 0, &shared) == 0, "team_create_ctx of the shared team");
  through(SHMEM_CTX_DEFAULT, 0, 0);
  through(plain, 1, 0);
  through(world, 2, 0);
  through(shared, 3, 0);
  shmem_ctx_destroy(plain);
  shmem_ctx_destroy(world);
  shmem_ctx_destroy(shared);
  return check_end();
}
