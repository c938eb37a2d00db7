/* For tests that want PEs to run into each other at the same moment: a barrier may wake one PE long after the other has
 * finished a short loop, and then nothing ever collides. */
#ifndef WEFT_TESTS_SPEC_TOGETHER_H
#define WEFT_TESTS_SPEC_TOGETHER_H

#include "check.h"

#include <sched.h>

static long check_arrived CHECK_UNUSED; /* on PE 0: arrivals, all rounds together */

/* Leaves when all PEs are here. Two PEs spin, so that both are on a processor when they leave; more take turns. */
CHECK_UNUSED static void check_start_together(void) {
  static long round = 0;
  const long all = ++round * check_n;
  shmem_quiet();
  shmem_long_atomic_inc(&check_arrived, 0);
  while (shmem_long_atomic_fetch(&check_arrived, 0) < all)
    if (check_n > 2) sched_yield();
}

/* A short delay that differs from call to call and from PE to PE: two loops that run at the same speed else keep the
 * distance they started with. */
CHECK_UNUSED static void check_jitter(unsigned most) {
  static unsigned state = 0;
  volatile unsigned spin;
  if (state == 0) state = 12345u + 7919u * (unsigned)check_me;
  state = state * 1103515245u + 12345u;
  spin = (state >> 12) % (most + 1);
  while (spin > 0) spin = spin - 1;
}

#endif
