/* A flag that goes to and fro, barriers, and locks.
 *
 *   sync [--repetitions N] [--ms T] pingpong | barrier | lock */
#include "common.h"

static long* flag;
static long passed; /* how often the flag has gone to and fro */

static void to_and_fro(const void* what, long count) {
  (void)what;
  if (me < 2) {
    for (long k = passed + 1; k <= passed + count; k++) {
      if (me == 0) shmem_long_p(flag, k, 1);
      shmem_long_wait_until(flag, SHMEM_CMP_GE, k);
      if (me == 1) shmem_long_p(flag, k, 0);
    }
  }
  passed += count;
}

static void barriers(const void* what, long count) {
  (void)what;
  for (long k = 0; k < count; k++) shmem_barrier_all();
}

static long* lock;

/* Takes the lock `count` times: by one PE, or by all in equal parts and until the last of them is done. */
static void take(long first, long count, long step) {
  for (long k = first; k < count; k += step) {
    shmem_set_lock(lock);
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
}

static void take_alone(const void* what, long count) {
  (void)what;
  take(me == 0 ? 0 : count, count, 1);
}

static void take_in_turns(const void* what, long count) {
  (void)what;
  take(me, count, n_pes);
}

int main(int argc, char** argv) {
  struct plan plan;
  const char* what = start(argc, argv, &plan);
  int known = 1;
  flag = new_words(1);
  lock = new_words(1);
  if (!strcmp(what, "pingpong") && n_pes > 1) {
    measure_together("pingpong", "heap", &plan, to_and_fro, NULL);
  } else if (!strcmp(what, "barrier")) {
    measure_together("barrier", "heap", &plan, barriers, NULL);
  } else if (!strcmp(what, "lock")) {
    if (n_pes == 2) measure_together("lock.alone", "heap", &plan, take_alone, NULL);
    measure_together("lock", "heap", &plan, take_in_turns, NULL);
  } else {
    known = 0;
    if (me == 0) fprintf(stderr, "usage: sync [--repetitions N] [--ms T] pingpong | barrier | lock\n");
  }
  shmem_finalize();
  return known ? 0 : 2;
}
