/* The loop of stencil.h on ArgoDSM, whose library is not part of Weft: compare.py builds this where it is told where
 * that is.
 *
 * usage: laplace_argo [points a side] [steps] [-] [dimensions] */
#include <argo.h>
#include <stdio.h>

#include "stencil.h"

int main(int argc, char** argv) {
  struct grid grid = grid_of(argc, argv, 1);
  const size_t bytes = bytes_of(grid), room = bytes > ((size_t)64 << 20) ? bytes : (size_t)64 << 20;
  argo_init(8 * room, 8 * room);
  const int me = (int)argo_node_id();
  grid.parts = (int)argo_number_of_nodes();
  double *from = collective_alloc(bytes), *to = collective_alloc(bytes);
  fill_part(grid, from, me);
  fill_part(grid, to, me);
  argo_barrier(1);
  const int rows = rows_of(grid, me);
  const size_t before = (size_t)(first_of(grid, me) - 1) * grid.width;
  const double start = now();
  for (int k = 0; k < grid.steps; ++k) {
    step(grid, rows, from + before, to + before);
    argo_barrier(1);
    double* const other = from;
    from = to;
    to = other;
  }
  const double took = now() - start;
  const double sum = sum_of_rows(grid, from, grid.side);
  argo_barrier(1);
  if (me == 0) {
    printf("laplace argodsm %d sum %.6f %.6f\n", grid.parts, sum, took);
  }
  argo_finalize();
  return 0;
}
