// A lock that has been given back before a barrier is free behind it, for who does not wait for it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { kRounds = 300 };
static omp_lock_t lock;
static omp_nest_lock_t nested;

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int team = omp_get_num_threads();
    for (int round = 0; round < kRounds; round++) {
      if (me == round % team) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
      }
#pragma omp barrier
      if (me == (round + 1) % team) {
        CHECK(omp_test_lock(&lock));
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nested);
        CHECK(omp_test_nest_lock(&nested) == 2);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
      }
#pragma omp barrier
      if (me == (round + 2) % team) {
        CHECK(omp_test_nest_lock(&nested) == 1);
        omp_unset_nest_lock(&nested);
      }
#pragma omp barrier
    }
  }
  puts("all is right");
  return 0;
}
