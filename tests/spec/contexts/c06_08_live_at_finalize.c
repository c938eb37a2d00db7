/* Point 6.8 (and 1.4), as far as it goes without team_destroy: shareable contexts, of teams too, that were not
 * destroyed go with the last finalize, which also completes what is pending on them. After another init new ones can be
 * made. */
#include "check.h"

enum { kLive = 50, kLives = 3 };

static long g_data[kLives + 1][kLive]; /* a row for each life: a fast neighbour may be in the next one */

int main(void) {
  static long source[kLives + 1][kLive];
  check_watch();
  for (int life = 1; life <= kLives; ++life) {
    shmem_init();
    check_identify();
    for (int i = 0; i < kLive; ++i) {
      shmem_ctx_t ctx = SHMEM_CTX_INVALID;
      const int made = i % 3 == 0   ? shmem_ctx_create(0, &ctx)
                       : i % 3 == 1 ? shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx)
                                    : shmem_team_create_ctx(check_team_of_all(), SHMEM_CTX_SERIALIZED, &ctx);
      REQUIRE(made == 0, "context %d in life %d", i, life);
      source[life][i] = life * 1000 + check_me * 100 + i;
      shmem_ctx_long_put_nbi(ctx, &g_data[life][i], &source[life][i], 1, check_right(1));
    }
    {
      const int from = check_right(-1);
      shmem_finalize();
      /* static data is ordinary memory again, with what the others wrote */
      for (int i = 0; i < kLive; ++i)
        CHECK_EQ(g_data[life][i], life * 1000 + from * 100 + i, "pending at finalize, context %d, life %d", i, life);
    }
  }
  return check_result();
}
