/* Calls of both interfaces in one program; with "mpi" MPI begins first. */
#include <mpi.h>
#include <shmem.h>
#include <string.h>

static long there;

int main(int argc, char** argv) {
  const int mpi_first = argc > 1 && strcmp(argv[1], "mpi") == 0;
  if (mpi_first) MPI_Init(&argc, &argv);
  shmem_init();
  if (!mpi_first) MPI_Init(&argc, &argv);
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n, before = (me + n - 1) % n;
  long got = 0, mine = me;
  shmem_long_put(&there, &mine, 1, next);
  shmem_barrier_all();
  MPI_Sendrecv(&mine, 1, MPI_LONG, next, 0, &got, 1, MPI_LONG, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  const int wrong = got != before || there != before;
  MPI_Finalize();
  shmem_finalize();
  return wrong;
}
