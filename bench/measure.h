/* How bench/ measures, the same for the limits (C++) and for Weft (C): a body holds its own loop; it is run with a
 * growing count until it takes long enough, then a fixed number of times, and every time is printed. Medians, ratios
 * and spreads are for bench/bench.py to form.
 *
 * A line of output is one JSON object:  {"name": "put8", "by": "weft heap", "pes": 2, "ns": [1.2, 1.2, 1.3]}
 * with the nanoseconds of one operation in each repetition; "bytes" instead of "ns" where that is what was measured.
 */
#ifndef WEFT_BENCH_MEASURE_H
#define WEFT_BENCH_MEASURE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_REPETITIONS 64
#define WARM_UP 5 /* repetitions that are not counted */
#define WARM_UP_CALLS 30
#define STRIDED_ELEMENTS 512 /* every other one of a row */

struct plan {
  int repetitions;
  double ms; /* of each repetition */
};

/* The compiler must assume that all memory is read and written here, as across a call of the library. */
#define MEMORY_CHANGES() __asm__ __volatile__("" ::: "memory")

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The processors this process may use, in turn: PE 0 on the first, PE 1 on the second, and so on around. Without
 * pinning, which of two PEs share a core differs from run to run, and with it every figure. */
static inline void pin(int rank) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int left = rank % CPU_COUNT(&allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &allowed) || left-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

/* How often to repeat something of which `count` took `took` ns, to fill one repetition. */
static inline long count_for(const struct plan* plan, long count, double took) {
  double wanted = plan->ms * 1e6 * (double)count / (took > 1 ? took : 1);
  return wanted < 1 ? 1 : wanted > 1e9 ? 1000000000 : (long)wanted;
}

static inline void print_figures(const char* name, const char* by, int pes, const char* unit, const double* figures,
                                 int n) {
  printf("{\"name\": \"%s\", \"by\": \"%s\", \"pes\": %d, \"%s\": [", name, by, pes, unit);
  for (int k = 0; k < n; k++) printf("%s%.4f", k ? ", " : "", figures[k]);
  printf("]}\n");
  (void)fflush(stdout);
}

static inline void print_times(const char* name, const char* by, int pes, const double* ns, int n) {
  print_figures(name, by, pes, "ns", ns, n);
}

/* Something that one process does by itself: the time of one operation in each repetition. */
static inline void take_times(double* ns, const struct plan* plan, void (*body)(const void* what, long count),
                              const void* what) {
  double begin = now_ns();
  long count = 1;
  body(what, count);
  for (double took = 0; took < plan->ms * 2e5; count *= 4) { /* a fifth of a repetition: then we know how fast it is */
    begin = now_ns();
    body(what, 4 * count);
    took = now_ns() - begin;
    if (took >= plan->ms * 2e5) {
      count = count_for(plan, 4 * count, took);
      break;
    }
  }
  /* Large copies become faster over their first hundreds of passes, as the caches learn to keep the blocks; and Weft
   * tries its routines in the first ones of a size. */
  begin = now_ns();
  long calls = 0;
  do {
    body(what, count);
    calls += count;
  } while (now_ns() - begin < plan->ms * WARM_UP * 1e6 || calls < WARM_UP_CALLS);
  for (int r = 0; r < plan->repetitions; r++) {
    begin = now_ns();
    body(what, count);
    ns[r] = (now_ns() - begin) / (double)count;
  }
}

static inline void measure(const char* name, const char* by, const struct plan* plan,
                           void (*body)(const void* what, long count), const void* what) {
  double ns[MOST_REPETITIONS];
  take_times(ns, plan, body, what);
  print_times(name, by, 2, ns, plan->repetitions);
}

/* Names of the copies whose bandwidth is measured. */
struct block_size {
  const char* text;
  size_t bytes;
};
static const struct block_size block_sizes[] = {
    {"8", 8},          {"64", 64},        {"1K", 1 << 10},     {"4K", 4 << 10},
    {"16K", 16 << 10}, {"64K", 64 << 10}, {"256K", 256 << 10}, {"1M", 1 << 20},
    {"4M", 4 << 20},   {"16M", 16 << 20}, {"64M", 64 << 20},
};
#define N_BLOCK_SIZES (sizeof block_sizes / sizeof block_sizes[0])
#define LARGEST_BLOCK ((size_t)64 << 20)

static inline const char* name_with(char* room, size_t bytes, const char* begin, const char* end) {
  (void)snprintf(room, bytes, "%s%s", begin, end);
  return room;
}

/* [--repetitions N] [--ms T] in front of the arguments. Returns how many words were read. */
static inline int read_plan(int argc, char** argv, struct plan* plan) {
  int at = 1;
  plan->repetitions = 7;
  plan->ms = 4;
  for (; at + 1 < argc && argv[at][0] == '-' && argv[at][1] == '-'; at += 2) {
    if (argv[at][2] == 'r') plan->repetitions = atoi(argv[at + 1]);
    if (argv[at][2] == 'm') plan->ms = atof(argv[at + 1]);
  }
  if (plan->repetitions < 1) plan->repetitions = 1;
  if (plan->repetitions > MOST_REPETITIONS) plan->repetitions = MOST_REPETITIONS;
  return at;
}

#endif
