/* What completes requests: one, any, some, all, with null, inactive, cancelled, freed and generalized ones among them.
 */
#include "../local/check.h"

static int rank, size, next, previous;

static void check_empty(const MPI_Status* status) {
  int count = -1, cancelled = -1;
  CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG);
  GOOD(MPI_Get_count(status, MPI_INT, &count));
  GOOD(MPI_Test_cancelled(status, &cancelled));
  CHECK(count == 0 && cancelled == 0);
}

static void nothing_to_wait_for(void) {
  MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request inactive = MPI_REQUEST_NULL;
  MPI_Status statuses[2];
  int flag = 0, index = 0, outcount = 0, value = 0, indices[2];
  GOOD(MPI_Wait(&none[0], &statuses[0]));
  check_empty(&statuses[0]);
  GOOD(MPI_Recv_init(&value, 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &inactive));
  GOOD(MPI_Test(&inactive, &flag, &statuses[0]));
  CHECK(flag == 1 && inactive != MPI_REQUEST_NULL);
  check_empty(&statuses[0]);
  none[1] = inactive;
  GOOD(MPI_Waitany(2, none, &index, &statuses[0]));
  CHECK(index == MPI_UNDEFINED);
  check_empty(&statuses[0]);
  GOOD(MPI_Waitsome(2, none, &outcount, indices, statuses));
  CHECK(outcount == MPI_UNDEFINED);
  GOOD(MPI_Testsome(2, none, &outcount, indices, statuses));
  CHECK(outcount == MPI_UNDEFINED);
  GOOD(MPI_Testany(2, none, &index, &flag, &statuses[0]));
  CHECK(index == MPI_UNDEFINED && flag == 1);
  GOOD(MPI_Waitall(2, none, MPI_STATUSES_IGNORE));
  GOOD(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag == 1);
  GOOD(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &statuses[0]));
  CHECK(flag == 1);
  FAILS(MPI_ERR_REQUEST, MPI_Cancel(&inactive));
  GOOD(MPI_Request_free(&inactive));
  CHECK(inactive == MPI_REQUEST_NULL);
  FAILS(MPI_ERR_REQUEST, MPI_Wait(&none[1], MPI_STATUS_IGNORE));
  FAILS(MPI_ERR_REQUEST, MPI_Request_free(&inactive));
}

static void in_the_order_of_tags(void) {
  enum { N = 5 };
  MPI_Request requests[N + 1];
  MPI_Status statuses[N + 1], status;
  int values[N], done = 0, flag = 0, index = 0, outcount = 0, indices[N + 1];
  for (int k = 0; k < N; ++k) GOOD(MPI_Irecv(&values[k], 1, MPI_INT, previous, k, MPI_COMM_WORLD, &requests[k]));
  requests[N] = MPI_REQUEST_NULL;
  for (int k = N; k-- > 0;) {
    const int value = 100 * rank + k;
    GOOD(MPI_Send(&value, 1, MPI_INT, next, k, MPI_COMM_WORLD));
  }
  GOOD(MPI_Waitany(N + 1, requests, &index, &status));
  CHECK(index >= 0 && index < N && status.MPI_TAG == index && requests[index] == MPI_REQUEST_NULL);
  while (done < N - 1) {
    GOOD(MPI_Waitsome(N + 1, requests, &outcount, indices, statuses));
    CHECK(outcount > 0);
    for (int k = 0; k < outcount; ++k) CHECK(statuses[k].MPI_TAG == indices[k]);
    done += outcount;
  }
  GOOD(MPI_Testall(N + 1, requests, &flag, statuses));
  CHECK(flag == 1);
  for (int k = 0; k < N; ++k) CHECK(values[k] == 100 * previous + k);
}

