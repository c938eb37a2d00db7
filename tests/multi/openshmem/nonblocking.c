/* Non-blocking collectives (shmemx.h): several under way at a time, completed in any order, with blocking collectives
 * and waits in between; the results are those of the blocking ones. */
#include <shmemx.h>
#include "../../spec/check.h"

enum { kCount = 5000, kMostPes = 16, kRounds = 40 };

static long source[3][kCount];
static long dest[4][kCount];
static long blocks_out[kCount * kMostPes];
static long blocks_in[kCount * kMostPes];
static long arrived;
static long before_barrier[kMostPes];

static long value_of(int pe, int round, long i) { return 1000L * pe + 17L * round + i; }

static void fill(int round) {
  for (long i = 0; i < kCount; ++i) {
    source[0][i] = value_of(check_me, round, i);
    source[1][i] = check_me + round;
    source[2][i] = (check_me * 7 + round) % 5;
    dest[3][i] = source[2][i];
  }
  for (long i = 0; i < (long)kCount * check_n; ++i) blocks_out[i] = value_of(check_me, round, i);
  memset(dest[0], 0xff, sizeof dest[0]);
}

static void check_results(int round) {
  long most = 0;
  for (int pe = 0; pe < check_n; ++pe) {
    const long held = (pe * 7 + round) % 5;
    most = held > most ? held : most;
  }
  for (long i = 0; i < kCount; ++i) {
    CHECK_EQ(dest[0][i], value_of(round % check_n, round, i), "broadcast");
    CHECK_EQ(dest[1][i], check_n * (check_n - 1L) / 2 + (long)check_n * round, "sum");
    CHECK_EQ(dest[3][i], most, "max in place");
    if (check_failures > 0) return;
  }
  for (int pe = 0; pe < check_n; ++pe) {
    for (long i = 0; i < kCount; ++i) {
      CHECK_EQ(blocks_in[(long)pe * kCount + i], value_of(pe, round, (long)check_me * kCount + i), "alltoall");
      if (check_failures > 0) return;
    }
  }
}

static void finish_in_some_order(shmemx_req_t* requests, int count, int round) {
  for (int k = 0; k < count; ++k) {
    shmemx_req_t* request = &requests[(k * 3 + round + check_me) % count];
    if ((round + k) % 2 == 0) {
      shmemx_req_wait(request);
    } else {
      while (!shmemx_req_test(request)) continue;
    }
    CHECK(*request == SHMEMX_REQ_INVALID, "a completed request is %p", (void*)*request);
    CHECK_EQ(shmemx_req_test(request), 1, "test of a request that is complete");
    shmemx_req_wait(request);
  }
}

static void one_round(shmem_team_t team, int round) {
  shmemx_req_t requests[5];
  fill(round);
  shmem_sync_all();
  for (int pe = 0; pe < check_n; ++pe) shmem_long_p(&before_barrier[check_me], round + 1, pe);
  CHECK_EQ(shmemx_long_broadcast_nb(team, dest[0], source[0], kCount, round % check_n, &requests[0]), 0, "start");
  CHECK_EQ(shmemx_long_sum_reduce_nb(team, dest[1], source[1], kCount, &requests[1]), 0, "start");
  CHECK_EQ(shmemx_alltoallmem_nb(team, blocks_in, blocks_out, kCount * sizeof(long), &requests[2]), 0, "start");
  CHECK_EQ(shmemx_long_max_reduce_nb(team, dest[3], dest[3], kCount, &requests[3]), 0, "start");
  CHECK_EQ(shmemx_team_barrier_nb(team, &requests[4]), 0, "start");
  if (round % 3 == 0) shmem_team_sync(team);
  if (round % 4 == 0) {
    /* The others can finish their reductions only with PE 0's part of the work, which it does inside this wait. */
    if (check_me == 0) {
      shmem_long_wait_until(&arrived, SHMEM_CMP_EQ, (check_n - 1L) * (round / 4 + 1));
    } else {
      shmemx_req_wait(&requests[1]);
      shmemx_req_wait(&requests[3]);
      shmem_long_atomic_inc(&arrived, 0);
    }
  }
  finish_in_some_order(requests, 5, round);
  for (int pe = 0; pe < check_n; ++pe) CHECK_EQ(before_barrier[pe], round + 1L, "put before the barrier");
  check_results(round);
  shmem_sync_all();
}

/* Nothing to move, and more calls than anybody waits for at a time. */
static void empty_and_many(void) {
  enum { kMany = 10000 };
  static shmemx_req_t requests[kMany];
  for (int k = 0; k < kMany; ++k) {
    if (k % 3 == 0)
      CHECK_EQ(shmemx_broadcastmem_nb(SHMEM_TEAM_WORLD, NULL, NULL, 0, k % check_n, &requests[k]), 0, "start");
    if (k % 3 == 1) CHECK_EQ(shmemx_uint_or_reduce_nb(SHMEM_TEAM_WORLD, NULL, NULL, 0, &requests[k]), 0, "start");
    if (k % 3 == 2) CHECK_EQ(shmemx_team_barrier_nb(SHMEM_TEAM_WORLD, &requests[k]), 0, "start");
  }
  for (int k = kMany - 1; k >= 0; --k) shmemx_req_wait(&requests[k]);
}

