// Over processes that have copies of pages, in which order nothing is left to chance: data of all kinds is seen by
// all, each construct is divided among threads of all processes, and what one thread is to do is done by one.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kMost = 64, kLong = 20000 };
static int threads;
static int set = 17;            // .data
static double squares[kLong];   // .bss, more pages than one
static long process_of[kMost];  // by thread
static int own = 5;
#pragma omp threadprivate(own)

static void see_data(void) {
  int on_stack = 3;
  int* const allocated = omp_alloc(sizeof *allocated, omp_default_mem_alloc);
  int* const on_heap = malloc(sizeof *on_heap);
  *allocated = 9;
  *on_heap = 4;
  set = 18;
  own = 6;
#pragma omp parallel copyin(own)
  {
    CHECK(omp_get_num_threads() == threads);
    CHECK(set == 18 && on_stack == 3 && *on_heap == 4 && *allocated == 9 && own == 6);
    process_of[omp_get_thread_num()] = getpid();
    own = 10 + omp_get_thread_num();
#pragma omp for
    for (int k = 0; k < kLong; ++k) squares[k] = (double)k * k;
    CHECK(squares[0] == 0 && squares[kLong - 1] == (kLong - 1.0) * (kLong - 1.0));
  }
#pragma omp parallel
  CHECK(own == 10 + omp_get_thread_num());
  for (int k = 0; k < kLong; ++k) CHECK(squares[k] == (double)k * k);
  int processes = 1;
  for (int k = 1; k < threads; ++k) processes += process_of[k] != process_of[k - 1];
  CHECK(processes >= 2 && process_of[0] == getpid());
  omp_free(allocated, omp_default_mem_alloc);
  free(on_heap);
}

static void divide(omp_sched_t schedule, int chunk) {
  static int times[kLong];
  int by[kMost] = {0};
  memset(times, 0, sizeof times);
  omp_set_schedule(schedule, chunk);
  int last = 0;
#pragma omp parallel
  {
#pragma omp for schedule(runtime) lastprivate(last)
    for (int k = 0; k < kLong; ++k) {
      ++times[k];
      last = k;
      ++by[omp_get_thread_num()];
    }
  }
  CHECK(last == kLong - 1);
  int all = 0;
  for (int k = 0; k < kLong; ++k) CHECK(times[k] == 1);
  for (int k = 0; k < threads; ++k) all += by[k];
  CHECK(all == kLong);
}

static void once(void) {
  int singles = 0;
  int given = 0;
  int sections = 0;
  int order = 0;
#pragma omp parallel reduction(+ : given)
  {
    for (int k = 0; k < 20; ++k) {
      int copied = -1;
#pragma omp single nowait
      {
#pragma omp atomic
        ++singles;
      }
#pragma omp single copyprivate(copied)
      copied = 100 + k;
      CHECK(copied == 100 + k);
      given += copied;
    }
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      sections += 1;
#pragma omp section
#pragma omp atomic
      sections += 10;
    }
#pragma omp for ordered schedule(dynamic)
    for (int k = 0; k < 20; ++k) {
#pragma omp ordered
      {
        CHECK(order == k);
        order = k + 1;
      }
    }
  }
  CHECK(singles == 20 && sections == 11 && order == 20);
  CHECK(given == threads * (20 * 100 + 190));
}

static void lock(void) {
  static omp_lock_t plain;
  static omp_nest_lock_t nest;
  int plainly = 0;
  int nested = 0;
  int named = 0;
  long added = 0;
  omp_init_lock(&plain);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  for (int k = 0; k < 10; ++k) {
    omp_set_lock(&plain);
    ++plainly;
    omp_unset_lock(&plain);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical(name)
    ++named;
#pragma omp atomic
    added += k;
    while (omp_test_lock(&plain) == 0) usleep(100);
    ++plainly;
    omp_unset_lock(&plain);
  }
  CHECK(plainly == 20 * threads && nested == 10 * threads && named == 10 * threads && added == 45L * threads);
  omp_destroy_lock(&plain);
  omp_destroy_nest_lock(&nest);
}

static void follow(void) {
  static int seen[kMost][kMost];
  enum { kRows = 12 };
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int k = 1; k < kRows; ++k) {
#pragma omp ordered depend(sink : k - 1)
      seen[k][0] = seen[k - 1][0] + 1;
#pragma omp ordered depend(source)
    }
  }
  CHECK(seen[kRows - 1][0] == kRows - 1);
}

// Threads of a process are at different constructs, of which each is one thread's.
static void one_each(void) {
  enum { kSingles = 1500 };
  for (int round = 0; round < 4; ++round) {
    int done = 0;
#pragma omp parallel reduction(+ : done)
    for (int k = 0; k < kSingles; ++k) {
#pragma omp single nowait
      ++done;
    }
    CHECK(done == kSingles);
  }
}

static void tasks(void) {
  int done = 0;
  int in_tasks = 0;
#pragma omp parallel reduction(task, + : in_tasks)
  {
    for (int k = 0; k < 8; ++k) {
#pragma omp task in_reduction(+ : in_tasks)
      in_tasks += 1;
#pragma omp task shared(done)
#pragma omp atomic
      ++done;
    }
#pragma omp barrier
    CHECK(done == 8 * threads);
  }
  CHECK(in_tasks == 8 * threads);
}

int main(void) {
  threads = omp_get_max_threads();
  CHECK(threads <= kMost);
  see_data();
  divide(omp_sched_static, 0);
  divide(omp_sched_dynamic, 7);
  divide(omp_sched_guided, 3);
  once();
  one_each();
  lock();
  follow();
  tasks();
  int few = 0;
#pragma omp parallel num_threads(2) reduction(+ : few)
  few += omp_get_num_threads();
  CHECK(few == 4);
  printf("all is right\n");
  return 0;
}
