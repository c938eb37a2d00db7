/* What the programs share that measure shared pages: the line of a figure, memory, and rows that both have. */
#ifndef WEFT_BENCH_PAGES_BARS_H
#define WEFT_BENCH_PAGES_BARS_H

#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <weft/shared.h>

#include "times.h"

static int g_me;

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

/* 64 MiB of another PE, into memory that is new each time; and by gets of 256 KiB. */
static void sequential(void) {
  enum { kTimes = 5, kPiece = 256 << 10 };
  const size_t bytes = (size_t)64 << 20;
  double times[2][kTimes];
  char* const theirs = shmem_malloc(bytes);
  memset(theirs, 1, bytes);
  shmem_barrier_all();
  for (int k = 0; k < kTimes; ++k) {
    char* const all = shared(bytes);
    if (g_me == 1) {
      memset(all, 1, bytes);
    }
    weft_shared_barrier();
    if (g_me == 0) {
      volatile long sum = 0;
      double begin = now();
      for (size_t at = 0; at < bytes; at += 64) {
        sum += all[at];
      }
      times[0][k] = now() - begin;
      char* const into = here(bytes);
      begin = now();
      for (size_t at = 0; at < bytes; at += kPiece) {
        shmem_getmem(into + at, theirs + at, kPiece, 1);
      }
      for (size_t at = 0; at < bytes; at += 64) {
        sum += into[at];
      }
      times[1][k] = now() - begin;
      munmap(into, bytes);
    }
    weft_shared_barrier();
  }
  if (g_me == 0) {
    tell("sequential", median(times[0], kTimes), median(times[1], kTimes), "us");
  }
}

/* With nothing changed, so many at a time. */
static void barriers(int each) {
  enum { kTimes = 15 };
  double times[2][kTimes];
  for (int k = 0; k < 50; ++k) {
    weft_shared_barrier();
  }
  for (int k = 0; k < kTimes; ++k) {
    double begin = now();
    for (int n = 0; n < each; ++n) {
      weft_shared_barrier();
    }
    times[0][k] = (now() - begin) / each;
    begin = now();
    for (int n = 0; n < each; ++n) {
      shmem_barrier_all();
    }
    times[1][k] = (now() - begin) / each;
  }
  if (g_me == 0) {
    tell("barrier", median(times[0], kTimes), median(times[1], kTimes), "us");
  }
}

#endif
