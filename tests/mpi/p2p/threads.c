/* Threads of a rank exchange messages with those of the next one, each by tags of its own, all at the same time. */
#include <pthread.h>

#include "../local/check.h"

enum { THREADS = 3, TURNS = 200, LARGE = 20000 };
static int rank, size, next, previous;

static void* run(void* which) {
  const int tag = (int)(size_t)which;
  char* const out = malloc(LARGE);
  char* const in = malloc(LARGE);
  for (int turn = 0; turn < TURNS; ++turn) {
    const int bytes = turn % 10 == 0 ? LARGE : turn;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    memset(out, rank + tag + turn, (size_t)bytes);
    if (turn % 3 == 0) {
      GOOD(MPI_Isend(out, bytes, MPI_CHAR, next, tag, MPI_COMM_WORLD, &requests[1]));
      GOOD(MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &statuses[0]));
      GOOD(MPI_Mrecv(in, LARGE, MPI_CHAR, &message, &statuses[0]));
      GOOD(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    } else {
      GOOD(MPI_Irecv(in, LARGE, MPI_CHAR, previous, tag, MPI_COMM_WORLD, &requests[0]));
      GOOD(MPI_Isend(out, bytes, MPI_CHAR, next, tag, MPI_COMM_WORLD, &requests[1]));
      GOOD(MPI_Waitall(2, requests, statuses));
    }
    for (int k = 0; k < bytes; ++k) CHECK(in[k] == (char)(previous + tag + turn));
  }
  free(out);
  free(in);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int provided = -1;
  GOOD(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (int k = 0; k < THREADS; ++k) CHECK(pthread_create(&threads[k], NULL, run, (void*)(size_t)k) == 0);
  for (int k = 0; k < THREADS; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
  return end();
}
