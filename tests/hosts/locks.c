/* Locks of a job on several hosts, in the mixes in which they migrate (WEFT_AMO=network) or do not: each protects a
 * number on the PE that has the most of the network between itself and the lock, and no turn may be lost. Then first
 * come, first served, and the two atomicity domains.
 *
 *   locks TURNS */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kLocks = 40, kThreads = 3 };

static int me, n, sharing;
static int failures;
static long static_lock;
static long *heap_locks, *numbers;
static int* order;
static long shared_word, world_word;

/* The limit of the test is on silence: how long this takes says nothing on a machine that has other things to do. */
static void say(const char* what) {
  if (me == 0) printf("%s\n", what);
  fflush(stdout);
}

/* Not atomic on purpose. The quiet is clear_lock's business. */
static void add_one(int which) {
  const long seen = shmem_long_g(&numbers[which], which % n);
  if (which % 3 == 0) usleep(1);
  shmem_long_p(&numbers[which], seen + 1, which % n);
}

static void expect(const char* what, long seen, long wanted) {
  if (seen == wanted) return;
  fprintf(stderr, "PE %d: %s: %ld, not %ld\n", me, what, seen, wanted);
  failures++;
}

static void expect_number(const char* what, int which, long wanted) {
  shmem_barrier_all();
  expect(what, shmem_long_g(&numbers[which], which % n), wanted);
  shmem_barrier_all();
  say(what);
  if (me == which % n) numbers[which] = 0;
  shmem_barrier_all();
}

static void turns_with(long* lock, int which, int turns, int by_test) {
  for (int k = 0; k < turns; k++) {
    if (by_test && k % 3 == 0)
      while (shmem_test_lock(lock)) usleep(1);
    else
      shmem_set_lock(lock);
    add_one(which);
    shmem_clear_lock(lock);
  }
}

/* Who takes part: all; one PE alone after the other; the PEs of each node in turn; few against many. */
static void mixes(long* lock, int turns) {
  const int leader = shmem_team_translate_pe(SHMEM_TEAM_SHARED, 0, SHMEM_TEAM_WORLD); /* of this node */
  turns_with(lock, 0, turns, 1);
  expect_number("all at a time", 0, (long)turns * n);
  for (int k = 0; k < n; k++) {
    if (k == me) turns_with(lock, 1, turns, k % 2);
    shmem_barrier_all();
  }
  expect_number("one after the other", 1, (long)turns * n);
  for (int first = 0; first < n; first++) {
    if (first == leader) turns_with(lock, 2, turns, 0);
    shmem_barrier_all();
  }
  expect_number("node after node", 2, (long)turns * n);
  turns_with(lock, 3, me % 2 ? 2 : turns, 0);
  expect_number("many and few turns", 3, (long)turns * ((n + 1) / 2) + 2L * (n / 2));
  for (int burst = 0; burst < 3; burst++) {
    turns_with(lock, 4, turns / 3, 0);
    usleep((useconds_t)(rand() % 3000));
  }
  expect_number("bursts", 4, 3L * (turns / 3) * n);
}

static void* thread_turns(void* turns) {
  turns_with(&heap_locks[1], 0, *(int*)turns, 1);
  return NULL;
}

static void threads(int turns) {
  pthread_t ids[kThreads];
  for (int k = 0; k < kThreads; k++) pthread_create(&ids[k], NULL, thread_turns, &turns);
  for (int k = 0; k < kThreads; k++) pthread_join(ids[k], NULL);
  expect_number("threads", 0, (long)turns * n * kThreads);
}

/* Several at a time, always in the same order; their homes are on all PEs. */
static void many(int turns) {
  for (int k = 0; k < turns; k++) {
    for (int lock = k % 2; lock < kLocks; lock += 2) {
      shmem_set_lock(&heap_locks[lock]);
      if (lock + 1 < kLocks) shmem_set_lock(&heap_locks[lock + 1]);
      add_one(lock);
      if (lock + 1 < kLocks) shmem_clear_lock(&heap_locks[lock + 1]);
      shmem_clear_lock(&heap_locks[lock]);
    }
  }
  for (int lock = 0; lock < kLocks; lock++)
    expect_number("many locks", lock, (long)n * (lock % 2 ? turns / 2 : (turns + 1) / 2));
}

/* PE 0 holds the lock; the others come in rising and in falling order, each well after the one before has announced its
 * call. PE 0 lets go when all have come. */
static void in_order(long* lock) {
  const useconds_t gap = 200000;
  for (int round = 0; round < 2; round++) {
    say("in order");
    const int place = round % 2 ? n - me : me;
    const int next = round % 2 ? me - 1 : me + 1;
    order[0] = order[1] = 0;
    shmem_barrier_all();
    if (me == 0) {
      shmem_set_lock(lock);
      if (n > 1) shmem_int_p(&order[1], 1, round % 2 ? n - 1 : 1);
      shmem_int_wait_until(&order[1], SHMEM_CMP_EQ, n);
      usleep(gap);
    } else {
      shmem_int_wait_until(&order[1], SHMEM_CMP_EQ, place);
      usleep(gap);
      shmem_int_p(&order[1], place + 1, next % n);
      shmem_quiet();
      shmem_set_lock(lock);
      const int before = shmem_int_g(&order[0], 0);
      shmem_int_p(&order[0], before + 1, 0);
      expect("its turn", before + 1, place);
    }
    shmem_clear_lock(lock);
    shmem_barrier_all();
  }
}

/* A word of each domain on each PE: all PEs add to the one, those of the node through a context of SHARED to the other.
 */
static void domains(int turns) {
  shmem_ctx_t ctx;
  shmem_team_t half;
  const int seats = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  const int to = (shmem_team_my_pe(SHMEM_TEAM_SHARED) + 1) % seats;
  shmem_barrier_all();
  shmem_team_split_strided(SHMEM_TEAM_SHARED, 0, 1, seats, NULL, 0, &half);
  if (shmem_team_create_ctx(half, 0, &ctx) != 0) failures++;
  say("domains");
  for (int k = 0; k < turns; k++) {
    shmem_long_atomic_inc(&world_word, (me + 1) % n);
    for (int seat = 0; seat < seats; seat++) shmem_ctx_long_atomic_inc(ctx, &shared_word, seat);
    (void)shmem_ctx_long_atomic_fetch(ctx, &shared_word, to);
    if (shmem_long_atomic_fetch_add(&world_word, 1, k % n) < 0) failures++;
  }
  shmem_ctx_quiet(ctx);
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
  expect("sums of SHARED", shared_word, (long)turns * seats);
  long sum = 0;
  for (int pe = 0; pe < n; pe++) sum += shmem_long_atomic_fetch(&world_word, pe);
  expect("sums of WORLD", sum, 2L * turns * n);
}

int main(int argc, char** argv) {
  const int turns = argc > 1 ? atoi(argv[1]) : 30;
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  me = shmem_my_pe();
  n = shmem_n_pes();
  sharing = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  heap_locks = shmem_calloc(kLocks, sizeof *heap_locks);
  numbers = shmem_calloc(kLocks, sizeof *numbers);
  order = shmem_calloc(2, sizeof *order);
  mixes(&static_lock, turns);
  mixes(&heap_locks[n - 1], turns);
  threads(turns);
  many(turns / 10 + 2);
  in_order(&static_lock);
  in_order(&heap_locks[1]);
  domains(turns);
  printf("PE %d of %d, %d on its node: %d failures\n", me, n, sharing, failures);
  shmem_finalize();
  return failures != 0;
}
