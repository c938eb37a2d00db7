// Cancellation, also among threads of several processes: with OMP_CANCELLATION=true a region, a loop, sections or a
// group of tasks is over for all threads, wherever they are, and what follows is whole.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { kLong = 1000, kRounds = 6 };
static int threads;
static int times[kLong];
static int after;
static int found;

static void whole(void) {
  for (int k = 0; k < kLong; ++k) times[k] = 0;
  int met = 0;
  int singles = 0;
#pragma omp parallel reduction(+ : met, singles)
  {
#pragma omp for schedule(dynamic, 3)
    for (int k = 0; k < kLong; ++k) ++times[k];
#pragma omp for
    for (int k = 0; k < kLong; ++k) ++times[k];
#pragma omp single
    ++singles;
#pragma omp barrier
    ++met;
  }
  for (int k = 0; k < kLong; ++k) CHECK(times[k] == 2);
  CHECK(met == threads && singles == 1);
}

// The others wait at a barrier that not all reach, of the region or of a loop.
static void region_at_barrier(int who) {
  after = 0;
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == who) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp atomic
    ++after;
  }
  CHECK(after == 0);
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) {
#pragma omp cancel parallel
    }
#pragma omp for schedule(dynamic)
    for (int k = 0; k < threads; ++k) {
    }
#pragma omp atomic
    ++after;
  }
  CHECK(after == 0);
}

// They work until they see it.
static void region_at_points(int who) {
  after = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) {
#pragma omp cancel parallel
    }
    for (;; sched_yield()) {
#pragma omp cancellation point parallel
    }
#pragma omp atomic
    ++after;
  }
  CHECK(after == 0);
}

static void region_by_all(void) {
  after = 0;
#pragma omp parallel
  {
#pragma omp cancel parallel
#pragma omp atomic
    ++after;
  }
  CHECK(after == 0);
}

// One thread finds what is looked for, and the others look until they are told. The next loop is whole.
static void loop_at_points(int who) {
  after = 0;
  int last = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int k = 0; k < threads; ++k) {
      if (k == who) {
#pragma omp atomic write
        found = k;
#pragma omp cancel for
      }
      for (;; sched_yield()) {
#pragma omp cancellation point for
      }
    }
#pragma omp for schedule(dynamic) lastprivate(last)
    for (int k = 0; k < kLong; ++k) {
#pragma omp atomic
      ++after;
      last = k;
    }
  }
  CHECK(found == who && after == kLong && last == kLong - 1);
}

static void loop_with_chunks(int who) {
  after = 0;
  int before = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int k = 0; k < 100000000; ++k) {
      if (omp_get_thread_num() == who) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
#pragma omp atomic
      ++before;
    }
#pragma omp atomic
    ++after;
  }
  CHECK(after == threads && before < 100000000);
}

static void sections(void) {
  after = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      for (;; sched_yield()) {
#pragma omp cancellation point sections
      }
#pragma omp section
      {
#pragma omp cancel sections
#pragma omp atomic
        after += 1000;
      }
    }
#pragma omp barrier
#pragma omp atomic
    ++after;
  }
  CHECK(after == threads);
}

// Tasks that have not begun do not: of a group, which is its process's, and of the region.
static void tasks(int who) {
  int ran = 0;
  after = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == who) {
#pragma omp taskgroup
      for (int k = 0; k < 100; ++k) {
#pragma omp task shared(ran)
        {
#pragma omp atomic
          ++ran;
#pragma omp cancel taskgroup
        }
      }
    }
#pragma omp barrier
#pragma omp atomic
    ++after;
  }
  CHECK(ran >= 1 && ran <= 100 && after == threads);
#pragma omp parallel
  {
    for (int k = 0; k < 10; ++k) {
#pragma omp task
      {}
    }
    if (omp_get_thread_num() == who) {
#pragma omp cancel parallel
    }
#pragma omp barrier
    exit(3);
  }
}

int main(int count, char** arguments) {
  if (count > 1) omp_set_num_threads(atoi(arguments[1]));
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  CHECK(omp_get_cancellation() && threads > 1);
  for (int round = 0; round < kRounds; ++round) {
    const int who = round % 2 == 0 ? threads - 1 - round / 2 % threads : round % threads;
    region_at_barrier(who);
    whole();
    region_at_points(who);
    region_by_all();
    loop_at_points(who);
    loop_with_chunks(who);
    sections();
    tasks(who);
    whole();
  }
  printf("all is right\n");
  return 0;
}
