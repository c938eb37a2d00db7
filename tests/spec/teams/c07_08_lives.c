/* Points 1.3, 1.4 and 7.8: teams and their contexts that are alive at the last finalize go with it; the next life finds
 * room for as many as the first, and its teams work. */
#include "teams.h"

enum { kLives = 6, kTeams = 900 };
static long dest, value;

int main(void) {
  check_watch();
  for (int life = 0; life < kLives; ++life) {
    shmem_team_t last = SHMEM_TEAM_INVALID, half = SHMEM_TEAM_INVALID;
    shmem_init();
    check_identify();
    REQUIRE(check_n <= kMostPes, "too many PEs");
    const Members world = all_pes();
    const Members back = part_of(&world, check_n - 1, -1, check_n);
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    /* More in all lives together than can be alive at a time. */
    for (int k = 0; k < kTeams; ++k) last = need_part(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n);
    half = need_part(SHMEM_TEAM_WORLD, 0, 2, (check_n + 1) / 2); /* not all are in this one */
    expect_members(last, &back, "in another life");
    expect_works(last, &back, "in another life");
    REQUIRE(shmem_team_create_ctx(last, 0, &ctx) == 0, "a context in life %d", life);
    shmem_ctx_long_put_nbi(ctx, &dest, &value, 0, 0);
    value = 100 * life + check_me;
    const int to = (check_me + 1) % check_n;
    shmem_ctx_long_p(ctx, &dest, value, shmem_team_translate_pe(SHMEM_TEAM_WORLD, to, last));
    if (half != SHMEM_TEAM_INVALID) shmem_team_sync(half);
    if (check_failures) check_give_up();
    shmem_finalize();
    CHECK_EQ(dest, 100 * life + (check_me + check_n - 1) % check_n, "put through a team's context, life %d", life);
  }
  return check_result();
}
