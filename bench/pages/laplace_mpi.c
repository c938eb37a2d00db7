/* The loop of stencil.h with messages of MPI, of Weft or another one.
 *
 * usage: laplace_mpi [points a side] [steps] [-] [dimensions] */
#include <mpi.h>
#include <stdio.h>

#include "stencil.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct grid grid = grid_of(argc, argv, 1);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &grid.parts);
  const int first = first_of(grid, me), rows = rows_of(grid, me), width = (int)grid.width;
  const int above = me > 0 ? me - 1 : MPI_PROC_NULL, below = me < grid.parts - 1 ? me + 1 : MPI_PROC_NULL;
  const size_t bytes = (size_t)(rows + 2) * grid.width * sizeof(double);
  double *from = malloc(bytes), *to = malloc(bytes);
  if (from == NULL || to == NULL) {
    fprintf(stderr, "laplace_mpi: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fill(grid, from, first - 1, first + rows + 1);
  fill(grid, to, first - 1, first + rows + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now();
  for (int k = 0; k < grid.steps; ++k) {
    step(grid, rows, from, to);
    double* const last = to + (size_t)rows * grid.width;
    MPI_Sendrecv(to + width, width, MPI_DOUBLE, above, 0, last + width, width, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, width, MPI_DOUBLE, below, 1, to, width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double* const other = from;
    from = to;
    to = other;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double took = now() - start;
  double sum = sum_of_rows(grid, from + (me == 0 ? 0 : width), rows + (me == 0) + (me == grid.parts - 1)), all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) {
    printf("laplace mpi %d sum %.6f %.6f\n", grid.parts, all, took);
  }
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
