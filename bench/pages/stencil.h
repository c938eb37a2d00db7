/* What the programs of this folder compute that are compared with each other: Laplace's equation on a square, or a
 * stencil of seven points in a cube. A "row" is what parts are divided by: a line of the square, a plane of the cube.
 */
#ifndef STENCIL_H
#define STENCIL_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct grid {
  int side, dimensions, steps, parts;
  size_t width; /* numbers in a row */
};

static inline double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* [points a side] [steps] [parts] [dimensions] from argv[first] on. */
static inline struct grid grid_of(int argc, char** argv, int first) {
  const int given[] = {1024, 50, 2, 2};
  int is[4];
  for (int k = 0; k < 4; ++k) {
    is[k] = argc > first + k ? atoi(argv[first + k]) : given[k];
  }
  const struct grid grid = {is[0], is[3], is[1], is[2], is[3] == 3 ? (size_t)is[0] * (size_t)is[0] : (size_t)is[0]};
  return grid;
}

static inline size_t bytes_of(struct grid grid) { return (size_t)grid.side * grid.width * sizeof(double); }

static inline int first_of(struct grid grid, int part) { return 1 + (int)((long)(grid.side - 2) * part / grid.parts); }
static inline int rows_of(struct grid grid, int part) { return first_of(grid, part + 1) - first_of(grid, part); }

static inline void step_of_square(int side, int rows, const double* restrict from, double* restrict to) {
  for (int row = 1; row <= rows; ++row) {
    const double* here = from + (size_t)row * (size_t)side;
    double* there = to + (size_t)row * (size_t)side;
    for (int column = 1; column < side - 1; ++column) {
      there[column] = 0.25 * (here[column - side] + here[column + side] + here[column - 1] + here[column + 1]);
    }
  }
}

static inline void step_of_cube(int side, int planes, const double* restrict from, double* restrict to) {
  const ptrdiff_t plane = (ptrdiff_t)side * side;
  for (int z = 1; z <= planes; ++z) {
    for (int y = 1; y < side - 1; ++y) {
      const double* here = from + z * plane + (ptrdiff_t)y * side;
      double* there = to + z * plane + (ptrdiff_t)y * side;
      for (int x = 1; x < side - 1; ++x) {
        there[x] = (here[x] + here[x - plane] + here[x + plane] + here[x - side] + here[x + side] + here[x - 1] +
                    here[x + 1]) /
                   7;
      }
    }
  }
}

/* The arrays begin at the row before the first of them. */
static inline void step(struct grid grid, int rows, const double* from, double* to) {
  if (grid.dimensions == 3) {
    step_of_cube(grid.side, rows, from, to);
  } else {
    step_of_square(grid.side, rows, from, to);
  }
}

/* The rows from one up to another, of which the array has the first at its begin. */
static inline void fill(struct grid grid, double* rows, int from_row, int to_row) {
  for (int row = from_row; row < to_row; ++row) {
    for (size_t column = 0; column < grid.width; ++column) {
      rows[(size_t)(row - from_row) * grid.width + column] = row == 0 ? 1.0 : 0.0;
    }
  }
}

/* A part's rows of the whole, and for the first and the last part the border beside them. */
static inline void fill_part(struct grid grid, double* all, int part) {
  const int from = part == 0 ? 0 : first_of(grid, part);
  const int to = part == grid.parts - 1 ? grid.side : first_of(grid, part + 1);
  fill(grid, all + (size_t)from * grid.width, from, to);
}

/* That all ways compute the same: of a part. */
static inline double sum_of_rows(struct grid grid, const double* rows, int n) {
  double sum = 0;
  for (size_t k = 0; k < (size_t)n * grid.width; ++k) {
    sum += rows[k];
  }
  return sum;
}

#endif
