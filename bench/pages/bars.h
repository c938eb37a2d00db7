/* What the programs of this folder share: times, medians, the line of a figure, and memory. */
#ifndef WEFT_BENCH_PAGES_BARS_H
#define WEFT_BENCH_PAGES_BARS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <weft/shared.h>

enum { kPage = 4096 };

static int g_me;

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e6 + 1e-3 * (double)at.tv_nsec;
}
static int by_time(const void* a, const void* b) { return *(const double*)a < *(const double*)b ? -1 : 1; }
static double median(double* times, int n) {
  qsort(times, (size_t)n, sizeof *times, by_time);
  return times[n / 2];
}
static void tell(const char* name, double here, double there, const char* unit) {
  printf("bar %s %.4f %.4f %s\n", name, here, there, unit);
}
static void* shared(size_t bytes) {
  return weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(kPage, bytes) : NULL);
}
static void* here(size_t bytes) {
  void* const got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return got;
}

#endif
