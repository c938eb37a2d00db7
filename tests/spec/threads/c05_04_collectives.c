/* 5.4 MULTIPLE: a thread for each of four teams (WORLD, SHARED, one backwards, halves) runs collectives of all kinds on
 * it, all at the same time, with transfers and AMOs on a context of the team in between. Nothing of one team shows in
 * another. */
#include "../check.h"

#include <pthread.h>
#include <sched.h>

enum { kTeams = 4, kRounds = 80, kMostPes = 16, kWords = 40 };
static shmem_team_t teams[kTeams];
static long source[kTeams][kMostPes * kWords], dest[kTeams][kMostPes * kWords];
static long mail[kTeams][kMostPes], counter[kTeams];

/* The job's number of member k of team t. */
static int pe_of(int t, int k) {
  if (t == 2) return check_n - 1 - k;
  return t == 3 ? check_me % 2 + 2 * k : k;
}

static long value_of(int t, int round, int pe, int word) { return 100000L * round + 10000 * t + 100 * pe + word; }

#define EACH(K, LIMIT) for (int K = 0; K < (LIMIT); ++K)

static void* worker(void* number) {
  const int t = *(int*)number;
  const shmem_team_t team = teams[t];
  const int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
  long* const d = dest[t];
  long* const s = source[t];
  shmem_ctx_t ctx;
  CHECK_EQ(pe_of(t, me), check_me, "own number in team %d", t);
  if (shmem_team_create_ctx(team, t % 2 ? SHMEM_CTX_PRIVATE : 0, &ctx) != 0) {
    check_fail(__FILE__, __LINE__, "create_ctx", "team %d", t);
    return NULL;
  }
  for (int round = 1; round <= kRounds; ++round) {
    const int root = round % n, words = 1 + round % kWords;
    long sum = 0;
    EACH(w, n * kWords) s[w] = value_of(t, round, check_me, w % kWords);
    EACH(k, n) sum += value_of(t, round, pe_of(t, k), 0);
    if (round % 7 == check_me) sched_yield();

    shmem_long_broadcast(team, d, s, (size_t)words, root);
    EACH(w, words) CHECK_EQ(d[w], value_of(t, round, pe_of(t, root), w), "team %d, broadcast %d", t, round);
    shmem_team_sync(team);

    shmem_long_sum_reduce(team, d, s, (size_t)words);
    EACH(w, words) CHECK_EQ(d[w], sum + (long)n * w, "team %d, sum %d", t, round);
    shmem_team_sync(team);

    shmem_long_fcollect(team, d, s, (size_t)words);
    EACH(k, n)
    EACH(w, words)
    CHECK_EQ(d[k * words + w], value_of(t, round, pe_of(t, k), w), "team %d, fcollect %d", t, round);
    shmem_team_sync(team);

    shmem_long_collect(team, d, s, (size_t)(me % 2 ? 0 : words));
    EACH(k, (n + 1) / 2)
    EACH(w, words)
    CHECK_EQ(d[k * words + w], value_of(t, round, pe_of(t, 2 * k), w), "team %d, collect %d", t, round);
    shmem_team_sync(team);

    EACH(k, n) s[k] = value_of(t, round, check_me, k);
    shmem_long_alltoall(team, d, s, 1);
    EACH(k, n) CHECK_EQ(d[k], value_of(t, round, pe_of(t, k), me), "team %d, alltoall %d", t, round);
    shmem_team_sync(team);

    shmem_long_max_reduce(team, d, s, 2);
    EACH(w, 2)
    CHECK_EQ(d[w], value_of(t, round, t < 3 ? check_n - 1 : pe_of(t, n - 1), w), "team %d, max %d", t, round);
    shmem_team_sync(team);

    shmem_long_sum_inscan(team, d, s, 1);
    sum = 0;
    EACH(k, me + 1) sum += value_of(t, round, pe_of(t, k), 0);
    CHECK_EQ(d[0], sum, "team %d, inscan %d", t, round);

    /* the team's context, beside the other threads' collectives */
    const long v = value_of(t, round, check_me, 99);
    shmem_ctx_long_put_nbi(ctx, &mail[t][me], &v, 1, (me + 1) % n);
    shmem_ctx_long_atomic_inc(ctx, &counter[t], root);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(team);
    CHECK_EQ(mail[t][(me + n - 1) % n], value_of(t, round, pe_of(t, (me + n - 1) % n), 99), "team %d, mail %d", t,
             round);
    shmem_team_sync(team);
  }
  shmem_long_sum_reduce(team, d, &counter[t], 1);
  CHECK_EQ(d[0], (long)n * kRounds, "team %d, AMOs", t);
  shmem_ctx_destroy(ctx);
  return NULL;
}

int main(void) {
  pthread_t threads[kTeams];
  int numbers[kTeams], provided = -1;
  shmem_team_t even = SHMEM_TEAM_INVALID, odd = SHMEM_TEAM_INVALID;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided == SHMEM_THREAD_MULTIPLE && check_n <= kMostPes, "provided %d, %d PEs", provided, check_n);
  teams[0] = SHMEM_TEAM_WORLD;
  /* Another team of all than WORLD, which no two threads may use at a time. */
  teams[1] = SHMEM_TEAM_SHARED;
  if (shmem_team_n_pes(SHMEM_TEAM_SHARED) != check_n)
    REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, check_n, NULL, 0, &teams[1]) == 0, "all");
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &teams[2]) == 0, "backwards");
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (check_n + 1) / 2, NULL, 0, &even) == 0, "even");
  if (check_n > 1) REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, check_n / 2, NULL, 0, &odd) == 0, "odd");
  teams[3] = check_me % 2 ? odd : even;
  STEP("threads at work");
  for (int k = 0; k < kTeams; ++k) {
    const int t = (k + check_me) % kTeams;
    numbers[t] = t;
    REQUIRE(pthread_create(&threads[t], NULL, worker, &numbers[t]) == 0, "pthread_create");
  }
  for (int t = 0; t < kTeams; ++t) pthread_join(threads[t], NULL);
  if (teams[1] != SHMEM_TEAM_SHARED) shmem_team_destroy(teams[1]);
  shmem_team_destroy(teams[2]);
  shmem_team_destroy(teams[3]);
  return check_end();
}
