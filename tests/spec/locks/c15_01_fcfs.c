/* Point 15.1 [N]: waiters get the lock in the order in which they came. PE 0 holds it; the others come one after the
 * other, each only when the one before is seen to wait: it sleeps, or has spent CPU time since it announced its call.
 * Then PE 0 lets go and asks again at once: it must come last. Waiting takes as long as it takes; no time is asserted.
 */
#include "check.h"

enum { kMaxPes = 64, kRounds = 6 };

static long g_static_lock;
static struct {
  char before[24];
  long lock[3];
} * g_heap;

static long g_go[1];              /* on each PE: the round in which it may come */
static long g_announced[kMaxPes]; /* on PE 0: the round in which PE i announced itself */
static long g_pid[kMaxPes];       /* on PE 0 */
static long g_cpu_ns[kMaxPes];    /* on PE 0: CPU time PE i had used when it announced itself */
static long g_next;               /* on PE 0: how many have had the lock in this round */
static long g_order[kMaxPes];     /* on PE 0: who had it */

static long cpu_ns(pid_t pid) {
  struct timespec t = {0, 0};
  clockid_t clock;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return -1;
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int sleeps(pid_t pid) {
  char path[64], line[400];
  const char* state;
  FILE* f;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  f = fopen(path, "r");
  if (f == NULL || fgets(line, sizeof line, f) == NULL) line[0] = 0;
  if (f != NULL) fclose(f);
  state = strrchr(line, ')');
  return state != NULL && state[1] == ' ' && state[2] == 'S';
}

/* PE 0: until PE `pe` has announced itself and waits, asleep several times in a row or with CPU time burnt. */
static void until_it_waits(int pe, long round) {
  int asleep = 0;
  shmem_long_wait_until(&g_announced[pe], SHMEM_CMP_EQ, round);
  while (asleep < 4 && cpu_ns((pid_t)g_pid[pe]) - g_cpu_ns[pe] < 20 * 1000000L) {
    asleep = sleeps((pid_t)g_pid[pe]) ? asleep + 1 : 0;
    check_sleep_ms(1);
  }
}

/* In the critical section: note who is here. Only the lock protects these words. */
static void take_a_number(void) {
  const long at = shmem_long_g(&g_next, 0);
  if (at >= 0 && at < kMaxPes) shmem_long_p(&g_order[at], check_me, 0);
  shmem_long_p(&g_next, at + 1, 0);
}

/* The arrivals of one round: rising, falling, and inside out. */
static int arrival(long round, int i, int others) {
  if (round % 3 == 1) return 1 + i;
  if (round % 3 == 2) return others - i;
  return i % 2 ? others - i / 2 : 1 + i / 2;
}

static void holder(long* lock, long round) {
  const int others = check_n - 1;
  shmem_set_lock(lock);
  for (int i = 0; i < others; ++i) {
    const int pe = arrival(round, i, others);
    shmem_long_p(&g_go[0], round, pe);
    until_it_waits(pe, round);
  }
  CHECK_EQ(shmem_long_g(&g_next, 0), 0, "PEs that got the lock while PE 0 held it");
  shmem_clear_lock(lock);
  shmem_set_lock(lock); /* behind all of them */
  CHECK_EQ(g_next, others, "PEs that had the lock before PE 0 got it back");
  take_a_number();
  shmem_clear_lock(lock);
}

static void comer(long* lock, long round) {
  const long pid = getpid();
  long now;
  shmem_long_wait_until(&g_go[0], SHMEM_CMP_EQ, round);
  shmem_long_p(&g_pid[check_me], pid, 0);
  now = cpu_ns(getpid());
  shmem_long_p(&g_cpu_ns[check_me], now, 0);
  shmem_quiet();
  shmem_long_p(&g_announced[check_me], round, 0);
  shmem_set_lock(lock);
  take_a_number();
  shmem_clear_lock(lock);
}

static void check_order(long round) {
  const int others = check_n - 1;
  if (check_me != 0) return;
  CHECK_EQ(g_next, check_n, "turns in round %ld", round);
  for (int i = 0; i < others; ++i)
    CHECK_EQ(g_order[i], arrival(round, i, others), "who got the lock as number %d in round %ld", i + 1, round);
  CHECK_EQ(g_order[others], 0, "the last one in round %ld", round);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMaxPes, "too many PEs");
  g_heap = shmem_calloc(1, sizeof *g_heap);
  REQUIRE(g_heap != NULL, "no memory");
  for (long round = 1; round <= kRounds; ++round) {
    long* const lock = round % 2 ? &g_static_lock : &g_heap->lock[round % 3];
    g_next = 0;
    shmem_barrier_all();
    if (check_me == 0)
      holder(lock, round);
    else
      comer(lock, round);
    shmem_barrier_all();
    check_order(round);
    shmem_barrier_all();
  }
  shmem_free(g_heap);
  return check_end();
}
