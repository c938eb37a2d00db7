/* 5.4 MULTIPLE: four threads of every PE make, use and end teams at the same time, each of a parent of its own. PEs and
 * threads are late by turns, so that what the threads of one PE do in one order those of another do in another: they
 * compete for the same places, and every creation succeeds all the same, with the right members. */
#include "../check.h"

#include <pthread.h>
#include <sched.h>

enum { kThreads = 4, kRounds = 120, kMostPes = 16, kAlive = 3 };
static shmem_team_t parents[kThreads];
static long dest[kThreads][2][kMostPes], source[kThreads][2];
static int go;

/* A little while that differs. */
static void be_late(unsigned* state) {
  *state = *state * 1103515245u + 12345u;
  const unsigned kind = *state >> 24;
  if (kind < 20)
    usleep(kind * 10);
  else if (kind < 90)
    sched_yield();
}

/* Member k of the team is PE start + k * stride of the job. */
static void use(shmem_team_t team, int t, int round, int start, int stride, int size) {
  const int line = round % 2;
  CHECK_EQ(shmem_team_n_pes(team), size, "thread %d, round %d: members", t, round);
  CHECK_EQ(start + stride * shmem_team_my_pe(team), check_me, "thread %d, round %d: own number", t, round);
  source[t][line] = 10000L * (round + 1) + 100 * t + check_me;
  shmem_long_fcollect(team, dest[t][line], &source[t][line], 1);
  for (int k = 0; k < size; ++k)
    CHECK_EQ(dest[t][line][k], 10000L * (round + 1) + 100 * t + start + stride * k, "thread %d, round %d, block %d", t,
             round, k);
}

static void* worker(void* number) {
  const int t = *(int*)number, n = check_n;
  /* two count as the job does, two backwards */
  const int back = t % 2;
  unsigned state = 7919u * (unsigned)(check_me * kThreads + t) + 1u;
  shmem_team_t alive[kAlive] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID, SHMEM_TEAM_INVALID};
  while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) sched_yield();
  for (int round = 0; round < kRounds; ++round) {
    const int first = round % n, size = n - first;
    shmem_team_t team = SHMEM_TEAM_WORLD, x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
    be_late(&state);
    CHECK_EQ(shmem_team_split_strided(parents[t], first, 1, size, NULL, 0, &team), 0, "thread %d, round %d", t, round);
    const int start = back ? n - 1 - first : first;
    const int member = back ? check_me <= start : check_me >= start;
    CHECK((team != SHMEM_TEAM_INVALID) == member, "thread %d, round %d: a member", t, round);
    if (team != SHMEM_TEAM_INVALID) use(team, t, round, start, back ? -1 : 1, size);
    be_late(&state);
    if (round % 4 == t) {
      CHECK_EQ(shmem_team_split_2d(parents[t], 2, NULL, 0, &x, NULL, 0, &y), 0, "thread %d, round %d: grid", t, round);
      const int me = back ? n - 1 - check_me : check_me;
      CHECK_EQ(shmem_team_my_pe(x), me % 2, "thread %d, round %d: in the row", t, round);
      CHECK_EQ(shmem_team_my_pe(y), me / 2, "thread %d, round %d: in the column", t, round);
      shmem_team_sync(y);
      shmem_team_sync(x);
      shmem_team_destroy(x);
      be_late(&state);
      shmem_team_destroy(y);
    }
    /* some live on through the next rounds */
    shmem_team_destroy(alive[round % kAlive]);
    alive[round % kAlive] = team;
  }
  for (int k = 0; k < kAlive; ++k) shmem_team_destroy(alive[k]);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads], provided = -1;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided == SHMEM_THREAD_MULTIPLE && check_n <= kMostPes, "provided %d, %d PEs", provided, check_n);
  for (int t = 0; t < kThreads; ++t)
    REQUIRE(shmem_team_split_strided(t < 2 ? SHMEM_TEAM_WORLD : check_team_of_all(), t % 2 ? check_n - 1 : 0,
                                     t % 2 ? -1 : 1, check_n, NULL, 0, &parents[t]) == 0,
            "parent %d", t);
  STEP("threads at work");
  for (int k = 0; k < kThreads; ++k) { /* started in another order on each PE */
    const int t = (k + check_me) % kThreads;
    numbers[t] = t;
    REQUIRE(pthread_create(&threads[t], NULL, worker, &numbers[t]) == 0, "pthread_create");
  }
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t) shmem_team_destroy(parents[t]);
  return check_end();
}
