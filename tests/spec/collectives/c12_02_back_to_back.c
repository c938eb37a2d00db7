/* Points 12.2 and 12.4: a collective that returned has completed this PE's target and is done with its source, and the
 * next one may follow at once. Two targets by turns are enough for operations in which each PE needs all others: who is
 * in the next call has its last result. Teams that share members follow each other too. */
#include "check.h"

enum { kCalls = 300, kMost = 33, kMostPes = 64 };

static long g_source[kMost * kMostPes];
static long g_dest[2][kMost * kMostPes];

static long value(int call, int pe, int i) { return call * 100000L + pe * 100L + i; }

/* Spoils what a peer may not need any more, as soon as the call has returned. */
static void spoil(int n) {
  for (int i = 0; i < n; ++i) g_source[i] = -1;
}

static void reductions(shmem_team_t team, const char* name) {
  const int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
  for (int call = 0; call < kCalls; ++call) {
    const int count = call % kMost + 1;
    long* const dest = g_dest[call % 2];
    for (int i = 0; i < count; ++i) g_source[i] = value(call, me, i);
    CHECK_EQ(shmem_long_sum_reduce(team, dest, g_source, (size_t)count), 0, "result of the reduction");
    spoil(count);
    for (int i = 0; i < count; ++i) {
      CHECK_EQ(dest[i], n * value(call, 0, i) + 100L * n * (n - 1) / 2, "%s: call %d, element %d", name, call, i);
    }
  }
}

static void blocks(shmem_team_t team, const char* name) {
  const int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
  for (int call = 0; call < kCalls; ++call) {
    const int count = call % 5 + 1;
    long* const dest = g_dest[call % 2];
    const int all = call % 3 == 0 ? n * count : count; /* alltoall sends a block to each */
    for (int i = 0; i < all; ++i) g_source[i] = value(call, me, i);
    if (call % 3 == 0)
      shmem_long_alltoall(team, dest, g_source, (size_t)count);
    else if (call % 3 == 1)
      shmem_long_fcollect(team, dest, g_source, (size_t)count);
    else
      shmem_long_collect(team, dest, g_source, (size_t)count);
    spoil(all);
    for (int pe = 0; pe < n; ++pe)
      for (int i = 0; i < count; ++i) {
        const int there = call % 3 == 0 ? me * count + i : i;
        CHECK_EQ(dest[pe * count + i], value(call, pe, there), "%s: call %d, from %d, element %d", name, call, pe, i);
      }
  }
}

/* Broadcasts do not hold the others up: each has a target of its own until all have met. */
static void broadcasts(shmem_team_t team, const char* name) {
  const int n = shmem_team_n_pes(team), me = shmem_team_my_pe(team);
  static long dest[64];
  for (int round = 0; round < 20; ++round) {
    memset(dest, 0, sizeof dest);
    shmem_team_sync(team);
    for (int call = 0; call < 64; ++call) {
      const int root = (round + call * 3) % n;
      g_source[0] = value(call, me, round);
      shmem_long_broadcast(team, &dest[call], g_source, 1, root);
      g_source[0] = -1;
      CHECK_EQ(dest[call], value(call, root, round), "%s: broadcast %d of round %d", name, call, round);
    }
    shmem_team_sync(team);
  }
}

static void all_over(shmem_team_t team, const char* name) {
  if (team == SHMEM_TEAM_INVALID) return;
  STEP(name);
  reductions(team, name);
  blocks(team, name);
  broadcasts(team, name);
}

int main(void) {
  shmem_team_t reversed, even;
  check_begin();
  REQUIRE(check_n <= kMostPes, "%d PEs are more than this test has room for", check_n);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &reversed);
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (check_n + 1) / 2, NULL, 0, &even);
  all_over(SHMEM_TEAM_WORLD, "WORLD");
  all_over(reversed, "reversed");
  all_over(even, "even");
  shmem_barrier_all();
  /* One call of each by turns: a PE that is in two of the teams may be a call ahead in one. */
  for (int call = 0; call < kCalls; ++call) {
    const shmem_team_t turns[3] = {SHMEM_TEAM_WORLD, even, reversed};
    const shmem_team_t team = turns[call % 3];
    int n;
    if (team == SHMEM_TEAM_INVALID) continue;
    n = shmem_team_n_pes(team);
    g_source[0] = call + shmem_team_my_pe(team);
    shmem_long_max_reduce(team, g_dest[call % 2], g_source, 1);
    CHECK_EQ(g_dest[call % 2][0], call + n - 1, "call %d, by turns", call);
  }
  return check_end();
}
