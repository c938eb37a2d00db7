/* Somebody else's tool, as the standard has them: it counts a function, and calls it by its other name. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void) {
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  printf("rank %d has called MPI_Send %d times\n", me, sends);
  return PMPI_Finalize();
}
