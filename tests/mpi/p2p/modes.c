/* Sends of all modes and lengths in a ring, with requests and without, persistent ones, and both at a time. */
#include "../local/check.h"

enum { MOST = 300000, TAG = 7 };

static int rank, size, next, previous;
static unsigned char *out, *in;

static void fill(int bytes, int salt) {
  for (int k = 0; k < bytes; ++k) out[k] = (unsigned char)(k * 7 + rank * 31 + salt);
  memset(in, 0, MOST);
}

static void check_in(int bytes, int salt, const MPI_Status* status) {
  int count = -1;
  GOOD(MPI_Get_count(status, MPI_BYTE, &count));
  CHECK(count == bytes && status->MPI_SOURCE == previous && status->MPI_TAG == TAG);
  for (int k = 0; k < bytes; ++k) CHECK(in[k] == (unsigned char)(k * 7 + previous * 31 + salt));
  CHECK(bytes == MOST || in[bytes] == 0);
}

typedef int (*Starts)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
typedef int (*Sends)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*StartsLarge)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void at_once(Sends sends, int bytes) {
  MPI_Request request;
  MPI_Status status;
  fill(bytes, 1);
  GOOD(MPI_Irecv(in, MOST, MPI_BYTE, previous, TAG, MPI_COMM_WORLD, &request));
  /* All have posted, also for sends that say so. */
  GOOD(MPI_Sendrecv(NULL, 0, MPI_INT, previous, 99, NULL, 0, MPI_INT, next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  GOOD(sends(out, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD));
  GOOD(MPI_Wait(&request, &status));
  CHECK(request == MPI_REQUEST_NULL);
  check_in(bytes, 1, &status);
}

static void started(Starts starts, StartsLarge large, int bytes) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(bytes, 2);
  GOOD(MPI_Irecv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &requests[0]));
  GOOD(MPI_Sendrecv(NULL, 0, MPI_INT, previous, 99, NULL, 0, MPI_INT, next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  GOOD(starts != NULL ? starts(out, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &requests[1])
                      : large(out, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &requests[1]));
  GOOD(MPI_Waitall(2, requests, statuses));
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  check_in(bytes, 2, &statuses[0]);
}

static void persistent(Starts makes, int bytes) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  GOOD(MPI_Recv_init(in, MOST, MPI_BYTE, previous, TAG, MPI_COMM_WORLD, &requests[0]));
  GOOD(makes(out, bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD, &requests[1]));
  for (int turn = 0; turn < 3; ++turn) {
    fill(bytes, turn);
    GOOD(MPI_Start(&requests[0]));
    GOOD(MPI_Sendrecv(NULL, 0, MPI_INT, previous, 99, NULL, 0, MPI_INT, next, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Startall(1, &requests[1]));
    FAILS(MPI_ERR_REQUEST, MPI_Start(&requests[1]));
    GOOD(MPI_Waitall(2, requests, statuses));
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    check_in(bytes, turn, &statuses[0]);
  }
  GOOD(MPI_Request_free(&requests[0]));
  GOOD(MPI_Request_free(&requests[1]));
}

static void both(int bytes) {
  MPI_Status status;
  MPI_Request request;
  fill(bytes, 3);
  GOOD(MPI_Sendrecv(out, bytes, MPI_BYTE, next, TAG, in, MOST, MPI_BYTE, previous, TAG, MPI_COMM_WORLD, &status));
  check_in(bytes, 3, &status);
  fill(bytes, 4);
  GOOD(MPI_Isendrecv(out, bytes, MPI_BYTE, next, TAG, in, MOST, MPI_BYTE, previous, TAG, MPI_COMM_WORLD, &request));
  GOOD(MPI_Wait(&request, &status));
  check_in(bytes, 4, &status);
  fill(bytes, 5);
  memcpy(in, out, (size_t)bytes);
  GOOD(MPI_Sendrecv_replace(in, bytes, MPI_BYTE, next, TAG, previous, TAG, MPI_COMM_WORLD, &status));
  check_in(bytes, 5, &status);
  fill(bytes, 6);
  memcpy(in, out, (size_t)bytes);
  GOOD(MPI_Isendrecv_replace(in, bytes, MPI_BYTE, next, TAG, previous, TAG, MPI_COMM_WORLD, &request));
  GOOD(MPI_Wait(&request, &status));
  check_in(bytes, 6, &status);
}

int main(void) {
  static const int lengths[] = {0, 1, 8, 33, 4096, 5000, 65536, MOST};
  void* buffer = malloc(2 * (MOST + MPI_BSEND_OVERHEAD));
  void* detached = NULL;
  int bytes = 0;
  begin();
  out = malloc(MOST);
  in = malloc(MOST);
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  GOOD(MPI_Buffer_attach(buffer, 2 * (MOST + MPI_BSEND_OVERHEAD)));
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    at_once(MPI_Send, lengths[k]);
    at_once(MPI_Ssend, lengths[k]);
    at_once(MPI_Rsend, lengths[k]);
    at_once(MPI_Bsend, lengths[k]);
    started(MPI_Isend, NULL, lengths[k]);
    started(MPI_Issend, NULL, lengths[k]);
    started(MPI_Irsend, NULL, lengths[k]);
    started(MPI_Ibsend, NULL, lengths[k]);
    started(NULL, MPI_Isend_c, lengths[k]);
    persistent(MPI_Send_init, lengths[k]);
    persistent(MPI_Ssend_init, lengths[k]);
    persistent(MPI_Rsend_init, lengths[k]);
    persistent(MPI_Bsend_init, lengths[k]);
    both(lengths[k]);
    GOOD(MPI_Buffer_flush());
  }
  GOOD(MPI_Buffer_detach(&detached, &bytes));
  CHECK(detached == buffer && bytes == 2 * (MOST + MPI_BSEND_OVERHEAD));
  free(buffer);
  free(out);
  free(in);
  return end();
}
