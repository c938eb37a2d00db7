/* Sends that are cancelled while they are received: each is the one or the other, and what is received comes in order.
 * With "threads" two threads of each rank do so, each with a tag of its own. */
#include <pthread.h>
#include <stdatomic.h>

#include "../local/check.h"

enum { MOST = 100000 };

static int rank, size, next, previous, turns;
static atomic_int went_here; /* of all threads */

struct Side {
  int tag;
  int received, last;
  int* in;
  MPI_Request posted;
};

/* Another receive is posted for each message; probes take every third one. */
static int receive_one(struct Side* side) {
  MPI_Status status;
  int flag = 0, is_end = 0;
  if (side->posted != MPI_REQUEST_NULL) {
    GOOD(MPI_Test(&side->posted, &flag, &status));
  } else {
    MPI_Message message;
    GOOD(MPI_Improbe(previous, side->tag, MPI_COMM_WORLD, &flag, &message, &status));
    if (flag) GOOD(MPI_Mrecv(side->in, MOST, MPI_BYTE, &message, &status));
  }
  if (!flag) return 0;
  is_end = side->in[0] < 0;
  if (!is_end) {
    int bytes = 0;
    GOOD(MPI_Get_count(&status, MPI_BYTE, &bytes));
    CHECK(side->in[0] > side->last && side->in[bytes / (int)sizeof(int) - 1] == side->in[0]);
    side->last = side->in[0];
    ++side->received;
  }
  if (side->received % 3 != 0 && !is_end)
    GOOD(MPI_Irecv(side->in, MOST, MPI_BYTE, previous, side->tag, MPI_COMM_WORLD, &side->posted));
  return is_end;
}

static void* race(void* which) {
  static const int kBytes[] = {8, 6000, 8, MOST};
  struct Side side = {.tag = (int)(size_t)which, .last = -1, .in = calloc(1, MOST), .posted = MPI_REQUEST_NULL};
  int* const out = calloc(1, MOST);
  int went = 0, their = -1, ended = 0, flag = 0;
  MPI_Request request;
  MPI_Status status;
  for (int turn = 0; turn < turns; ++turn) {
    const int bytes = kBytes[turn % 4];
    out[0] = out[bytes / (int)sizeof(int) - 1] = turn;
    if (turn % 5 == 0) {
      GOOD(MPI_Isend(out, bytes, MPI_BYTE, next, side.tag, MPI_COMM_WORLD, &request));
    } else {
      GOOD(MPI_Issend(out, bytes, MPI_BYTE, next, side.tag, MPI_COMM_WORLD, &request));
    }
    for (int k = 0; k < turn % 7; ++k) ended |= receive_one(&side);
    GOOD(MPI_Cancel(&request));
    for (flag = 0; !flag;) {
      GOOD(MPI_Test(&request, &flag, &status));
      if (!flag) ended |= receive_one(&side);
    }
    GOOD(MPI_Test_cancelled(&status, &flag));
    went += !flag;
  }
  const int end_of_all[2] = {-1, -1};
  GOOD(MPI_Send(end_of_all, sizeof end_of_all, MPI_BYTE, next, side.tag, MPI_COMM_WORLD));
  while (!ended) ended = receive_one(&side);
  CHECK(side.posted == MPI_REQUEST_NULL);
  GOOD(MPI_Sendrecv(&went, 1, MPI_INT, next, side.tag + 100, &their, 1, MPI_INT, previous, side.tag + 100,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(side.received == their);
  atomic_fetch_add(&went_here, went);
  free(out);
  free(side.in);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = -1;
  const int threads = argc > 2 && strcmp(argv[2], "threads") == 0 ? 2 : 1;
  turns = argc > 1 ? atoi(argv[1]) : 0;
  CHECK(turns > 0);
  GOOD(MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  if (threads > 1) {
    pthread_t ids[2];
    CHECK(provided == MPI_THREAD_MULTIPLE);
    for (int k = 0; k < 2; ++k) CHECK(pthread_create(&ids[k], NULL, race, (void*)(size_t)(k + 1)) == 0);
    for (int k = 0; k < 2; ++k) CHECK(pthread_join(ids[k], NULL) == 0);
  } else {
    (void)race((void*)(size_t)1);
  }
  /* Both have happened, or nothing was tried. */
  int went = went_here, went_in_all = 0;
  GOOD(MPI_Allreduce(&went, &went_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(went_in_all > 0 && went_in_all < turns * threads * size);
  return end();
}
