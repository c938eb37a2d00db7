/* Messages and collectives whose numbers, bytes and delays mpi_test.py knows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LARGE = 256 * 1024 };
static char large[LARGE];
static int ring_out[100], ring_in[100];

static void in_a_ring(int me, int n) {
  const int next = (me + 1) % n, before = (me + n - 1) % n;
  for (int k = 0; k < 10; ++k) { /* 400 bytes each */
    MPI_Sendrecv(ring_out, 100, MPI_INT, next, 1, ring_in, 100, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int k = 0; k < 5; ++k) { /* 8 bytes each */
    MPI_Request both[2];
    MPI_Irecv(ring_in, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(ring_out, 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request kept[2]; /* 16 bytes each */
  MPI_Recv_init(ring_in, 16, MPI_CHAR, before, 3, MPI_COMM_WORLD, &kept[0]);
  MPI_Send_init(ring_out, 16, MPI_CHAR, next, 3, MPI_COMM_WORLD, &kept[1]);
  for (int k = 0; k < 3; ++k) {
    MPI_Startall(2, kept);
    MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&kept[0]);
  MPI_Request_free(&kept[1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, n = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  in_a_ring(me, n);

  if (me % 2 == 0 && me + 1 < n) MPI_Send(large, LARGE, MPI_CHAR, me + 1, 4, MPI_COMM_WORLD);
  if (me % 2 == 1) MPI_Recv(large, LARGE, MPI_CHAR, me - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  MPI_Barrier(MPI_COMM_WORLD);
  if (n > 1 && me == n - 1) { /* its message comes late */
    usleep(50000);
    MPI_Send(&me, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  }
  if (n > 1 && me == 0) MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Comm_size(MPI_COMM_WORLD, &n);

  MPI_Barrier(MPI_COMM_WORLD);
  if (me == n - 1) usleep(50000); /* it comes last to this one */
  MPI_Barrier(MPI_COMM_WORLD);

  double mine[4] = {1, 2, 3, 4}, sum[4];
  MPI_Allreduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* 32 bytes */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
