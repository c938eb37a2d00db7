/* Threads that wait by plain loads, without any call: what another PE stores comes all the same, whoever is home of the
 * page, and to and fro. */
#include <time.h>

#include "check.h"

enum { kTurns = 20 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  volatile int* turn = zeros(2 * 4096);
  if (me == n - 1) {
    turn[1024] = 0; /* another home */
  }
  weft_shared_barrier();
  for (int page = 0; page < 2; ++page) {
    volatile int* here = turn + 1024 * page;
    const double begin = seconds();
    for (int k = 0; k < kTurns; ++k) {
      const int mine = k * n + me;
      while (*here != mine) {
      }
      *here = mine + 1;
    }
    if (me == n - 1) {
      printf("page %d: %.2f ms a turn\n", page, (seconds() - begin) * 1e3 / (kTurns * n));
    }
    weft_shared_barrier();
    CHECK(*here == kTurns * n);
  }
  weft_shared_finalize();
  return 0;
}
