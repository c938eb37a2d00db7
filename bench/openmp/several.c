// What constructs cost in a team over several processes, as one line of nanoseconds each: the best of some rounds.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 9 };
static long times, shares;  // of a loop, and of it for each thread
static long counter;
static double sum;

static void barriers(void) {
#pragma omp parallel
  for (long k = 0; k < times; k++) {
#pragma omp barrier
  }
}

static void regions(void) {
  for (long k = 0; k < times; k++) {
#pragma omp parallel
    { __asm__ __volatile__("" ::: "memory"); }
  }
}

static void criticals(void) {
#pragma omp parallel
  for (long k = 0; k < shares; k++) {
#pragma omp critical
    counter++;
  }
}

static void reductions(void) {
  for (long k = 0; k < times; k++) {
#pragma omp parallel reduction(+ : sum)
    sum += 1;
  }
}

// The word is at home with process 0, whose thread this is.
static void atomics(void) {
  for (long k = 0; k < 10 * times; k++) {
#pragma omp atomic
    counter++;
  }
}

static void measure(const char* name, void (*loop)(void), long count) {
  double best = 1e30;
  for (int round = 0; round < kRounds; round++) {
    const double begin = omp_get_wtime();
    loop();
    const double each = (omp_get_wtime() - begin) / (double)count;
    best = each < best ? each : best;
  }
  printf("%s %.1f\n", name, best * 1e9);
}

int main(int argc, char** argv) {
  const int threads = omp_get_max_threads();
  times = argc > 1 ? atol(argv[1]) : 2000;
  shares = times / threads;
  measure("barrier", barriers, times);
  measure("parallel", regions, times);
  measure("critical", criticals, shares * threads);
  measure("reduction", reductions, times);
  measure("atomic", atomics, 10 * times);
  if (counter != kRounds * (shares * threads + 10 * times) || sum != (double)(kRounds * times * threads)) {
    fprintf(stderr, "wrong: counted to %ld and %.0f\n", counter, sum);
    return 1;
  }
  return 0;
}