static void looked_at_before(void) {
  MPI_Request request;
  MPI_Status status;
  int value = -1, flag = 0, index = -1, outcount = 0, indices[1];
  GOOD(MPI_Irecv(&value, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, &request));
  GOOD(MPI_Request_get_status(request, &flag, &status));
  GOOD(MPI_Send(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD));
  for (flag = 0; flag == 0;) GOOD(MPI_Request_get_status_all(1, &request, &flag, &status));
  CHECK(status.MPI_SOURCE == previous && request != MPI_REQUEST_NULL);
  GOOD(MPI_Request_get_status_any(1, &request, &index, &flag, &status));
  CHECK(index == 0 && flag == 1 && request != MPI_REQUEST_NULL);
  GOOD(MPI_Request_get_status_some(1, &request, &outcount, indices, &status));
  CHECK(outcount == 1 && indices[0] == 0);
  GOOD(MPI_Test(&request, &flag, &status));
  CHECK(flag == 1 && request == MPI_REQUEST_NULL && value == previous);

  /* Of what is not active the status is empty, its error too. */
  status.MPI_ERROR = MPI_ERR_OTHER;
  GOOD(MPI_Request_get_status_any(1, &request, &index, &flag, &status));
  CHECK(index == MPI_UNDEFINED && flag == 1 && status.MPI_ERROR == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int value = -1, flag = 0;
  GOOD(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request));
  GOOD(MPI_Cancel(&request));
  GOOD(MPI_Wait(&request, &status));
  GOOD(MPI_Test_cancelled(&status, &flag));
  CHECK(flag == 1);
  /* One that is complete is not cancelled. */
  GOOD(MPI_Irecv(&value, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &request));
  GOOD(MPI_Sendrecv(&rank, 1, MPI_INT, next, 6, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  for (flag = 0; flag == 0;) GOOD(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  GOOD(MPI_Cancel(&request));
  GOOD(MPI_Wait(&request, &status));
  GOOD(MPI_Test_cancelled(&status, &flag));
  CHECK(flag == 0 && value == previous);
}

static void freed_under_way(void) {
  enum { BYTES = 100000 };
  static char out[BYTES], in[BYTES];
  MPI_Request request;
  memset(out, rank + 1, BYTES);
  GOOD(MPI_Isend(out, BYTES, MPI_CHAR, next, 8, MPI_COMM_WORLD, &request));
  GOOD(MPI_Request_free(&request));
  CHECK(request == MPI_REQUEST_NULL);
  GOOD(MPI_Recv(in, BYTES, MPI_CHAR, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(in[0] == previous + 1 && in[BYTES - 1] == previous + 1);
}

/* Short sends have often gone when their call returns, and share a request: each is completed once for all that. */
static void gone_at_once(void) {
  enum { N = 12 };
  MPI_Request requests[N], got[N];
  MPI_Status status;
  int out[N], in[N], flag = 0, index = 0;
  for (int k = 0; k < N; ++k) {
    out[k] = 1000 * rank + k;
    GOOD(MPI_Isend(&out[k], 1, MPI_INT, next, 30, MPI_COMM_WORLD, &requests[k]));
    CHECK(requests[k] != MPI_REQUEST_NULL);
  }
  for (int k = 0; k < N; ++k) GOOD(MPI_Irecv(&in[k], 1, MPI_INT, previous, 30, MPI_COMM_WORLD, &got[k]));
  GOOD(MPI_Waitall(N, got, MPI_STATUSES_IGNORE));
  for (int k = 0; k < N; ++k) CHECK(in[k] == 1000 * previous + k);
  GOOD(MPI_Request_free(&requests[0]));
  GOOD(MPI_Wait(&requests[1], &status));
  check_empty(&status);
  while (flag == 0) GOOD(MPI_Request_get_status(requests[2], &flag, &status));
  check_empty(&status);
  CHECK(requests[2] != MPI_REQUEST_NULL);
  GOOD(MPI_Cancel(&requests[3]));
  GOOD(MPI_Wait(&requests[3], &status));
  check_empty(&status);
  for (int k = 2; k < N; ++k) {
    if (requests[k] == MPI_REQUEST_NULL) continue;
    GOOD(MPI_Waitany(N - k, &requests[k], &index, &status));
    CHECK(index >= 0 && requests[k + index] == MPI_REQUEST_NULL);
    check_empty(&status);
    if (index != 0) --k;
  }
  for (int k = 0; k < N; ++k) CHECK(requests[k] == MPI_REQUEST_NULL);
}

/* Requests that have ended may serve the next ones: nothing of what they were is left, and their handles are unknown.
 */
static void used_again(void) {
  enum { N = 100, ROUNDS = 5 };
  static MPI_Request requests[N], old[N];
  static MPI_Status statuses[N];
  static int in[N][4];
  MPI_Datatype holes;
  GOOD(MPI_Type_vector(2, 1, 2, MPI_INT, &holes));
  GOOD(MPI_Type_commit(&holes));
  GOOD(MPI_Barrier(MPI_COMM_WORLD)); /* of any source, here and below */
  for (int round = 0; round < ROUNDS; ++round) {
    for (int k = 0; k < N; ++k) {
      in[k][0] = in[k][1] = in[k][2] = -1;
      switch ((k + round) % 6) {
        case 0: GOOD(MPI_Irecv(in[k], 1, MPI_INT, previous, k, MPI_COMM_WORLD, &requests[k])); break;
        case 1: GOOD(MPI_Irecv(in[k], 1, MPI_INT, MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &requests[k])); break;
        case 2: GOOD(MPI_Irecv(in[k], 1, holes, previous, k, MPI_COMM_WORLD, &requests[k])); break;
        case 3: GOOD(MPI_Irecv(in[k], 1, MPI_INT, MPI_PROC_NULL, k, MPI_COMM_WORLD, &requests[k])); break;
        case 4: GOOD(MPI_Irecv(in[k], 1, MPI_INT, previous, 1000 + k, MPI_COMM_WORLD, &requests[k])); break;
        default:
          GOOD(MPI_Recv_init(in[k], 1, MPI_INT, previous, k, MPI_COMM_WORLD, &requests[k]));
          GOOD(MPI_Start(&requests[k]));
      }
      if (round > 0) FAILS(MPI_ERR_REQUEST, MPI_Wait(&old[k], MPI_STATUS_IGNORE));
      old[k] = requests[k];
    }
    for (int k = 0; k < N; ++k) {
      const int what = (k + round) % 6, out[2] = {rank, k};
      if (what == 4) GOOD(MPI_Cancel(&requests[k]));
      if (what != 3 && what != 4) GOOD(MPI_Send(out, what == 2 ? 2 : 1, MPI_INT, next, k, MPI_COMM_WORLD));
    }
    GOOD(MPI_Waitall(N, requests, round % 2 == 0 ? statuses : MPI_STATUSES_IGNORE));
    for (int k = 0; k < N; ++k) {
      const int what = (k + round) % 6;
      int stopped = 0, count = 0;
      CHECK(in[k][0] == (what == 3 || what == 4 ? -1 : previous));
      CHECK(in[k][1] == -1 && in[k][2] == (what == 2 ? k : -1));
      if (what == 5) {
        GOOD(MPI_Request_free(&requests[k]));
      }
      CHECK(requests[k] == MPI_REQUEST_NULL);
      if (round % 2 != 0) continue;
      GOOD(MPI_Test_cancelled(&statuses[k], &stopped));
      CHECK(stopped == (what == 4));
      if (what == 4) continue;
      GOOD(MPI_Get_count(&statuses[k], MPI_INT, &count));
      CHECK(count == (what == 3 ? 0 : what == 2 ? 2 : 1));
      CHECK(statuses[k].MPI_SOURCE == (what == 3 ? MPI_PROC_NULL : previous));
    }
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
  }
  GOOD(MPI_Type_free(&holes));
}

static int queried, gone, asked_to_stop;
static int query(void* state, MPI_Status* status) {
  ++queried;
  GOOD(MPI_Status_set_elements(status, MPI_INT, *(int*)state));
  GOOD(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = 12;
  status->MPI_TAG = 13;
  return MPI_SUCCESS;
}
static int forget(void* state) {
  (void)state;
  ++gone;
  return MPI_SUCCESS;
}
static int forget_badly(void* state) {
  (void)state;
  ++gone;
  return MPI_ERR_FILE;
}
static int stop(void* state, int complete) {
  (void)state;
  asked_to_stop += complete ? 10 : 1;
  return MPI_SUCCESS;
}

static void generalized(void) {
  MPI_Request request, copy;
  MPI_Status status;
  int state = 3, flag = -1, count = 0;
  GOOD(MPI_Grequest_start(query, forget, stop, &state, &request));
  GOOD(MPI_Test(&request, &flag, &status));
  CHECK(flag == 0 && queried == 0);
  GOOD(MPI_Cancel(&request));
  CHECK(asked_to_stop == 1);
  GOOD(MPI_Grequest_complete(request));
  GOOD(MPI_Request_get_status(request, &flag, &status));
  CHECK(flag == 1 && queried == 1 && gone == 0);
  GOOD(MPI_Wait(&request, &status));
  GOOD(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(queried == 2 && gone == 1 && count == 3 && status.MPI_SOURCE == 12 && status.MPI_TAG == 13);
  GOOD(MPI_Grequest_start(query, forget, stop, &state, &request));
  copy = request;
  GOOD(MPI_Request_free(&request));
  CHECK(gone == 1);
  GOOD(MPI_Grequest_complete(copy));
  CHECK(gone == 2);
  GOOD(MPI_Grequest_start(query, forget_badly, stop, &state, &request));
  GOOD(MPI_Grequest_complete(request));
  FAILS(MPI_ERR_FILE, MPI_Wait(&request, &status));
  CHECK(gone == 3 && request == MPI_REQUEST_NULL);
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  nothing_to_wait_for();
  for (int turn = 0; turn < 3; ++turn) {
    in_the_order_of_tags();
    looked_at_before();
    cancelled();
    freed_under_way();
    gone_at_once();
    used_again();
  }
  generalized();
  return end();
}
