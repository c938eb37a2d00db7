/* The room that buffered messages have left is found again by the next send, although nothing else was called of
 * messages: a buffer for the messages of one round is enough for all rounds. */
#include "../local/check.h"

enum { ROUNDS = 30, EACH = 16, BYTES = 16384 };

static void rounds(int rank, int size, int bytes) {
  char* const data = malloc((size_t)bytes);
  const int room = EACH * (bytes + MPI_BSEND_OVERHEAD);
  char* const buffer = malloc((size_t)room);
  void* given = NULL;
  int given_bytes = -1;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  CHECK(data != NULL && buffer != NULL);
  GOOD(MPI_Buffer_attach(buffer, room));
  for (int round = 0; round < ROUNDS; ++round) {
    memset(data, round, (size_t)bytes);
    for (int k = 0; k < EACH; ++k) GOOD(MPI_Bsend(data, bytes, MPI_BYTE, next, k, MPI_COMM_WORLD));
    for (int k = 0; k < EACH; ++k) {
      MPI_Status status;
      GOOD(MPI_Recv(data, bytes, MPI_BYTE, previous, k, MPI_COMM_WORLD, &status));
      CHECK(data[0] == (char)round && data[bytes - 1] == (char)round);
    }
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
  }
  GOOD(MPI_Buffer_detach(&given, &given_bytes));
  CHECK(given == buffer && given_bytes == room);
  free(buffer);
  free(data);
}

int main(void) {
  int rank = -1, size = -1;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  rounds(rank, size, 8);
  rounds(rank, size, BYTES);
  return end();
}
