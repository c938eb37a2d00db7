/* Probes, messages that they take out of matching, and derived datatypes on the way. */
#include "../local/check.h"

enum { ROWS = 64, COLUMNS = 96 };
static int rank, size, next, previous;

static void probed(void) {
  MPI_Status status;
  MPI_Request request;
  int flag = 0, count = 0, values[9] = {0}, sent[9];
  for (int k = 0; k < 9; ++k) sent[k] = rank + k;
  GOOD(MPI_Isend(sent, 9, MPI_INT, next, 21, MPI_COMM_WORLD, &request));
  GOOD(MPI_Probe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &status));
  GOOD(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(count == 9 && status.MPI_SOURCE == previous);
  GOOD(MPI_Iprobe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
  CHECK(flag == 1 && status.MPI_TAG == 21);
  GOOD(MPI_Iprobe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &flag, &status));
  CHECK(flag == 0);
  GOOD(MPI_Recv(values, 9, MPI_INT, status.MPI_SOURCE, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(values[8] == previous + 8);
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void taken(int large) {
  const int bytes = large ? 70000 : 10;
  char* const out = malloc((size_t)bytes);
  char* const in = calloc(1, (size_t)bytes);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request requests[2], request;
  MPI_Status status;
  int flag = 0;
  memset(out, rank + 1, (size_t)bytes);
  for (int k = 0; k < 2; ++k) {
    GOOD(MPI_Isend(out, bytes, MPI_CHAR, next, 30, MPI_COMM_WORLD, &requests[k]));
  }
  GOOD(MPI_Mprobe(previous, 30, MPI_COMM_WORLD, &message, &status));
  CHECK(message != MPI_MESSAGE_NULL && status.MPI_SOURCE == previous);
  GOOD(MPI_Mrecv(in, bytes, MPI_CHAR, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && in[0] == previous + 1 && in[bytes - 1] == previous + 1);
  FAILS(MPI_ERR_REQUEST, MPI_Mrecv(in, bytes, MPI_CHAR, &message, &status));
  while (flag == 0) GOOD(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
  in[bytes - 1] = 0;
  GOOD(MPI_Imrecv(in, bytes, MPI_CHAR, &message, &request));
  GOOD(MPI_Wait(&request, &status));
  CHECK(message == MPI_MESSAGE_NULL && in[bytes - 1] == previous + 1 && status.MPI_TAG == 30);
  GOOD(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  free(out);
  free(in);
}

static void of_nobody(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Request request;
  int flag = 0, value = 5;
  GOOD(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
  GOOD(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK(value == 5 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  GOOD(MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status));
  CHECK(flag == 1 && status.MPI_SOURCE == MPI_PROC_NULL);
  GOOD(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
  CHECK(message == MPI_MESSAGE_NO_PROC);
  GOOD(MPI_Imrecv(&value, 1, MPI_INT, &message, &request));
  GOOD(MPI_Wait(&request, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
}

/* A column of a matrix is sent, a row received: the same row of elements. */
static void of_columns(int blocks) {
  double* const out = malloc(sizeof(double) * ROWS * COLUMNS * 16);
  double* const in = calloc(ROWS * 16, sizeof(double) * 8);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Status status;
  int count = 0;
  for (int k = 0; k < ROWS * COLUMNS * 16; ++k) out[k] = rank * 1000000.0 + k;
  GOOD(MPI_Type_vector(ROWS * 16, blocks, COLUMNS, MPI_DOUBLE, &column));
  FAILS(MPI_ERR_TYPE, MPI_Send(out, 1, column, next, 40, MPI_COMM_WORLD));
  GOOD(MPI_Type_commit(&column));
  GOOD(MPI_Sendrecv(out + 3, 1, column, next, 40, in, ROWS * 16 * blocks, MPI_DOUBLE, previous, 40, MPI_COMM_WORLD,
                    &status));
  GOOD(MPI_Get_count(&status, MPI_DOUBLE, &count));
  CHECK(count == ROWS * 16 * blocks);
  for (int k = 0; k < count; ++k) {
    CHECK(in[k] == previous * 1000000.0 + 3 + (k / blocks) * COLUMNS + k % blocks);
  }
  memset(out, 0, sizeof(double) * ROWS * COLUMNS * 16);
  GOOD(MPI_Sendrecv(in, count, MPI_DOUBLE, previous, 41, out, 1, column, next, 41, MPI_COMM_WORLD, &status));
  CHECK(out[0] == rank * 1000000.0 + 3 && out[COLUMNS] == rank * 1000000.0 + 3 + COLUMNS && out[blocks] == 0);
  /* The datatype may be freed while a message uses it. */
  MPI_Request requests[2];
  GOOD(MPI_Irecv(out, 1, column, next, 42, MPI_COMM_WORLD, &requests[0]));
  GOOD(MPI_Isend(in, count, MPI_DOUBLE, previous, 42, MPI_COMM_WORLD, &requests[1]));
  GOOD(MPI_Type_free(&column));
  GOOD(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(out[0] == rank * 1000000.0 + 3);
  free(out);
  free(in);
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (int turn = 0; turn < 3; ++turn) {
    probed();
    taken(0);
    taken(1);
    of_nobody();
    of_columns(1);
    of_columns(8);
  }
  return end();
}
