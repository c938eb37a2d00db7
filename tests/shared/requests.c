/* Locks that are asked for without waiting: several at once, tested or waited for, fair, and what is written under them
 * is seen. */
#include "check.h"

enum { kLocks = 5, kTimes = 60 };

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  struct {
    weft_shared_lock_t lock;
    long count;
    long far[1000];
  }* all = zeros(kLocks * sizeof *all);
  /* At home at PE 0: see below. */
  if (me == 0) {
    weft_shared_lock(&all[0].lock);
    weft_shared_unlock(&all[0].lock);
  }
  weft_shared_barrier();
  for (int k = 0; k < kTimes; ++k) {
    /* In the same order on all PEs, so that nobody waits for who waits for him. */
    weft_shared_request_t requests[kLocks];
    for (int which = 0; which < kLocks; ++which) {
      weft_shared_lock_begin(&all[which].lock, &requests[which]);
      if (which % 2 == 0) {
        while (!weft_shared_lock_test(&requests[which])) {
        }
      } else {
        weft_shared_lock_wait(&requests[which]);
      }
      CHECK(requests[which].weft_number == 0);
      CHECK(!weft_shared_trylock(&all[which].lock));
      ++all[which].count;
      CHECK(++all[which].far[999] == all[which].count);
      if (k % 3 != 0) {
        weft_shared_unlock(&all[which].lock);
      }
    }
    for (int which = 0; k % 3 == 0 && which < kLocks; ++which) {
      weft_shared_unlock(&all[which].lock);
    }
  }
  weft_shared_barrier();
  for (int which = 0; which < kLocks; ++which) {
    CHECK(all[which].count == (long)n * kTimes && all[which].far[999] == all[which].count);
  }
  weft_shared_barrier();

  /* First come, first served: who has begun goes before who begins later, and works meanwhile. Requests of PEs on
   * other hosts than the lock may overtake each other, barriers or not: on two hosts that is only the last PE. */
  int* order = zeros((size_t)(n + 1) * sizeof *order);
  weft_shared_request_t request;
  for (int pe = 0; pe < n; ++pe) {
    if (pe == me) {
      weft_shared_lock_begin(&all[0].lock, &request);
    }
    weft_shared_barrier();
  }
  weft_shared_lock_wait(&request);
  order[++order[0]] = me;
  weft_shared_unlock(&all[0].lock);
  weft_shared_barrier();
  for (int pe = 0; pe < n; ++pe) {
    CHECK(order[pe + 1] == pe);
  }

  /* One PE, many at once. */
  weft_shared_lock_t* many = zeros(200 * sizeof *many);
  if (me == n - 1) {
    weft_shared_request_t each[200];
    for (int k = 0; k < 200; ++k) {
      weft_shared_lock_begin(&many[k], &each[k]);
    }
    for (int k = 199; k >= 0; --k) {
      weft_shared_lock_wait(&each[k]);
    }
    for (int k = 0; k < 200; ++k) {
      weft_shared_unlock(&many[k]);
    }
  }
  weft_shared_finalize();
  return 0;
}
