/* Small broadcasts, in which a root waits for nobody until it is well ahead: every size around the limits, roots that
 * stay and that change, late members, and other collectives in between. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 130, kRounds = 3000 };

static int rank, size;

static unsigned char byte_of(int round, int at) { return (unsigned char)(round * 31 + at * 7 + 1); }

static void broadcast(MPI_Comm comm, int round, int bytes, int root) {
  unsigned char data[kMost + 2];
  int me, k;
  MPI_Comm_rank(comm, &me);
  memset(data, 0xee, sizeof data);
  for (k = 0; me == root && k < bytes; ++k) data[1 + k] = byte_of(round, k);
  MPI_Bcast(data + 1, bytes, MPI_BYTE, root, comm);
  for (k = 0; k < bytes; ++k) {
    if (data[1 + k] != byte_of(round, k)) {
      fprintf(stderr, "rank %d: byte %d of %d in round %d of root %d is wrong\n", rank, k, bytes, round, root);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  if (data[0] != 0xee || data[1 + bytes] != 0xee) {
    fprintf(stderr, "rank %d: round %d wrote beside its %d bytes\n", rank, round, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void series(MPI_Comm comm) {
  int round, sum, members;
  MPI_Comm_size(comm, &members);
  for (round = 0; round <= kMost; ++round) broadcast(comm, round, round, 0);
  for (round = 0; round < kRounds; ++round) {
    const int root = round < kRounds / 2 ? round / 200 % members : round % members;
    if (round % 500 == 499 && (round / 500 + rank) % size == 0) usleep(2000); /* the others are late, or it is */
    broadcast(comm, round, 1 + round % kMost, root);
    if (round % 97 == 0) {
      MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, comm);
      if (sum != round * members) MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (round % 131 == 0) MPI_Barrier(comm);
  }
}

int main(int argc, char** argv) {
  MPI_Comm other, half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  series(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  series(other);
  MPI_Comm_free(&other); /* the next one may have its place */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  series(half);
  MPI_Comm_free(&half);
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
