/* Point 7.7: configurations. NULL with mask 0 is fine, only masked fields are read or written, get_config tells what
 * the team was made with, rows and columns have their own, and PEs that are in no new team may pass another one. As
 * many contexts as asked for can be made of the team; more may. */
#include "teams.h"

static int contexts_of(shmem_team_t team) {
  shmem_team_config_t config;
  config.num_contexts = -12345;
  CHECK_EQ(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config), 0, "get_config");
  return config.num_contexts;
}

static void unmasked_is_left_alone(shmem_team_t team) {
  shmem_team_config_t config;
  config.num_contexts = -12345;
  CHECK_EQ(shmem_team_get_config(team, 0, &config), 0, "get_config without mask");
  CHECK_EQ(config.num_contexts, -12345, "an unmasked field");
  CHECK_EQ(shmem_team_get_config(team, 0, NULL), 0, "get_config of nothing");
}

int main(void) {
  check_begin();
  const int n = check_n;
  shmem_team_config_t config, other;
  shmem_team_t team = SHMEM_TEAM_INVALID, x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx[9];
  unmasked_is_left_alone(SHMEM_TEAM_WORLD);
  unmasked_is_left_alone(SHMEM_TEAM_SHARED);
  CHECK(contexts_of(SHMEM_TEAM_WORLD) >= 0, "contexts of WORLD: %d", contexts_of(SHMEM_TEAM_WORLD));

  STEP("no mask");
  config.num_contexts = 9;
  CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, &config, 0, &team), 0, "a config that is not masked");
  CHECK_EQ(contexts_of(team), 0, "the default");
  unmasked_is_left_alone(team);
  REQUIRE(shmem_team_create_ctx(team, 0, &ctx[0]) == 0, "a context all the same");
  shmem_ctx_destroy(ctx[0]);
  shmem_team_destroy(team);

  STEP("with a mask");
  CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, &config, SHMEM_TEAM_NUM_CONTEXTS, &team), 0,
           "a config");
  CHECK_EQ(config.num_contexts, 9, "the caller's own is not changed");
  config.num_contexts = 1; /* the caller's own; the team has its copy */
  CHECK_EQ(contexts_of(team), 9, "as asked for");
  for (int k = 0; k < 9; ++k) CHECK_EQ(shmem_team_create_ctx(team, 0, &ctx[k]), 0, "context %d", k);
  for (int k = 0; k < 9; ++k) shmem_ctx_destroy(ctx[k]);

  STEP("configurations of a team's teams");
  CHECK_EQ(shmem_team_split_strided(team, 0, 1, n, NULL, 0, &x), 0, "a child");
  CHECK_EQ(contexts_of(x), 0, "a child does not inherit");
  shmem_team_destroy(x);
  shmem_team_destroy(team);

  STEP("a reused slot");
  team = need_part(SHMEM_TEAM_WORLD, 0, 1, n);
  CHECK_EQ(contexts_of(team), 0, "nothing of the last team is left");
  shmem_team_destroy(team);

  STEP("rows and columns");
  const int width = (n + 1) / 2;
  config.num_contexts = 3 + check_me / width; /* alike within a row */
  other.num_contexts = 50 + check_me % width; /* alike within a column */
  CHECK_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, width, &config, SHMEM_TEAM_NUM_CONTEXTS, &x, &other,
                               SHMEM_TEAM_NUM_CONTEXTS, &y),
           0, "split_2d");
  CHECK_EQ(contexts_of(x), 3 + check_me / width, "the row's");
  CHECK_EQ(contexts_of(y), 50 + check_me % width, "the column's");
  shmem_team_destroy(x);
  shmem_team_destroy(y);
  CHECK_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, width, &config, 0, &x, &other, SHMEM_TEAM_NUM_CONTEXTS, &y), 0,
           "one masked");
  CHECK_EQ(contexts_of(x), 0, "the row's, not masked");
  CHECK_EQ(contexts_of(y), 50 + check_me % width, "the column's, masked");
  shmem_team_destroy(x);
  shmem_team_destroy(y);

  STEP("PEs outside");
  const int members = (n + 1) / 2;
  config.num_contexts = check_me < members ? 4 : 1000 + check_me;
  CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, members, &config, SHMEM_TEAM_NUM_CONTEXTS, &team), 0,
           "members agree");
  if (check_me < members) CHECK_EQ(contexts_of(team), 4, "the members'");
  CHECK((team != SHMEM_TEAM_INVALID) == (check_me < members), "only they are in it");
  shmem_team_destroy(team);
  return check_end();
}
