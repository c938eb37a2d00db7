/* One lock of a job on several nodes, in the mixes in which it matters where it is taken from.
 *
 *   locks [--repetitions N] [--ms T] weft | network
 *
 * weft: shmem_set_lock. network: a ticket lock of atomic operations, which with WEFT_AMO=network all go through the
 * network. How to compare them: ../README.md. */
#include "common.h"

static long* lock; /* its home is PE 0, as of the first word of the heap */
static int by_weft;
static int stranger; /* the first PE of another node */

static void take_once(void) {
  if (by_weft) {
    shmem_set_lock(lock);
    shmem_clear_lock(lock);
    return;
  }
  const long before = shmem_long_atomic_fetch_add(lock, 1L << 32, 0);
  const unsigned ticket = (unsigned)(before >> 32);
  for (unsigned serving = (unsigned)before; serving != ticket; serving = (unsigned)shmem_long_atomic_fetch(lock, 0))
    sched_yield();
  shmem_quiet();
  shmem_long_atomic_add(lock, 1, 0);
}

static void take(long count) {
  for (long k = 0; k < count; k++) take_once();
}

static void from_home(const void* what, long count) {
  (void)what;
  if (me == 0) take(count);
  shmem_barrier_all();
}

static void from_elsewhere(const void* what, long count) {
  (void)what;
  if (me == stranger) take(count);
  shmem_barrier_all();
}

/* `count` in all, in phases of so many, by PE 0 and by the stranger in turn. */
static void in_phases(const void* length, long count) {
  const long each = *(const long*)length;
  for (long k = 0, phase = 0; k < count; k += each, phase++) {
    if (me == (phase % 2 ? stranger : 0)) take(count - k < each ? count - k : each);
    shmem_barrier_all();
  }
}

/* What the phases cost without the lock. */
static void only_phases(const void* length, long count) {
  for (long k = 0; k < count; k += *(const long*)length) shmem_barrier_all();
}

static void by_all(const void* what, long count) {
  (void)what;
  take(count / n_pes + (me < count % n_pes));
  shmem_barrier_all();
}

/* The PEs of PE 0's node all the time, the stranger once for each 64 of theirs. */
static void mostly_home(const void* what, long count) {
  (void)what;
  if (me < stranger) take(count / stranger + 1);
  if (me == stranger) take(count / 64);
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  struct plan plan;
  const char* what = start(argc, argv, &plan);
  static const long lengths[] = {1, 4, 16, 64, 256, 1024};
  lock = new_words(1);
  by_weft = !strcmp(what, "weft");
  while (stranger < n_pes && shmem_ptr(lock, stranger) != NULL) stranger++;
  if ((!by_weft && strcmp(what, "network") != 0) || stranger == n_pes) {
    if (me == 0) fprintf(stderr, "usage: locks [--repetitions N] [--ms T] weft | network, in a job of several nodes\n");
    shmem_finalize();
    return 1;
  }
  measure_together("locks.home", what, &plan, from_home, NULL);
  measure_together("locks.elsewhere", what, &plan, from_elsewhere, NULL);
  measure_together("locks.all", what, &plan, by_all, NULL);
  measure_together("locks.mostly_home", what, &plan, mostly_home, NULL);
  for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
    char name[64];
    (void)snprintf(name, sizeof name, "locks.phases_of_%ld", lengths[k]);
    measure_together(name, what, &plan, in_phases, &lengths[k]);
    (void)snprintf(name, sizeof name, "locks.no_lock_in_phases_of_%ld", lengths[k]);
    measure_together(name, what, &plan, only_phases, &lengths[k]);
  }
  shmem_finalize();
  return 0;
}
