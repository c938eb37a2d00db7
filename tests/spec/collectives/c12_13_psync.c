/* Point 12.13: an array of SHMEM_SYNC_SIZE longs, initialised like any static, serves every operation, one after the
 * other, wherever it lies; nothing beside it is touched. Each older length does for what it is named after. */
#include "check.h"

/* SHMEM_SYNC_VALUE may be another number than zero, so programs list it; GNU ranges keep the list short. */
#define GUARD 0x5A5A5A5A5A5A5A5AL
#define PLACE(name, size) \
  static struct {         \
    long before;          \
    long words[size];     \
    long behind;          \
  } name = {GUARD, {[0 ...(size) - 1] = SHMEM_SYNC_VALUE}, GUARD}

PLACE(g_any, SHMEM_SYNC_SIZE);
PLACE(g_barrier, SHMEM_BARRIER_SYNC_SIZE);
PLACE(g_bcast, SHMEM_BCAST_SYNC_SIZE);
PLACE(g_reduce, SHMEM_REDUCE_SYNC_SIZE);
PLACE(g_collect, SHMEM_COLLECT_SYNC_SIZE);
PLACE(g_alltoall, SHMEM_ALLTOALL_SYNC_SIZE);
PLACE(g_alltoalls, SHMEM_ALLTOALLS_SYNC_SIZE);

static long g_source[64], g_dest[64];
static long g_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

enum { kOperations = 8 };

static void operation(int which, long* psync) {
  const int n = check_n;
  switch (which) {
    case 0: shmem_barrier(0, 0, n, psync); break;
    case 1: shmem_sync(0, 0, n, psync); break;
    case 2: shmem_broadcast64(g_dest, g_source, 1, n - 1, 0, 0, n, psync); break;
    case 3: shmem_collect64(g_dest, g_source, 1, 0, 0, n, psync); break;
    case 4: shmem_fcollect32(g_dest, g_source, 2, 0, 0, n, psync); break;
    case 5: shmem_alltoall64(g_dest, g_source, 1, 0, 0, n, psync); break;
    case 6: shmem_alltoalls64(g_dest, g_source, 1, 1, 1, 0, 0, n, psync); break;
    default: shmem_long_min_to_all(g_dest, g_source, 1, 0, 0, n, g_work, psync); break;
  }
}

/* Element k of the result. */
static long expected(int which, int k) {
  const int n = check_n;
  if (which == 2) return check_me == n - 1 ? -1 : (n - 1) * 100;
  if (which == 3 || which == 4) return k * 100;
  if (which == 5 || which == 6) return k * 100 + check_me;
  return 0; /* the least */
}

static void run(int which, long* psync, const char* where) {
  for (int i = 0; i < 64; ++i) {
    g_source[i] = check_me * 100 + i;
    g_dest[i] = -1;
  }
  shmem_barrier_all();
  operation(which, psync);
  if (which >= 2) {
    const int results = which == 2 || which == 7 ? 1 : check_n;
    for (int k = 0; k < results; ++k)
      CHECK_EQ(g_dest[k], expected(which, k), "operation %d, pSync %s, element %d", which, where, k);
  }
  shmem_barrier_all();
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i)
    if (psync[i] != SHMEM_SYNC_VALUE) CHECK_EQ(psync[i], SHMEM_SYNC_VALUE, "operation %d, word %d", which, i);
}

#define RUN(name, which)                                                                               \
  do {                                                                                                 \
    run(which, name.words, #name);                                                                     \
    CHECK(name.before == GUARD && name.behind == GUARD, "beside " #name " after operation %d", which); \
  } while (0)

int main(void) {
  long *room, *psync;
  check_begin();
  REQUIRE(check_n <= 32, "%d PEs are more than this test has room for", check_n);
  CHECK(SHMEM_SYNC_SIZE >= SHMEM_BARRIER_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_BCAST_SYNC_SIZE &&
            SHMEM_SYNC_SIZE >= SHMEM_REDUCE_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_COLLECT_SYNC_SIZE &&
            SHMEM_SYNC_SIZE >= SHMEM_ALLTOALL_SYNC_SIZE && SHMEM_SYNC_SIZE >= SHMEM_ALLTOALLS_SYNC_SIZE,
        "SHMEM_SYNC_SIZE is %ld, less than another one", (long)SHMEM_SYNC_SIZE);
  for (int turn = 0; turn < 5 * kOperations; ++turn) RUN(g_any, turn * 5 % kOperations);
  for (int turn = 0; turn < 5; ++turn) {
    RUN(g_barrier, turn % 2);
    RUN(g_bcast, 2);
    RUN(g_collect, 3 + turn % 2);
    RUN(g_alltoall, 5);
    RUN(g_alltoalls, 6);
    RUN(g_reduce, 7);
  }
  /* At every place that a long may have within a cache line, and one byte behind it a guard. */
  room = shmem_align(64, (SHMEM_SYNC_SIZE + 16) * sizeof *room);
  REQUIRE(room != NULL, "no memory");
  for (int shift = 1; shift <= 8; ++shift) {
    psync = room + shift;
    psync[-1] = psync[SHMEM_SYNC_SIZE] = GUARD;
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
    for (int which = 0; which < kOperations; ++which) run(which, psync, "in the heap");
    CHECK(psync[-1] == GUARD && psync[SHMEM_SYNC_SIZE] == GUARD, "beside pSync at %d", shift);
  }
  return check_end();
}
