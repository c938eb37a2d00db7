/* Times and their medians, in microseconds; and the bytes of a page, which all programs here count in. */
#ifndef WEFT_BENCH_PAGES_TIMES_H
#define WEFT_BENCH_PAGES_TIMES_H

#include <stdlib.h>
#include <time.h>

enum { kPage = 4096 };

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e6 + 1e-3 * (double)at.tv_nsec;
}
static int by_time(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}
static double median(double* times, int n) {
  qsort(times, (size_t)n, sizeof *times, by_time);
  return times[n / 2];
}

#endif
