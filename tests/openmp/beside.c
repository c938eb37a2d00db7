// Threads that a program has made itself, beside the team: no barrier holds them back, and what they see under a lock
// is what was written before it all the same, by the team behind a barrier as by themselves. In process 0, and in each
// other one, whose thread of the team has made it.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 16, kPage = 4096 / sizeof(long), kRounds = 20 };
static long written[kMost][kPage];  // by each thread of the team, before a barrier
static long rounds[kPage];          // under the lock, behind it
static long answers[kMost][kPage];  // under the lock, by each that is beside
static omp_lock_t lock;

// Looks whenever it has the lock, and says what it has seen.
static void* look(void* given) {
  const int me = *(const int*)given;
  long seen = 0;
  while (seen < kRounds) {
    omp_set_lock(&lock);
    if (rounds[0] > seen) {
      seen = rounds[0];
      const int team = (int)rounds[1];
      for (int k = 0; k < team; k++) CHECK(written[k][seen % kPage] == seen * 100 + k);
      answers[me][0] = seen;
      answers[me][1] = seen * 10 + me;
    }
    omp_unset_lock(&lock);
  }
  return NULL;
}

// What thread 0 has written before it goes to a barrier a thread beside it gives on by a lock: it has been told so by
// the process's own means, and who gets the lock has not come to the barrier.
static long plain[kPage], passed[kPage];
static int told[2];  // a pipe

static void* pass(void* unused) {
  (void)unused;
  for (long round = 1; round <= kRounds; round++) {
    char byte = 0;
    CHECK(read(told[0], &byte, 1) == 1);
    omp_set_lock(&lock);
    passed[0] = round;
    omp_unset_lock(&lock);
  }
  return NULL;
}

static void pass_beside(void) {
  pthread_t beside;
  CHECK(pipe(told) == 0 && pthread_create(&beside, NULL, pass, NULL) == 0);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long round = 1; round <= kRounds; round++) {
      if (me == 0) {
        plain[round % kPage] = round;
        CHECK(write(told[1], "", 1) == 1);
      } else {
        for (long seen = 0; seen != round;) {
          omp_set_lock(&lock);
          seen = passed[0];
          omp_unset_lock(&lock);
        }
        CHECK(plain[round % kPage] == round);
      }
#pragma omp barrier
    }
  }
  pthread_join(beside, NULL);
}

static void look_beside(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int team = omp_get_num_threads();
    pthread_t beside;
    int number = me;
    CHECK(pthread_create(&beside, NULL, look, &number) == 0);
    for (long round = 1; round <= kRounds; round++) {
      written[me][round % kPage] = round * 100 + me;
#pragma omp barrier
      if (me == round % team) {
        omp_set_lock(&lock);
        rounds[1] = team;
        rounds[0] = round;
        omp_unset_lock(&lock);
      }
      for (long seen = 0; seen != round;) {
        omp_set_lock(&lock);
        seen = answers[(me + round) % team][0];
        CHECK(seen == 0 || answers[(me + round) % team][1] == seen * 10 + (me + round) % team);
        omp_unset_lock(&lock);
      }
#pragma omp barrier
    }
    pthread_join(beside, NULL);
  }
}

int main(void) {
  CHECK(omp_get_max_threads() <= kMost);
  omp_init_lock(&lock);
  pass_beside();
  look_beside();
  puts("all is right");
  return 0;
}
