// What messages need memory for: boxes, requests, messages that nobody has asked for yet, large ones by one copy and by
// two, packed ones, a buffer of the program's own, a collective, a window.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMany = 200, kLarge = 100000 };

static int a[kLarge], b[kLarge];
static char room[20000];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, n, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  MPI_Request requests[kMany];

  // Nobody waits for these yet, and they are asked for in the other order.
  for (int k = 0; k < kMany; ++k) {
    a[k] = me + k;
    MPI_Isend(&a[k], 1, MPI_INT, to, k, MPI_COMM_WORLD, &requests[k]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = kMany - 1; k >= 0; --k) {
    MPI_Recv(&b[k], 1, MPI_INT, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong |= b[k] != from + k;
  }
  MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);

  for (int k = 0; k < kLarge; ++k) a[k] = me + k;
  MPI_Sendrecv(a, kLarge, MPI_INT, to, 1, b, kLarge, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong |= b[kLarge - 1] != from + kLarge - 1;
  MPI_Datatype every_other;
  MPI_Type_vector(kLarge / 2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Sendrecv(a, 1, every_other, to, 2, b, kLarge / 2, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong |= b[kLarge / 2 - 1] != from + kLarge - 2;
  MPI_Type_free(&every_other);

  MPI_Buffer_attach(room, sizeof room);
  MPI_Bsend(a, 1000, MPI_INT, to, 3, MPI_COMM_WORLD);
  MPI_Recv(b, 1000, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong |= b[999] != from + 999;
  void* back;
  int bytes;
  MPI_Buffer_detach(&back, &bytes);

  int sum = 0;
  MPI_Comm again;
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, again);
  wrong |= sum != n * (n - 1) / 2;
  MPI_Win window;
  int* mine;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, again, &mine, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&me, 1, MPI_INT, to, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  wrong |= *mine != from;
  MPI_Win_free(&window);
  MPI_Comm_free(&again);
  if (me == 0 && !wrong) printf("messages: all is right\n");
  MPI_Finalize();
  return wrong;
}
