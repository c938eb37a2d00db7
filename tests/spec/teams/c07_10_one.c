/* Point 7.10: teams of one PE: every collective works and concerns this PE alone. All PEs use theirs at the same time
 * and one another's timing does not matter. Also their children, contexts and grids. */
#include "teams.h"

enum { kWords = 300 };
static long source[kWords], dest[kWords], strided[3 * kWords];

static void collectives(shmem_team_t team) {
  for (int k = 0; k < kWords; ++k) source[k] = 1000L * check_me + k;
#define EXPECT(FACTOR, NAME)                                                                    \
  do {                                                                                          \
    for (int k = 0; k < kWords; ++k) CHECK_EQ(dest[k], FACTOR* source[k], NAME ", word %d", k); \
    memset(dest, 0xff, sizeof dest);                                                            \
  } while (0)
  memset(dest, 0xff, sizeof dest);
  CHECK_EQ(shmem_long_broadcast(team, dest, source, kWords, 0), 0, "broadcast");
  EXPECT(1, "broadcast");
  CHECK_EQ(shmem_long_collect(team, dest, source, kWords), 0, "collect");
  EXPECT(1, "collect");
  CHECK_EQ(shmem_long_fcollect(team, dest, source, kWords), 0, "fcollect");
  EXPECT(1, "fcollect");
  CHECK_EQ(shmem_long_alltoall(team, dest, source, kWords), 0, "alltoall");
  EXPECT(1, "alltoall");
  CHECK_EQ(shmem_long_sum_reduce(team, dest, source, kWords), 0, "sum_reduce");
  EXPECT(1, "sum_reduce");
  CHECK_EQ(shmem_long_prod_reduce(team, dest, source, kWords), 0, "prod_reduce");
  EXPECT(1, "prod_reduce");
  CHECK_EQ(shmem_long_min_reduce(team, dest, source, kWords), 0, "min_reduce");
  EXPECT(1, "min_reduce");
  CHECK_EQ(shmem_long_max_reduce(team, dest, source, 3), 0, "max_reduce of few");
  for (int k = 0; k < 3; ++k) CHECK_EQ(dest[k], source[k], "max_reduce, word %d", k);
  memset(dest, 0xff, sizeof dest);
  CHECK_EQ(shmem_long_sum_inscan(team, dest, source, kWords), 0, "sum_inscan");
  EXPECT(1, "sum_inscan");
  CHECK_EQ(shmem_long_sum_exscan(team, dest, source, kWords), 0, "sum_exscan");
  EXPECT(0, "sum_exscan");
  CHECK_EQ(shmem_broadcastmem(team, dest, source, sizeof source, 0), 0, "broadcastmem");
  EXPECT(1, "broadcastmem");
  CHECK_EQ(shmem_alltoallmem(team, dest, source, sizeof source), 0, "alltoallmem");
  EXPECT(1, "alltoallmem");
  memset(strided, 0xff, sizeof strided);
  CHECK_EQ(shmem_long_alltoalls(team, strided, source, 3, 1, kWords), 0, "alltoalls");
  for (int k = 0; k < 3 * kWords; ++k) CHECK_EQ(strided[k], k % 3 == 0 ? source[k / 3] : -1, "alltoalls, word %d", k);
  CHECK_EQ(shmem_long_sum_reduce(team, source, source, kWords), 0, "in place");
  CHECK_EQ(source[7], 1000L * check_me + 7, "in place");
  CHECK_EQ(shmem_team_sync(team), 0, "sync");
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  shmem_team_t mine = SHMEM_TEAM_INVALID, row = SHMEM_TEAM_INVALID, column = SHMEM_TEAM_INVALID;
  Members alone;
  alone.n = 1;
  alone.pe[0] = check_me;
  for (int pe = 0; pe < check_n; ++pe) {
    shmem_team_t team = need_part(SHMEM_TEAM_WORLD, pe, pe % 3 - 1, 1);
    if (pe == check_me)
      mine = team;
    else
      CHECK(team == SHMEM_TEAM_INVALID, "the team of PE %d", pe);
  }
  usleep((useconds_t)(check_me * 300));
  expect_members(mine, &alone, "alone");
  collectives(mine);
  STEP("its children");
  for (int k = 0; k < 100; ++k) {
    shmem_team_t child = need_part(mine, 0, k, 1);
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    expect_members(child, &alone, "a child alone");
    if (k % 20 == 0) collectives(child);
    CHECK_EQ(shmem_team_create_ctx(child, 0, &ctx), 0, "a context");
    shmem_ctx_long_p(ctx, dest, k, 0);
    CHECK_EQ(dest[0], k, "p to member 0, which is this PE");
    shmem_team_destroy(child);
  }
  CHECK_EQ(shmem_team_split_2d(mine, 5, NULL, 0, &row, NULL, 0, &column), 0, "a grid of one");
  expect_members(row, &alone, "a row of one");
  expect_members(column, &alone, "a column of one");
  collectives(row);
  collectives(column);
  shmem_team_destroy(row);
  shmem_team_destroy(column);
  STEP("a grid one wide");
  CHECK_EQ(shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &row, NULL, 0, &column), 0, "a grid one wide");
  expect_members(row, &alone, "a row of one");
  collectives(row);
  shmem_team_destroy(row);
  shmem_team_destroy(column);
  shmem_team_destroy(mine);
  return check_end();
}
