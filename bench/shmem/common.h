/* What the OpenSHMEM programs of bench/ share. They use OpenSHMEM 1.4 only, so any library's oshcc compiles them. */
#ifndef WEFT_BENCH_COMMON_H
#define WEFT_BENCH_COMMON_H

#include "measure.h"

#include <shmem.h>
#include <string.h>

static int me, n_pes;
static volatile long sink; /* what the loops compute goes here, so that they are not removed */

/* Symmetric words, 0, on cache lines of their own. On the heap: some libraries do not find static data in every run. */
static inline long* new_words(size_t n) {
  long* words = shmem_align(128, (n * sizeof(long) + 127) / 128 * 128);
  for (size_t k = 0; k < n; k++) words[k] = 0;
  shmem_barrier_all();
  return words;
}

/* PE 0 tells all others a number. */
static inline long agreed(long of_pe_0) {
  static long* number;
  if (!number) number = new_words(1);
  shmem_barrier_all(); /* nobody still reads the number before */
  if (me == 0) {
    for (int pe = 0; pe < n_pes; pe++) shmem_long_p(number, of_pe_0, pe);
  }
  shmem_barrier_all();
  return *number;
}

/* Something that all PEs do together: `rounds(what, count)` on each of them. */
static inline void measure_together(const char* name, const char* by, const struct plan* plan,
                                    void (*rounds)(const void* what, long count), const void* what) {
  double ns[MOST_REPETITIONS], begin;
  long count = 2;
  rounds(what, count);
  for (double took = 0; took < plan->ms * 2e5;) { /* until it takes long enough to know how fast it is */
    count *= 2;
    shmem_barrier_all();
    begin = now_ns();
    rounds(what, count);
    shmem_barrier_all();
    took = now_ns() - begin;
    took = 0.001 * (double)agreed((long)(took * 1000)); /* all stop together */
    if (took >= plan->ms * 2e5) count = count_for(plan, count, took);
  }
  for (int r = -1; r < plan->repetitions; r++) { /* one that is not counted */
    shmem_barrier_all();
    begin = now_ns();
    rounds(what, count);
    if (r >= 0) ns[r] = (now_ns() - begin) / (double)count;
  }
  if (me == 0) print_times(name, by, n_pes, ns, plan->repetitions);
  shmem_barrier_all();
}

static inline const char* start(int argc, char** argv, struct plan* plan) {
  const int at = read_plan(argc, argv, plan);
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  pin(me);
  return at < argc ? argv[at] : "";
}

#endif
