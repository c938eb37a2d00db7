/* Pairs of PEs that wake each other by plain stores where they share memory, and by puts: no quiet, no fence, nothing
 * that looks for sleepers. A missed wake-up would be a hang. Run it with WEFT_SPIN=0 WEFT_SLEEP_AFTER=0, so that all
 * waits sleep.
 *
 *   sleeps N    until the PEs have slept N times together */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define ROUNDS 2000

static long flag, slept, all_slept;

static long times_slept(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw; /* gave its processor up to wait for something; yields are not counted */
}

/* The ways in which a value gets to another PE. */
static void tell(int peer, long value) {
  volatile long* const direct = shmem_ptr(&flag, peer);
  if (value % 3 == 0) {
    shmem_long_p(&flag, value, peer);
  } else if (value % 3 == 1 || direct == NULL) {
    shmem_long_put(&flag, &value, 1, peer);
  } else {
    *direct = value;
  }
}

static long pauses;

/* From at once to long after the other one has fallen asleep. A pause and not work, so that its yields are over soon.
 */
static void pause_for(long round) {
  const struct timespec pause = {0, 1 + round * 7919 % 150000};
  nanosleep(&pause, NULL);
  pauses++;
}

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? atol(argv[1]) : 1000;
  shmem_init();
  const int me = shmem_my_pe(), peer = me ^ 1;
  const int has_peer = peer < shmem_n_pes();
  const long before = times_slept();
  for (long round = 1; all_slept < wanted;) {
    for (const long end = round + ROUNDS; round < end && has_peer; round++) {
      if (me > peer) shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
      pause_for(round + me);
      tell(peer, round);
      if (me < peer) shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
      if (me == 0 && round % 250 == 0) {
        printf("round %ld\n", round); /* for who waits for us */
        fflush(stdout);
      }
    }
    slept = times_slept() - before - pauses;
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_slept, &slept, 1);
  }
  if (me == 0) printf("slept %ld times and always woke\n", all_slept);
  shmem_finalize();
  return 0;
}
