/* A loop of shmem_test is a wait as well: with more PEs than processors it must sleep now and then, not only yield, or
 * whoever else needs a processor has to fight for it. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <sys/resource.h>
#include <time.h>

#include "../../spec/check.h"

static long flag;

static long times_slept(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw; /* gave its processor up to wait for something; yields are not counted */
}

int main(void) {
  cpu_set_t set;
  check_begin();
  sched_getaffinity(0, sizeof set, &set);
  const int crowded = shmem_team_n_pes(SHMEM_TEAM_SHARED) > CPU_COUNT(&set);
  shmem_barrier_all();
  if (check_me == 0) {
    const struct timespec pause = {0, 300000000};
    nanosleep(&pause, NULL);
    for (int pe = 1; pe < check_n; ++pe) shmem_long_p(&flag, 1, pe);
  } else {
    const long before = times_slept();
    while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1)) continue;
    const long slept = times_slept() - before;
    CHECK(!crowded || slept > 0, "slept %ld times in 0.3 s", slept);
  }
  shmem_barrier_all();
  return check_end();
}
