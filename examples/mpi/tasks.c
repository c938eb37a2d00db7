/* MPI and OpenSHMEM in one program: messages where two ranks agree, one-sided operations where one of them knows
 * nothing of it.
 *
 *   CC=weft-mpicc oshcc tasks.c -o tasks && oshrun -n 4 ./tasks
 *
 * The ranks take the next task from a counter of rank 0, which needs no part of rank 0's time: OpenSHMEM. What is to be
 * done comes from rank 0, and what came of it is gathered there: MPI. A rank and a PE of one process have the same
 * number.
 */
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>

enum { TASKS = 1000 };

static long next; /* symmetric: rank 0's is the one that counts */

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  shmem_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != shmem_my_pe() || size != shmem_n_pes()) {
    fprintf(stderr, "rank %d of %d is PE %d of %d\n", rank, size, shmem_my_pe(), shmem_n_pes());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  double factor = rank == 0 ? 0.5 : 0;
  MPI_Bcast(&factor, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);

  double mine = 0;
  long done = 0;
  for (;;) {
    long task = shmem_long_atomic_fetch_inc(&next, 0);
    if (task >= TASKS) {
      break;
    }
    mine += factor * (double)task;
    ++done;
  }

  double sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    long all = done;
    for (int other = 1; other < size; ++other) {
      long theirs;
      MPI_Recv(&theirs, 1, MPI_LONG, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      all += theirs;
    }
    int right = all == TASKS && sum == factor * TASKS * (TASKS - 1) / 2;
    printf(right ? "all %ld tasks are done, each once\n" : "%ld tasks are done, which is wrong\n", all);
  } else {
    MPI_Send(&done, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
  }

  shmem_finalize();
  MPI_Finalize();
  return 0;
}
