/* Points 6.8 and 6.3: shmem_team_destroy completes and destroys the shareable contexts that are left of the team,
 * however many, and no other team's. Contexts of its own kind live on: those of the parent, of a child, of WORLD.
 * Destroyed ones leave their room to new ones. Point 7.9: AMOs through contexts of different teams on one word are
 * atomic. */
#include "teams.h"

enum { kContexts = 50, kRounds = 40, kTimes = 300 };
static long word, mail[kMostPes], shared_word;

static int next_number(shmem_team_t team) {
  return shmem_team_translate_pe(SHMEM_TEAM_WORLD, (check_me + 1) % check_n, team);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const int n = check_n, before = (check_me + n - 1) % n;
  shmem_ctx_t parents[2], worlds, childs, left[kContexts];
  shmem_team_t parent = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);
  REQUIRE(shmem_ctx_create(0, &worlds) == 0, "a context of WORLD");
  REQUIRE(shmem_team_create_ctx(parent, 0, &parents[0]) == 0, "a context of the parent");
  for (int round = 0; round < kRounds; ++round) {
    shmem_team_t team = need_part(parent, 0, 1, n), child = need_part(team, n - 1, -1, n);
    const int live = round % 3 == 0 ? kContexts : round % 3;
    REQUIRE(shmem_team_create_ctx(child, 0, &childs) == 0, "a context of the child");
    for (int k = 0; k < live; ++k) REQUIRE(shmem_team_create_ctx(team, 0, &left[k]) == 0, "context %d", k);
    REQUIRE(shmem_team_create_ctx(parent, 0, &parents[1]) == 0, "another one of the parent");
    const long v = 1000L * round + check_me;
    shmem_ctx_long_put_nbi(left[0], &mail[check_me], &v, 1, next_number(team));
    shmem_team_destroy(team); /* left[] go, completed */
    shmem_sync_all();
    CHECK_EQ(mail[before], 1000L * round + before, "what the team's context had put, round %d", round);
    /* the others have not gone */
    shmem_ctx_long_p(parents[0], &word, v + 1, next_number(parent));
    shmem_ctx_quiet(parents[0]);
    shmem_barrier_all();
    CHECK_EQ(word, 1000L * round + before + 1, "through the parent's context");
    shmem_barrier_all();
    shmem_ctx_long_p(childs, &word, v + 2, next_number(child)); /* a child outlives its parent */
    shmem_ctx_quiet(childs);
    shmem_barrier_all();
    CHECK_EQ(word, 1000L * round + before + 2, "through the child's context");
    shmem_barrier_all();
    shmem_ctx_long_p(worlds, &word, v + 3, (check_me + 1) % n);
    shmem_ctx_long_p(parents[1], &mail[check_me], v + 4, next_number(parent));
    shmem_ctx_quiet(worlds);
    shmem_ctx_quiet(parents[1]);
    shmem_barrier_all();
    CHECK_EQ(word, 1000L * round + before + 3, "through WORLD's context");
    CHECK_EQ(mail[before], 1000L * round + before + 4, "through the parent's other context");
    shmem_barrier_all();
    shmem_ctx_destroy(parents[1]);
    shmem_ctx_destroy(childs);
    shmem_team_destroy(child);
  }
  STEP("one word through many contexts");
  { /* PE 0's word, by each way there is */
    shmem_team_t ofs = need_part(check_team_of_all(), n - 1, -1, n);
    shmem_ctx_t shareds, plain;
    REQUIRE(shmem_team_create_ctx(ofs, 0, &shareds) == 0 && shmem_team_create_ctx(check_team_of_all(), 0, &plain) == 0,
            "contexts of and from SHARED");
    for (int k = 0; k < kTimes; ++k) {
      shmem_ctx_long_atomic_inc(parents[0], &shared_word, n - 1);
      shmem_ctx_long_atomic_add(worlds, &shared_word, 1, 0);
      (void)shmem_ctx_long_atomic_fetch_inc(shareds, &shared_word, n - 1);
      (void)shmem_ctx_long_atomic_fetch_add(plain, &shared_word, 1, 0);
      shmem_long_atomic_inc(&shared_word, 0);
    }
    shmem_ctx_quiet(parents[0]);
    shmem_ctx_quiet(worlds);
    shmem_ctx_quiet(shareds);
    shmem_ctx_quiet(plain);
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&shared_word, 0), 5L * kTimes * n, "AMOs of all");
    shmem_barrier_all();
    shmem_team_destroy(ofs);
    shmem_ctx_destroy(plain);
  }
  shmem_ctx_destroy(worlds);
  shmem_team_destroy(parent);
  return check_end();
}
