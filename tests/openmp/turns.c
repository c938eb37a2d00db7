// Over processes that have copies of pages: who waits for a lock gets it before who had it gets it again, be it a
// thread of the same process or of another; threads that take it without a pause keep nobody out; and what was written
// under it is there for who finds a flag that was stored behind it.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 16, kHere = 2, kRounds = 8, kPage = 4096 };
static omp_lock_t locks[kMost];
// Of the two threads of a process, on a page of their own. Plain words: an atomic operation is a call that may sleep.
static struct {
  _Alignas(kPage) volatile int thread;  // who is about to wait; 0: nobody
  volatile int had;                     // how often it has had the lock
  volatile int process;
} second[kMost];
static _Alignas(kPage) long takings[kMost];

static int seems_asleep(int thread) {
  char name[64];
  char state = '?';
  (void)snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
  FILE* const file = fopen(name, "r");
  CHECK(file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
  (void)fclose(file);
  return state == 'S';
}

// Twice, with a turn of the processor between: on its way to the lock it may sleep for a moment at something else.
static int sleeps(int thread) {
  if (!seems_asleep(thread)) return 0;
  sched_yield();
  return seems_asleep(thread);
}

// The first thread of each process holds a lock until the second one sleeps at it, and takes it again at once.
static void give_way(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int pair = me / kHere;
    if (me % kHere == 1) second[pair].process = (int)getpid();
#pragma omp barrier
    CHECK(second[pair].process == (int)getpid() && "pairs need an even number of threads in each process");
    for (int round = 0; round < kRounds; round++) {
      if (me % kHere == 0) {
        omp_set_lock(&locks[pair]);
      }
#pragma omp barrier
      if (me % kHere == 1) {
        second[pair].thread = (int)syscall(SYS_gettid);
        omp_set_lock(&locks[pair]);
        second[pair].had++;
        omp_unset_lock(&locks[pair]);
      } else {
        int thread = 0;
        while ((thread = second[pair].thread) == 0 || !sleeps(thread)) {
          sched_yield();
        }
        omp_unset_lock(&locks[pair]);
        omp_set_lock(&locks[pair]);
        CHECK(second[pair].had == round + 1);
        second[pair].thread = 0;
        omp_unset_lock(&locks[pair]);
      }
#pragma omp barrier
    }
  }
}

// Everybody takes it again and again until everybody has had it so many times.
static void go_round(void) {
#pragma omp parallel
  {
    const int all = omp_get_num_threads();
    for (int done = 0; !done;) {
#pragma omp critical(round)
      {
        takings[omp_get_thread_num()]++;
        done = 1;
        for (int k = 0; k < all; k++) done = done && takings[k] >= kRounds;
      }
    }
  }
}

// A thread of the same process gets the lock next and keeps it for a while, and a flag that is stored meanwhile tells
// another process of what was written under the lock all the same: the compiler makes a plain store of it, which nobody
// is told of. It is fetched for the first time when it may be stored already.
static void tell_by_flags(void) {
  enum { kFlags = 64, kTimes = 60, kLong = kPage / sizeof(long) };
  static _Alignas(kPage) long data[kLong];
  static _Alignas(kPage) long flags[kTimes][kFlags][kLong];
  static _Alignas(kPage) long ready[kLong];
  static _Alignas(kPage) volatile int next[kPage];  // of the first process: who gets the lock behind its first thread
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int reader = omp_get_num_threads() - 1;
    for (int time = 0; time < kTimes; time++) {
      if (me == 0) omp_set_lock(&locks[0]);
#pragma omp barrier
      if (me == 0) {
        while (next[0] == 0 || !sleeps(next[0])) sched_yield();
        next[0] = 0;
#pragma omp atomic write seq_cst
        ready[0] = time + 1;
        data[0] = time + 1;
        omp_unset_lock(&locks[0]);
        for (int k = 0; k < kFlags; k++) {
#pragma omp atomic write
          flags[time][k][0] = time + 1;
        }
      } else if (me == 1) {
        next[0] = (int)syscall(SYS_gettid);
        omp_set_lock(&locks[0]);
        const double until = omp_get_wtime() + 1e-3;
        while (omp_get_wtime() < until) {
        }
        omp_unset_lock(&locks[0]);
      } else if (me == reader) {
        CHECK(data[0] >= time);  // so that there is a copy
        long begun = 0;
        while (begun != time + 1) {
#pragma omp atomic read seq_cst
          begun = ready[0];
        }
        long seen = 0;
        for (int k = 0; seen == 0; k = (k + 1) % kFlags) {
#pragma omp atomic read
          seen = flags[time][k][0];
        }
#pragma omp flush
        CHECK(data[0] == time + 1);
      }
#pragma omp barrier
    }
  }
}

int main(void) {
  CHECK(omp_get_max_threads() <= kMost && omp_get_max_threads() % kHere == 0);
  for (int k = 0; k < kMost; k++) omp_init_lock(&locks[k]);
  give_way();
  go_round();
  tell_by_flags();
  for (int k = 0; k < kMost; k++) omp_destroy_lock(&locks[k]);
  puts("all is right");
  return 0;
}
