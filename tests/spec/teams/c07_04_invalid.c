/* Point 7.4: SHMEM_TEAM_INVALID everywhere it is allowed: nothing is there, nothing happens, nothing is awaited (one PE
 * alone may ask). Also NULL from shmem_team_ptr and shmem_ctx_get_team's answer. */
#include "teams.h"

static long symmetric;

int main(void) {
  check_begin();
  const shmem_team_t none = SHMEM_TEAM_INVALID;
  shmem_team_config_t config;
  shmem_team_t team = SHMEM_TEAM_WORLD, x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_SHARED;
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  /* PE 0 alone, then all */
  for (int round = 0; round < 2; ++round) {
    if (round == 1) shmem_barrier_all();
    if (round == 0 && check_me != 0) continue;
    CHECK_EQ(shmem_team_my_pe(none), -1, "number");
    CHECK_EQ(shmem_team_n_pes(none), -1, "members");
    for (int pe = -1; pe <= check_n; ++pe) {
      CHECK_EQ(shmem_team_translate_pe(none, pe, SHMEM_TEAM_WORLD), -1, "from INVALID");
      CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, none), -1, "to INVALID");
      CHECK_EQ(shmem_team_translate_pe(none, pe, none), -1, "INVALID both");
      CHECK(shmem_team_ptr(none, &symmetric, pe) == NULL, "team_ptr of INVALID");
    }
    config.num_contexts = 77;
    CHECK(shmem_team_get_config(none, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0, "get_config of INVALID");
    CHECK(shmem_team_get_config(none, 0, NULL) != 0, "get_config of INVALID, no mask");
    CHECK(shmem_team_split_strided(none, 0, 1, 1, NULL, 0, &team) != 0, "split of INVALID");
    CHECK(team == SHMEM_TEAM_INVALID, "what a split of INVALID gave");
    CHECK(shmem_team_split_2d(none, 1, NULL, 0, &x, NULL, 0, &y) != 0, "split_2d of INVALID");
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "what a split_2d of INVALID gave");
    CHECK(shmem_team_split_strided(none, 0, 1, 1, &config, SHMEM_TEAM_NUM_CONTEXTS, &team) != 0, "with a config");
    CHECK(shmem_team_create_ctx(none, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID, "context of INVALID");
    shmem_team_destroy(none);
    CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID, "team of no context");
    team = x = SHMEM_TEAM_WORLD;
    y = SHMEM_TEAM_SHARED;
    ctx = SHMEM_CTX_DEFAULT;
  }
  shmem_barrier_all();
  /* translation beyond the members, the predefined teams among themselves */
  const int one_machine = shmem_team_n_pes(SHMEM_TEAM_SHARED) == check_n;
  for (int pe = -2; pe <= check_n + 1; ++pe) {
    const int there = pe >= 0 && pe < check_n ? pe : -1;
    const int shared = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED);
    if (there < 0 || one_machine) CHECK_EQ(shared, there, "PE %d", pe);
    if (shared >= 0) CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, shared, SHMEM_TEAM_WORLD), pe, "PE %d", pe);
    if (pe < 0 || pe >= shmem_team_n_pes(SHMEM_TEAM_SHARED))
      CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD), -1, "PE %d of SHARED", pe);
    CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_WORLD), there, "PE %d", pe);
  }
  CHECK_EQ(shmem_team_my_pe(SHMEM_TEAM_WORLD), check_me, "own number in WORLD");
  CHECK_EQ(shmem_team_n_pes(SHMEM_TEAM_WORLD), check_n, "members of WORLD");
  CHECK_EQ(shmem_team_translate_pe(SHMEM_TEAM_SHARED, shmem_team_my_pe(SHMEM_TEAM_SHARED), SHMEM_TEAM_WORLD), check_me,
           "own number in SHARED");
  return check_end();
}
