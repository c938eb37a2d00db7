/* Broadcasts that go through the root's stream piece by piece, of which it is ahead: sizes around the limits, more than
 * the stream holds, roots that stay and that change, late members, other collectives in between, more communicators
 * than have a stream, and both ways of a large one, by turns until one is known to be the faster. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kPiece = 8192, kMost = 1 << 20, kSide = 64, kRounds = 400, kComms = 14 };

static const int kSizes[] = {121,    128,        1000,       2047,           2048,       2049,           kPiece - 1,
                             kPiece, kPiece + 1, 3 * kPiece, 8 * kPiece - 5, 8 * kPiece, 8 * kPiece + 1, 70001,
                             262143, 262144,     300001,     kMost};
enum { kManySizes = sizeof kSizes / sizeof *kSizes };

static int rank, size;
static unsigned char* room;
static unsigned char* all;

static void fill(unsigned char* at, int bytes, unsigned seed) {
  for (int k = 0; k < bytes; ++k) at[k] = (unsigned char)((unsigned)k * 7u + (unsigned)k / 251u + seed * 31u + 1u);
}

static void fail(const char* what, int round, int bytes) {
  fprintf(stderr, "rank %d: %s in round %d of %d bytes\n", rank, what, round, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void broadcast(MPI_Comm comm, int round, int bytes, int root, int unaligned) {
  unsigned char* const data = room + kSide + unaligned;
  int me;
  MPI_Comm_rank(comm, &me);
  memset(room, 0xee, (size_t)bytes + 2 * kSide);
  if (me == root) fill(data, bytes, (unsigned)round);
  MPI_Bcast(data, bytes, MPI_BYTE, root, comm);
  fill(all, bytes, (unsigned)round);
  if (memcmp(data, all, (size_t)bytes) != 0) fail("something else came", round, bytes);
  if (data[-1] != 0xee || data[bytes] != 0xee) fail("bytes beside the buffer were written", round, bytes);
}

static void series(MPI_Comm comm, int rounds) {
  int members;
  MPI_Comm_size(comm, &members);
  for (int round = 0; round < rounds; ++round) {
    const int root = round < rounds / 2 ? round / 50 % members : round % members;
    const int bytes = kSizes[round * 5 % kManySizes];
    if (round % 97 == 50 && (round / 97 + rank) % size == 0) usleep(2000); /* the others are late, or it is */
    broadcast(comm, round, bytes, root, round % 9);
    if (round % 7 == 0) broadcast(comm, round + 1, 1 + round % 120, (root + 1) % members, 0);
    if (round % 11 == 0) {
      double sums[3000], ones[3000];
      for (int k = 0; k < 3000; ++k) ones[k] = k + round;
      MPI_Allreduce(ones, sums, 3000, MPI_DOUBLE, MPI_SUM, comm);
      for (int k = 0; k < 3000; ++k) {
        if (sums[k] != (double)(k + round) * members) fail("a sum is wrong", round, k);
      }
    }
    if (round % 13 == 0) {
      fill(room, 4000, (unsigned)rank);
      MPI_Allgather(room, 4000, MPI_BYTE, all, 4000, MPI_BYTE, comm);
    }
    if (round % 31 == 0) MPI_Barrier(comm);
  }
}

/* In place and not, of two vectors that go either way. */
static void sums(MPI_Comm comm) {
  int members;
  MPI_Comm_size(comm, &members);
  const int count = 20001;
  double* const mine = malloc(2 * (size_t)count * sizeof *mine);
  double* const got = mine + count;
  for (int round = 0; round < 80; ++round) {
    for (int k = 0; k < count; ++k) mine[k] = k + round;
    const int some = round % 3 == 0 ? 2048 : count - round % 2;
    MPI_Allreduce(mine, got, some, MPI_DOUBLE, MPI_SUM, comm);
    for (int k = 0; k < some; ++k) {
      if (got[k] != (double)(k + round) * members) fail("a sum is wrong", round, k);
    }
    MPI_Reduce(mine, got, some, MPI_DOUBLE, MPI_MAX, round % members, comm);
    MPI_Allreduce(MPI_IN_PLACE, mine, some, MPI_DOUBLE, MPI_SUM, comm);
    for (int k = 0; k < some; ++k) {
      if (mine[k] != (double)(k + round) * members) fail("a sum in place is wrong", round, k);
    }
  }
  free(mine);
}

int main(int argc, char** argv) {
  MPI_Comm comms[kComms], half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  room = malloc(kMost + 2 * kSide);
  all = malloc((size_t)(kMost > 4000 * size ? kMost : 4000 * size));
  series(MPI_COMM_WORLD, kRounds);
  sums(MPI_COMM_WORLD);
  for (int k = 0; k < kComms; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
  for (int k = 0; k < kComms; ++k) series(comms[k], 20 + k);
  for (int k = 0; k < kComms; ++k) MPI_Comm_free(&comms[k]); /* the next one may have its place */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  series(half, kRounds / 2);
  sums(half);
  MPI_Comm_free(&half);
  free(room);
  free(all);
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
