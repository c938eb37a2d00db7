// A team of some processes goes from barrier to barrier, and leaves a process out that it owes what was written before.
// A thread of that process, which has come into being past the names that Weft stands before, orders something for the
// first time then: it is not held off for as long as the barriers go on. The argument is a file, by which it hears when
// to begin.
#include <dlfcn.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { kPage = 4096 / sizeof(long), kMost = 16, kLongest = 60 };
static long data[kMost][kPage];
static volatile long seen[kPage], stop[kPage];
static omp_lock_t lock;
static const char* file;

static void* order(void* unused) {
  (void)unused;
  for (;;) {
    const int f = open(file, O_RDONLY);
    if (f >= 0) {
      close(f);
      break;
    }
    sched_yield();
  }
  omp_set_lock(&lock);
  seen[0] = 1;
  omp_unset_lock(&lock);
  return NULL;
}

static void make_past_us(void) {
  int (*make)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = libc != NULL ? dlsym(libc, "pthread_create") : NULL;
  if (found == NULL) found = dlsym(RTLD_DEFAULT, "pthread_create");
  CHECK(found != NULL);
  *(void**)&make = found;
  pthread_t beside;
  CHECK(make(&beside, NULL, order, NULL) == 0 && pthread_detach(beside) == 0);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  file = argv[1];
  omp_init_lock(&lock);
  const int all = omp_get_max_threads();
  CHECK(all >= 3 && all <= kMost);
#pragma omp parallel
  {
    long sum = 0;
    for (int k = 0; k < kMost; k++) sum += *(volatile long*)&data[k][0];  // copies of them are here
    CHECK(sum == 0);
    if (omp_get_thread_num() == all - 1) make_past_us();
  }
  for (int k = 0; k < kMost; k++) data[k][0] = k + 1;
#pragma omp parallel num_threads(all - 1)
  {
    const double begin = omp_get_wtime();
    for (long round = 0; !stop[0]; round++) {
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        if (round < 100) data[round % kMost][1] = round;
        if (round == 100) CHECK(close(open(file, O_CREAT | O_WRONLY, 0600)) == 0);
        if (seen[0]) stop[0] = 1;  // and nothing is written meanwhile
        CHECK(omp_get_wtime() - begin < kLongest);
      }
#pragma omp barrier
    }
  }
  puts("all is right");
  return 0;
}
