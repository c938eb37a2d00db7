/* Point 11.1: sessions are hints. No combination of options, masks and configurations is an error or changes what an
 * operation does, when it completes or what a fence orders; starting twice adds, stopping twice is harmless, and a
 * context that is destroyed in a session is just destroyed. On default, created, private and teams' contexts. */
#include "check.h"

#include <limits.h>

static long data[64], flag;
static uint64_t sig;

/* Options a later specification may define are hints as well. */
static const long kOptions[] = {0, SHMEM_CTX_SESSION_BATCH, SHMEM_CTX_SESSION_BATCH | 1L << 40, ~0L};
enum { kOptionSets = sizeof kOptions / sizeof *kOptions };
static const size_t kTotals[] = {0, 1, 7, 1000000, SIZE_MAX};
enum { kTotalSets = sizeof kTotals / sizeof *kTotals };

/* The context's team numbers the PEs backwards or as the job does. */
static void work(shmem_ctx_t ctx, int backwards, long round) {
  const int right = (check_me + 1) % check_n, left = (check_me + check_n - 1) % check_n;
  const int to = backwards ? check_n - 1 - right : right;
  const long words[4] = {round, round + 1, round + 2, round + 3};
  long fetched = -1;
  shmem_ctx_long_put_nbi(ctx, data, words, 4, to);
  shmem_ctx_long_p(ctx, &data[4], round + 4, to);
  shmem_ctx_long_atomic_add(ctx, &data[5], 1, to);
  shmem_ctx_long_atomic_add(ctx, &data[5], 2, to);
  shmem_ctx_long_atomic_fetch_add_nbi(ctx, &fetched, &data[6], round, to);
  shmem_ctx_fence(ctx);
  shmem_ctx_long_atomic_set(ctx, &flag, round, to);
  shmem_ctx_signal_set(ctx, &sig, (uint64_t)round, to);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
  for (int k = 0; k < 5; ++k) CHECK_EQ(data[k], round + k, "word %d from PE %d before its flag", k, left);
  shmem_ctx_quiet(ctx);
  CHECK_EQ(fetched, round * (round - 1) / 2, "the fetched value");
  shmem_barrier_all();
  CHECK_EQ(data[5], 3 * round, "added");
  CHECK_EQ(data[6], round * (round + 1) / 2, "fetch-added");
  CHECK_EQ(shmem_signal_fetch(&sig), round, "the signal");
  shmem_barrier_all();
}

int main(void) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx[5];
  const int backwards[5] = {0, 0, 0, 1, 1};
  long round = 0;
  shmem_ctx_session_config_t config;
  check_begin();
  STEP("no context");
  config.total_ops = 5;
  shmem_ctx_session_start(SHMEM_CTX_INVALID, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
  shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0);
  shmem_ctx_session_stop(SHMEM_CTX_INVALID);
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &team) == 0, "a team");
  ctx[0] = SHMEM_CTX_DEFAULT;
  REQUIRE(shmem_ctx_create(0, &ctx[1]) == 0 && shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx[2]) == 0, "contexts");
  REQUIRE(shmem_team_create_ctx(team, SHMEM_CTX_SERIALIZED, &ctx[3]) == 0, "a team's context");
  REQUIRE(shmem_team_create_ctx(team, SHMEM_CTX_NOSTORE, &ctx[4]) == 0, "a team's context");
  for (int c = 0; c < 5; ++c) {
    STEP("stop without a session, twice");
    shmem_ctx_session_stop(ctx[c]);
    shmem_ctx_session_stop(ctx[c]);
    work(ctx[c], backwards[c], ++round);
    STEP("in sessions");
    for (int o = 0; o < kOptionSets; ++o) {
      for (int t = 0; t < kTotalSets; ++t) {
        const size_t total = config.total_ops = kTotals[t];
        shmem_ctx_session_start(ctx[c], kOptions[o], &config, t % 2 ? SHMEM_CTX_SESSION_TOTAL_OPS : 0);
        CHECK(config.total_ops == total, "the configuration is the caller's");
        work(ctx[c], backwards[c], ++round); /* more operations than announced, or fewer */
        if (t == 2) shmem_ctx_session_start(ctx[c], kOptions[kOptionSets - 1 - o], NULL, 0); /* in a running one */
        if (t == 3) shmem_ctx_session_stop(ctx[c]);
      }
      work(ctx[c], backwards[c], ++round);
      shmem_ctx_session_stop(ctx[c]);
      work(ctx[c], backwards[c], ++round);
    }
    STEP("only some PEs hint, and each what it likes");
    if (check_me % 2 == 0) shmem_ctx_session_start(ctx[c], kOptions[check_me % kOptionSets], NULL, 0);
    work(ctx[c], backwards[c], ++round);
    if (check_me == 0) shmem_ctx_session_stop(ctx[c]);
    work(ctx[c], backwards[c], ++round);
  }
  STEP("two sessions at once");
  shmem_ctx_session_start(ctx[1], SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_session_start(ctx[3], 0, NULL, 0);
  work(ctx[1], 0, ++round);
  work(ctx[3], 1, ++round);
  work(ctx[0], 0, ++round);
  STEP("destroyed in a session");
  shmem_ctx_destroy(ctx[1]);
  shmem_ctx_destroy(ctx[2]);
  shmem_team_destroy(team); /* with its contexts */
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  work(SHMEM_CTX_DEFAULT, 0, ++round);
  return check_end(); /* and finalized in one */
}
