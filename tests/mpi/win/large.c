/* A window large enough to be told of: all of each part is filled by its rank, and read by another one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 20 };

int main(int argc, char** argv) {
  int rank, size, *mine = NULL, wrong = 0;
  int* const theirs = malloc(WORDS * sizeof *theirs);
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(2 * WORDS * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  for (int k = 0; k < 2 * WORDS; ++k) mine[k] = rank + k;
  const int next = (rank + 1) % size;
  MPI_Win_fence(0, win);
  MPI_Get(theirs, WORDS, MPI_INT, next, WORDS, WORDS, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int k = 0; k < WORDS; ++k) wrong += theirs[k] != next + WORDS + k;
  MPI_Win_free(&win);
  MPI_Finalize();
  free(theirs);
  if (wrong == 0) printf("rank %d is done\n", rank);
  return wrong != 0;
}
