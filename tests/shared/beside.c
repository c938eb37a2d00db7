/* Shared pages in a program of OpenSHMEM: both begin, in either order, and pointers go by one to the other. */
#include <shmem.h>

#include "check.h"

static long* place;

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) {
    weft_shared_init();
    shmem_init();
  } else {
    shmem_init();
    weft_shared_init();
  }
  const int me = shmem_my_pe(), n = shmem_n_pes();
  CHECK(me == weft_shared_my_pe() && n == weft_shared_n_pes());
  if (me == 0) {
    long* made = weft_shared_calloc((size_t)n, sizeof *made);
    for (int pe = 0; pe < n; ++pe) {
      shmem_putmem(&place, &made, sizeof made, pe);
    }
  }
  shmem_barrier_all();
  place[me] = 10 * me;
  weft_shared_barrier();
  for (int pe = 0; pe < n; ++pe) {
    CHECK(place[pe] == 10 * pe);
  }
  if (argc > 1) {
    weft_shared_finalize();
    shmem_finalize();
  } else {
    shmem_finalize();
    CHECK(place[n - 1] == 10 * (n - 1));
    weft_shared_finalize();
  }
  return 0;
}
