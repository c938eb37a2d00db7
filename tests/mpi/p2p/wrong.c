/* What is wrong with arguments and messages, and how calls tell it. */
#include "../local/check.h"

static int rank, size;

static void arguments(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int value = 0;
  FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_RANK, MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_RANK, MPI_Irecv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request));
  FAILS(MPI_ERR_TAG, MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TAG, MPI_Recv(&value, 1, MPI_INT, 0, -9, MPI_COMM_WORLD, &status));
  FAILS(MPI_ERR_COUNT, MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_COUNT, MPI_Send_c(&value, (MPI_Count)1 << 62, MPI_INT, 0, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_TYPE, MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_COMM, MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  FAILS(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  FAILS(MPI_ERR_ARG, MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, NULL));
  FAILS(MPI_ERR_RANK, MPI_Probe(size, 0, MPI_COMM_WORLD, &status));
  request = (MPI_Request)&value;
  FAILS(MPI_ERR_REQUEST, MPI_Wait(&request, &status));
  FAILS(MPI_ERR_ARG, MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
}

static void buffers(void) {
  char memory[2 * MPI_BSEND_OVERHEAD];
  void* at = NULL;
  int value = 1, bytes = 0;
  MPI_Count many = 0;
  MPI_Request request;
  FAILS(MPI_ERR_BUFFER, MPI_Bsend(&value, 1, MPI_INT, rank, 50, MPI_COMM_WORLD));
  FAILS(MPI_ERR_BUFFER, MPI_Buffer_detach(&at, &bytes));
  GOOD(MPI_Buffer_attach(memory, (int)sizeof memory));
  FAILS(MPI_ERR_BUFFER, MPI_Buffer_attach(memory, (int)sizeof memory));
  FAILS(MPI_ERR_BUFFER, MPI_Bsend(memory, (int)sizeof memory, MPI_CHAR, rank, 50, MPI_COMM_WORLD));
  GOOD(MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0));
  /* The communicator's counts. */
  GOOD(MPI_Bsend(memory, (int)sizeof memory, MPI_CHAR, rank, 50, MPI_COMM_WORLD));
  GOOD(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request));
  GOOD(MPI_Recv(memory, (int)sizeof memory, MPI_CHAR, rank, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Comm_flush_buffer(MPI_COMM_WORLD));
  GOOD(MPI_Comm_detach_buffer_c(MPI_COMM_WORLD, &at, &many));
  CHECK(at == MPI_BUFFER_AUTOMATIC);
  GOOD(MPI_Buffer_iflush(&request));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Buffer_detach(&at, &bytes));
  CHECK(at == memory && bytes == (int)sizeof memory);
}

static void truncated(void) {
  int sent[4] = {1, 2, 3, 4}, got[3] = {0, 0, -1}, value = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  GOOD(MPI_Isend(sent, 4, MPI_INT, rank, 60, MPI_COMM_WORLD, &requests[0]));
  FAILS(MPI_ERR_TRUNCATE, MPI_Recv(got, 2, MPI_INT, rank, 60, MPI_COMM_WORLD, &status));
  CHECK(got[2] == -1 && status.MPI_SOURCE == rank);
  GOOD(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -5;
  GOOD(MPI_Irecv(got, 2, MPI_INT, rank, 61, MPI_COMM_WORLD, &requests[0]));
  GOOD(MPI_Irecv(&value, 1, MPI_INT, rank, 62, MPI_COMM_WORLD, &requests[1]));
  GOOD(MPI_Send(sent, 4, MPI_INT, rank, 61, MPI_COMM_WORLD));
  GOOD(MPI_Send(sent, 1, MPI_INT, rank, 62, MPI_COMM_WORLD));
  FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(2, requests, statuses));
  CHECK(statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS && value == 1);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

/* Datatypes of addresses, of all forms, from MPI_BOTTOM. */
static void from_nowhere(void) {
  struct {
    int one, three[9];
    double two[6];
  } sent = {1, {2, 0, 3, 0, 0, 0, 4, 0, 0}, {5, 0, 6, 0, 7, 0}}, got;
  MPI_Datatype every_other, types[3];
  const int lengths[3] = {1, 1, 1};
  GOOD(MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &every_other));
  for (int form = 0; form < 3; ++form) {
    MPI_Datatype made[2];
    for (int side = 0; side < 2; ++side) {
      MPI_Aint at[3] = {0, 0, 0};
      GOOD(MPI_Get_address(side == 0 ? &sent.one : &got.one, &at[0]));
      GOOD(MPI_Get_address(side == 0 ? &sent.three[form == 1 ? 2 : 0] : &got.three[form == 1 ? 2 : 0], &at[1]));
      GOOD(MPI_Get_address(side == 0 ? &sent.two[0] : &got.two[0], &at[2]));
      if (form == 1) GOOD(MPI_Get_address(side == 0 ? &sent.three[6] : &got.three[6], &at[2]));
      types[0] = types[1] = MPI_INT;
      types[2] = form == 0 ? MPI_DOUBLE : form == 1 ? MPI_INT : every_other;
      GOOD(MPI_Type_create_struct(3, lengths, at, types, &made[side]));
      GOOD(MPI_Type_commit(&made[side]));
    }
    memset(&got, 0, sizeof got);
    GOOD(MPI_Sendrecv(MPI_BOTTOM, 1, made[0], rank, 70, MPI_BOTTOM, 1, made[1], rank, 70, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    CHECK(got.one == 1 && got.three[form == 1 ? 2 : 0] == (form == 1 ? 3 : 2));
    CHECK(form == 1 ? got.three[6] == 4 : got.two[0] == 5 && got.two[4] == (form == 2 ? 7 : 0));
    GOOD(MPI_Type_free(&made[0]));
    GOOD(MPI_Type_free(&made[1]));
  }
  GOOD(MPI_Type_free(&every_other));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  arguments();
  buffers();
  truncated();
  from_nowhere();
  return end();
}
