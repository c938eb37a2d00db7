/* The loop of stencil.h with OpenMP.
 *
 * usage: laplace_openmp [points a side] [steps] [threads] [dimensions] */
#include <omp.h>
#include <stdio.h>

#include "stencil.h"

int main(int argc, char** argv) {
  const struct grid grid = grid_of(argc, argv, 1);
  double *from = aligned_alloc(4096, bytes_of(grid)), *to = aligned_alloc(4096, bytes_of(grid));
  if (from == NULL || to == NULL) {
    fprintf(stderr, "laplace_openmp: no memory\n");
    return 1;
  }
  double took = 0;
  int threads = 0;
#pragma omp parallel num_threads(grid.parts)
  {
    const int part = omp_get_thread_num(), rows = rows_of(grid, part);
    const size_t before = (size_t)(first_of(grid, part) - 1) * grid.width;
    double *mine = from, *next = to;
    fill_part(grid, mine, part);
    fill_part(grid, next, part);
#pragma omp barrier
    const double start = now();
    for (int k = 0; k < grid.steps; ++k) {
      step(grid, rows, mine + before, next + before);
#pragma omp barrier
      double* const other = mine;
      mine = next;
      next = other;
    }
#pragma omp master
    took = now() - start, threads = omp_get_num_threads();
  }
  if (threads != grid.parts) {  // then rows were left out
    fprintf(stderr, "laplace_openmp: %d threads came where %d were asked for\n", threads, grid.parts);
    return 1;
  }
  printf("laplace openmp %d sum %.6f %.6f\n", grid.parts, sum_of_rows(grid, grid.steps % 2 == 0 ? from : to, grid.side),
         took);
  free(from);
  free(to);
  return 0;
}