/* What one call leaves another one takes up, on the root too. */
static void in_order(void) {
  shmemx_req_t requests[2];
  for (int i = 0; i < 3; ++i) source[0][i] = check_me + i;
  shmem_sync_all();
  CHECK_EQ(shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest[0], source[0], 3, &requests[0]), 0, "start");
  CHECK_EQ(shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, dest[1], dest[0], 3, 0, &requests[1]), 0, "start");
  shmemx_req_wait(&requests[1]);
  shmemx_req_wait(&requests[0]);
  for (int i = 0; i < 3; ++i) CHECK_EQ(dest[1][i], check_n * (check_n - 1L) / 2 + (long)check_n * i, "sum, then sent");
  shmem_sync_all();
}

/* PE 0 owes the others its part of a sum while it only tests, or only meets one other PE again and again, or calls
 * collectives in which it waits for nobody. */
enum { kTesting, kMeeting, kSending, kWays };

static void until_told(int way, int round, const int* told, shmem_team_t pair, shmem_team_t alone) {
  static int seen, agreed, sent;
  if (way == kTesting) {
    while (!shmem_int_test((int*)told, SHMEM_CMP_GE, round)) continue;
  } else if (way == kMeeting && pair != SHMEM_TEAM_INVALID) {
    do {
      seen = shmem_int_atomic_fetch(told, check_me);
      shmem_team_sync(pair); /* before it, nobody reads `agreed` any more */
      shmem_int_min_reduce(pair, &agreed, &seen, 1);
    } while (agreed < round);
  } else if (way == kSending && alone != SHMEM_TEAM_INVALID) {
    while (shmem_int_atomic_fetch(told, 0) < round) shmem_int_broadcast(alone, &sent, &seen, 1, 0);
  }
}

static void done_by_the_way(void) {
  static int told;
  shmemx_req_t request;
  shmem_team_t pair, alone;
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, check_n < 2 ? 1 : 2, NULL, 0, &pair) == 0, "no team");
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &alone) == 0, "no team");
  for (int way = kTesting; way < kWays; ++way) {
    for (long i = 0; i < kCount; ++i) source[1][i] = i;
    shmem_sync_all();
    CHECK_EQ(shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest[1], source[1], kCount, &request), 0, "start");
    if (check_me == check_n - 1) { /* this one waits for the sum, and lets the others go when it has it */
      shmemx_req_wait(&request);
      for (int pe = 0; pe < check_n; ++pe) shmem_int_atomic_set(&told, way + 1, pe);
    }
    /* The last of two PEs has what it waits for, and would wait for PE 0 in their meetings. */
    if (check_n > 2 || way != kMeeting) until_told(way, way + 1, &told, pair, alone);
    shmemx_req_wait(&request);
    CHECK_EQ(dest[1][kCount - 1], (long)check_n * (kCount - 1), "sum");
    shmem_sync_all();
  }
  shmem_team_destroy(pair);
  shmem_team_destroy(alone);
}

/* shmem_finalize completes what nobody has waited for, and the next life begins anew. */
static void left_at_the_end(void) {
  shmemx_req_t requests[3];
  for (int k = 0; k < 3; ++k) CHECK_EQ(shmemx_team_barrier_nb(SHMEM_TEAM_WORLD, &requests[k]), 0, "start");
  if (check_me != 0) shmemx_req_wait(&requests[0]);
  if (check_me == 0) usleep(20000);
  shmem_finalize();
  shmem_init();
  source[0][0] = 5;
  shmem_sync_all();
  CHECK_EQ(shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest[0], source[0], 1, &requests[0]), 0, "start");
  shmemx_req_wait(&requests[0]);
  CHECK_EQ(dest[0][0], 5L * check_n, "sum in the second life");
}

int main(void) {
  shmem_team_t backwards;
  check_begin();
  REQUIRE(check_n <= kMostPes, "at most %d PEs", kMostPes);
  for (int round = 0; round < kRounds && check_failures == 0; ++round) one_round(SHMEM_TEAM_WORLD, round);
  empty_and_many();
  in_order();
  done_by_the_way();
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &backwards) == 0, "no team");
  shmemx_req_t request;
  source[0][0] = check_me;
  shmem_sync_all();
  CHECK_EQ(shmemx_long_broadcast_nb(backwards, dest[0], source[0], 1, 0, &request), 0, "start");
  shmemx_req_wait(&request);
  CHECK_EQ(dest[0][0], check_n - 1L, "broadcast from the first of the reversed team");
  shmem_team_destroy(backwards);
  left_at_the_end();
  if (check_me == 0 && check_failures == 0) puts("nonblocking: all is right");
  return check_end();
}
