// What constructs over several processes are held to, by OpenSHMEM on the same processes: a line of nanoseconds each,
// the best of some rounds.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRounds = 9 };
static long word, flag;
static double source, sum;
static double best;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

#define MEASURE(name, count, ...)                       \
  do {                                                  \
    best = 1e30;                                        \
    for (int round = 0; round < kRounds; round++) {     \
      shmem_barrier_all();                              \
      const double begin = now();                       \
      for (int k = 0; k < (count); k++) {               \
        __VA_ARGS__                                     \
      }                                                 \
      const double each = (now() - begin) / (count);    \
      if (each < best) best = each;                     \
    }                                                   \
    if (me == 0) printf("%s %.1f\n", name, best * 1e9); \
  } while (0)

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 2000;
  shmem_init();
  const int me = shmem_my_pe();
  MEASURE("barrier", times, shmem_barrier_all(););
  MEASURE("atomic", times * 10, shmem_long_atomic_add(&word, 1, me););
  MEASURE("sum", times, shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &sum, &source, 1););
  // A put of eight bytes there and one back, by the first two PEs; others come to the barriers of each round.
  long trip = 0;
  flag = 0;
  if (shmem_n_pes() > 1) {
    MEASURE("round_trip", times, {
      trip++;
      if (me == 0) shmem_long_p(&flag, trip, 1);
      if (me < 2) shmem_long_wait_until(&flag, SHMEM_CMP_GE, trip);
      if (me == 1) shmem_long_p(&flag, trip, 0);
    });
  }
  shmem_finalize();
  return 0;
}
