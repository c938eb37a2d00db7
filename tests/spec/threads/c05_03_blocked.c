/* 5.3 A thread that waits in the library does not stop its siblings. On every PE one thread blocks, in the call that
 * the argument names; another then does transfers, AMOs and contexts, and only when the busy threads of ALL PEs are
 * through with theirs are the blocked ones released. A mutex held while waiting would never let that happen. */
#include "../check.h"

#include <pthread.h>

enum { kTimes = 300 };
static long flag, lock, busy_done, data[64], inside;
static uint64_t sig;
static const char* what;
static int blocked_returned;

static shmem_team_t team;
static long reduced, one = 1;

/* All PEs are waited for. */
static int is_collective(void) {
  static const char* const kNames[] = {"barrier",   "sync",   "malloc", "team_sync",
                                       "broadcast", "reduce", "split",  "destroy"};
  for (size_t k = 0; k < sizeof kNames / sizeof *kNames; ++k)
    if (!strcmp(what, kNames[k])) return 1;
  return 0;
}

static void call_collective(void) {
  shmem_team_t child = SHMEM_TEAM_INVALID;
  if (!strcmp(what, "sync")) shmem_sync_all();
  if (!strcmp(what, "barrier")) shmem_barrier_all();
  if (!strcmp(what, "malloc")) shmem_free(shmem_malloc(1000));
  if (!strcmp(what, "team_sync")) shmem_team_sync(team);
  if (!strcmp(what, "broadcast")) shmem_long_broadcast(team, &reduced, &one, 1, check_n - 1); /* from PE 0 */
  if (!strcmp(what, "reduce")) {
    shmem_long_sum_reduce(team, &reduced, &one, 1);
    CHECK_EQ(reduced, check_n, "the sum");
  }
  if (!strcmp(what, "split")) {
    CHECK_EQ(shmem_team_split_strided(team, 0, 1, check_n, NULL, 0, &child), 0, "split");
    shmem_team_destroy(child);
  }
  if (!strcmp(what, "destroy")) shmem_team_destroy(team);
}

static void* blocker(void* unused) {
  (void)unused;
  __atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
  if (!strcmp(what, "wait_until")) {
    shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "wait_until_any")) {
    shmem_long_wait_until_any(&flag, 1, NULL, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "wait_until_all")) {
    shmem_long_wait_until_all(&flag, 1, NULL, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "wait_until_some")) {
    size_t index;
    shmem_long_wait_until_some(&flag, 1, &index, NULL, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "signal")) {
    shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "test")) {
    while (!shmem_long_test(&flag, SHMEM_CMP_NE, 0)) {
    }
  } else if (!strcmp(what, "lock")) {
    if (check_me == 0) {
      /* PE 0's main thread has it; a lock belongs to a PE, so this thread may not ask for it again */
      shmem_long_wait_until(&busy_done, SHMEM_CMP_EQ, check_n);
    } else {
      shmem_set_lock(&lock);
      shmem_clear_lock(&lock);
    }
  } else if (is_collective()) {
    /* PE 0 comes last: after it saw that everybody's busy thread is through */
    if (check_me == 0) shmem_long_wait_until(&busy_done, SHMEM_CMP_EQ, check_n);
    call_collective();
  }
  __atomic_store_n(&blocked_returned, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void be_busy(void) {
  long got[64], nbi = 0;
  int i;
  for (i = 0; i < kTimes; ++i) {
    const int to = i % check_n;
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_long_p(&data[check_me], i, to);
    shmem_long_put_nbi(&data[check_me], &data[check_me], 0, to);
    shmem_fence();
    shmem_quiet();
    CHECK_EQ(shmem_long_g(&data[check_me], to), i, "own word on PE %d", to);
    shmem_long_get(got, data, 64, to);
    CHECK(got[check_me] == i, "get");
    shmem_long_atomic_fetch_inc(&data[63], to);
    shmem_long_atomic_fetch_nbi(&nbi, &data[63], to);
    shmem_quiet();
    if (i % 10 == 0) {
      CHECK_EQ(shmem_ctx_create(0, &ctx), 0, "ctx_create");
      shmem_ctx_long_atomic_add(ctx, &data[62], 1, to);
      shmem_ctx_quiet(ctx);
      shmem_ctx_destroy(ctx);
      /* allocation-free queries too */
      CHECK(shmem_ptr(data, to) != NULL || shmem_addr_accessible(data, to) == 1, "queries");
    }
  }
}

int main(int argc, char** argv) {
  pthread_t thread;
  int provided = -1, pe;
  check_watch();
  what = argc > 1 ? argv[1] : "wait_until";
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided == SHMEM_THREAD_MULTIPLE && check_n <= 60, "provided %d, %d PEs", provided, check_n);
  if (!strcmp(what, "lock") && check_me == 0) shmem_set_lock(&lock);
  REQUIRE(shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &team) == 0, "a team");
  shmem_barrier_all();
  REQUIRE(pthread_create(&thread, NULL, blocker, NULL) == 0, "pthread_create");
  while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE)) sched_yield();
  check_sleep_ms(20); /* likely inside the call by now; right in either case */
  STEP("communication beside a blocked thread");
  be_busy();
  CHECK_EQ(__atomic_load_n(&blocked_returned, __ATOMIC_ACQUIRE) && !is_collective(), 0,
           "%s returned before its release", what);
  for (pe = 0; pe < check_n; ++pe) shmem_long_atomic_inc(&busy_done, pe);
  if (!is_collective()) {
    STEP("everybody's busy thread is through");
    shmem_long_wait_until(&busy_done, SHMEM_CMP_EQ, check_n); /* two threads of one PE may wait at once */
    if (!strcmp(what, "lock")) {
      if (check_me == 0) shmem_clear_lock(&lock);
    } else if (!strcmp(what, "signal")) {
      shmem_signal_set(&sig, 1, check_right(1));
    } else {
      shmem_long_atomic_set(&flag, 1, check_right(1));
    }
  }
  STEP("the blocked thread is released");
  pthread_join(thread, NULL);
  shmem_barrier_all();
  CHECK_EQ(busy_done, check_n, "busy threads");
  CHECK_EQ(data[63] > 0, kTimes > check_me, "AMOs arrived");
  return check_end();
}
