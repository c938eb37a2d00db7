/* Points 7.4, 7.8 and 8.6: misuse of teams ends the job with a line that names the PE and the routine. The argument
 * says which; all PEs do it, or the last one alone. */
#include "teams.h"

static long dest[kMostPes], source[2];

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  check_begin();
  const int last = check_me == check_n - 1;
  team = need_part(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n);
  REQUIRE(shmem_team_create_ctx(team, 0, &ctx) == 0, "a context");
  shmem_sync_all();
  if (!strcmp(what, "world")) shmem_team_destroy(SHMEM_TEAM_WORLD);
  if (!strcmp(what, "shared")) shmem_team_destroy(SHMEM_TEAM_SHARED);
  if (!strcmp(what, "world_by_one") && last) shmem_team_destroy(SHMEM_TEAM_WORLD);
  if (!strcmp(what, "sync_invalid") && last) shmem_team_sync(SHMEM_TEAM_INVALID);
  if (!strcmp(what, "reduce_invalid") && last) shmem_long_sum_reduce(SHMEM_TEAM_INVALID, dest, source, 1);
  if (!strcmp(what, "config_null") && last) shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, NULL);
  if (!strcmp(what, "new_team_null") && last) shmem_team_split_strided(team, 0, 1, 1, NULL, 0, NULL);
  if (!strcmp(what, "ctx_pe") && last) shmem_ctx_long_p(ctx, dest, 1, check_n);
  if (!strcmp(what, "ctx_negative") && last) (void)shmem_ctx_long_g(ctx, dest, -1);
  if (!strcmp(what, "ctx_amo") && last) shmem_ctx_long_atomic_inc(ctx, dest, check_n + 6);
  if (!strcmp(what, "ctx_quiet") && last) {
    const int pes[] = {0, check_n};
    shmem_ctx_pe_quiet(ctx, pes, 2);
  }
  if (!strcmp(what, "root") && last) shmem_long_broadcast(team, dest, source, 1, check_n);
  shmem_team_destroy(team);
  if (!strcmp(what, "twice") && last) shmem_team_destroy(team);
  if (!strcmp(what, "number_of_destroyed") && last) (void)shmem_team_my_pe(team);
  if (!strcmp(what, "sync_destroyed") && last) shmem_team_sync(team);
  if (!strcmp(what, "split_destroyed") && last) need_part(team, 0, 1, 1);
  if (!strcmp(what, "ctx_of_destroyed") && last) shmem_team_create_ctx(team, 0, &ctx);
  if (!strcmp(what, "ctx_destroyed") && last) shmem_ctx_long_p(ctx, dest, 1, 0);
  if (!strcmp(what, "not_a_team") && last) shmem_team_sync((shmem_team_t)&source);
  shmem_barrier_all();
  return check_end();
}
