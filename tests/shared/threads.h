/* Threads of a PE that do the same. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { kMostThreads = 8 };

/* In so many, which are numbered; this one is number 0. */
static inline void in_threads(int n, void* (*work)(void* number)) {
  pthread_t threads[kMostThreads];
  CHECK(n >= 1 && n <= kMostThreads);
  for (int k = 1; k < n; ++k) {
    CHECK(pthread_create(&threads[k], NULL, work, (void*)(intptr_t)k) == 0);
  }
  (void)work(NULL);
  for (int k = 1; k < n; ++k) {
    pthread_join(threads[k], NULL);
  }
}

#endif
