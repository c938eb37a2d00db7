// A thread that the program has made itself and that only loads plainly, and calls nothing of ours: it sees at some
// time what the team has written, in each round.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { kPage = 4096 / sizeof(long), kRounds = 40 };
static _Alignas(4096) _Atomic long before[kPage];
static _Alignas(4096) _Atomic long behind[kPage];

static long load(_Atomic long* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static void* look(void* unused) {
  (void)unused;
  for (long round = 1; round <= kRounds; round++) {
    (void)load(&before[0]);  // a copy of it is here
    while (load(&behind[0]) < round) {
    }
    while (load(&before[0]) < round) {
    }
  }
  return NULL;
}

int main(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int last = omp_get_num_threads() - 1;
    pthread_t beside;
    if (me == last) CHECK(pthread_create(&beside, NULL, look, NULL) == 0);
    for (long round = 1; round <= kRounds; round++) {
      if (me == 0) __atomic_store_n(&before[0], round, __ATOMIC_RELAXED);
#pragma omp barrier
      if (me == 1) __atomic_store_n(&behind[0], round, __ATOMIC_SEQ_CST);
#pragma omp barrier
    }
    if (me == last) pthread_join(beside, NULL);
  }
  puts("all is right");
  return 0;
}
