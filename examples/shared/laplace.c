/* Laplace's equation on a square: each point becomes the mean of its four neighbours, again and again. All PEs have the
 * same two arrays; each works on a part of the rows and reads a row of the parts beside it.
 *
 * usage: laplace [points a side] [steps] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weft/shared.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void step(int side, int first, int last, const double* restrict from, double* restrict to) {
  for (int row = first; row < last; ++row) {
    const double* here = from + (size_t)row * (size_t)side;
    double* there = to + (size_t)row * (size_t)side;
    for (int column = 1; column < side - 1; ++column) {
      there[column] = 0.25 * (here[column - side] + here[column + side] + here[column - 1] + here[column + 1]);
    }
  }
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 50;
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  const size_t bytes = (size_t)side * (size_t)side * sizeof(double);
  double* from = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
  double* to = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
  if (from == NULL || to == NULL) {
    return 1;
  }

  /* Who works on a part writes it first: then it is at home there. The first and last rows are the border. */
  const int first = (int)((long)side * me / n), last = (int)((long)side * (me + 1) / n);
  for (int row = first; row < last; ++row) {
    for (int column = 0; column < side; ++column) {
      const double value = row == 0 ? 1.0 : 0.0;
      from[(size_t)row * (size_t)side + (size_t)column] = value;
      to[(size_t)row * (size_t)side + (size_t)column] = value;
    }
  }
  weft_shared_barrier();

  const int begin = first > 1 ? first : 1, end = last < side - 1 ? last : side - 1;
  const double start = now();
  for (int k = 0; k < steps; ++k) {
    step(side, begin, end, from, to);
    weft_shared_barrier();
    double* other = from;
    from = to;
    to = other;
  }
  const double took = now() - start;

  if (me == 0) {
    double sum = 0;
    for (size_t k = 0; k < (size_t)side * (size_t)side; ++k) {
      sum += from[k];
    }
    fprintf(stderr, "%d PEs: %d steps of %d x %d in %.4f s\n", n, steps, side, side, took);
    printf("the sum is %.6f\n", sum);
  }
  weft_shared_finalize();
  return 0;
}
