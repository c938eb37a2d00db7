/* Shared pages between two hosts, one PE on each, beside OpenSHMEM between the same PEs: each line is a name, a median,
 * that of what it is compared with, and the unit of both. `bars.py BUILD --hosts` runs it. */
#include "bars.h"

/* A page that the other PE has written, by a fault each; and a get of 4 KiB. */
static void cold(char* theirs) {
  enum { kCold = 512, kApart = 8 }; /* so that none comes with another one */
  char* const all = shared((size_t)kCold * kApart * kPage);
  double times[2][kCold];
  if (g_me == 1) {
    memset(all, 1, (size_t)kCold * kApart * kPage);
  }
  weft_shared_barrier();
  if (g_me == 0) {
    char* const into = here((size_t)kCold * kPage);
    volatile int sum = 0;
    for (int k = 0; k < kCold; ++k) {
      double begin = now();
      sum += all[(size_t)k * kApart * kPage];
      times[0][k] = now() - begin;
      begin = now();
      shmem_getmem(into + (size_t)k * kPage, theirs + (size_t)k * kPage, kPage, 1);
      times[1][k] = now() - begin;
    }
    tell("cold", median(times[0], kCold), median(times[1], kCold), "us");
    munmap(into, (size_t)kCold * kPage);
  }
  weft_shared_barrier();
}

/* The lock goes to and fro with a page that each changes: from asking for it, when the other has let it go, to having
 * read what the other wrote, at the PE where that takes longer, as lock and page are at home at the other one. Beside
 * it a put of 8 bytes and one back. */
static void lock_with_a_page(long* flag) {
  enum { kTurns = 400 };
  weft_shared_lock_t* const lock = shared(kPage);
  volatile long* const page = shared(kPage);
  double times[2][kTurns];
  for (int turn = 0; turn < kTurns; ++turn) {
    shmem_long_wait_until(flag, SHMEM_CMP_GE, 2 * turn + g_me); /* the other has unlocked */
    const double begin = now();
    weft_shared_lock(lock);
    const long seen = page[0];
    times[0][turn] = now() - begin;
    if (seen != 2 * turn + g_me) {
      fprintf(stderr, "hosts: PE %d found %ld behind the lock, %d was written\n", g_me, seen, 2 * turn + g_me);
      shmem_global_exit(1);
    }
    page[0] = seen + 1;
    weft_shared_unlock(lock);
    shmem_long_p(flag, seen + 1, 1 - g_me);
  }
  shmem_barrier_all();
  *flag = -1;
  shmem_barrier_all();
  for (int turn = 0; turn < kTurns; ++turn) {
    const double begin = now();
    if (g_me == 0) {
      shmem_long_p(flag, turn, 1);
      shmem_long_wait_until(flag, SHMEM_CMP_EQ, turn);
    } else {
      shmem_long_wait_until(flag, SHMEM_CMP_EQ, turn);
      shmem_long_p(flag, turn, 0);
    }
    times[1][turn] = now() - begin;
  }
  double* const took = shared(kPage);
  took[g_me] = median(times[0], kTurns);
  weft_shared_barrier();
  if (g_me == 0) {
    tell("lock", took[0] > took[1] ? took[0] : took[1], median(times[1], kTurns), "us");
  }
  weft_shared_barrier();
}

/* Both write all of 1,024 pages by turns; and the same with a get and a barrier before each turn. */
static void change_hands(char* theirs) {
  enum { kHands = 1024, kRounds = 24, kFirst = 8 };
  const size_t bytes = (size_t)kHands * kPage;
  uint64_t *const all = shared(bytes), *const into = here(bytes);
  double times[2][kRounds];
  for (int way = 0; way < 2; ++way) {
    for (int round = 0; round < kRounds; ++round) {
      const double at = now();
      for (int turn = 0; turn < 2; ++turn) {
        uint64_t* const mine = way == 0 ? all : into;
        if (g_me == turn) {
          if (way == 1) {
            shmem_getmem(into, theirs, bytes, 1 - g_me);
          }
          for (size_t k = 0; k < bytes / 8; ++k) {
            mine[k] += (uint64_t)k | 1;
          }
        }
        if (way == 0) {
          weft_shared_barrier();
        } else {
          shmem_barrier_all();
        }
      }
      times[way][round] = now() - at;
    }
  }
  if (g_me == 0) {
    tell("hands", median(times[0] + kFirst, kRounds - kFirst), median(times[1] + kFirst, kRounds - kFirst), "us");
  }
}

int main(void) {
  const size_t bytes = (size_t)4 << 20;
  shmem_init();
  weft_shared_init();
  g_me = weft_shared_my_pe();
  if (weft_shared_n_pes() != 2) {
    fprintf(stderr, "hosts: is for two PEs\n");
    shmem_global_exit(1);
  }
  char* const theirs = shmem_malloc(bytes);
  long* const flag = shmem_calloc(1, sizeof *flag);
  if (theirs == NULL || flag == NULL) {
    fprintf(stderr, "hosts: the symmetric heap is too small; raise SHMEM_SYMMETRIC_SIZE\n");
    shmem_global_exit(1);
  }
  memset(theirs, 1, bytes);
  shmem_barrier_all();
  cold(theirs);
  sequential();
  barriers(200);
  lock_with_a_page(flag);
  change_hands(theirs);
  weft_shared_finalize();
  shmem_finalize();
  return 0;
}
