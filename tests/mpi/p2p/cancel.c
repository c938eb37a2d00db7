/* Sends that are cancelled before anybody has received them: synchronous ones, and large ones, of which the receiver
 * has the head. Nobody gets them, what is sent behind them is received in order, and to wait for one takes no call of
 * the receiver. */
#include <sched.h>
#include <unistd.h>

#include "../local/check.h"

enum { LARGE = 1 << 20, TAG = 5, NEXT = 1000, TOLD = 6 };

static int rank, size, next, previous;
static char *out, *in;

static int was_cancelled(MPI_Request* request) {
  MPI_Status status;
  int flag = -1;
  GOOD(MPI_Cancel(request));
  GOOD(MPI_Wait(request, &status));
  GOOD(MPI_Test_cancelled(&status, &flag));
  return flag;
}

static void meet(void) {
  GOOD(MPI_Sendrecv(NULL, 0, MPI_INT, previous, TOLD, NULL, 0, MPI_INT, next, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  GOOD(MPI_Sendrecv(NULL, 0, MPI_INT, next, TOLD, NULL, 0, MPI_INT, previous, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* The next ones with the same tag are what is received, each in its turn. */
static void next_ones_come(MPI_Comm comm, int to, int from) {
  enum { N = 3 };
  MPI_Request requests[N];
  MPI_Status status;
  /* Nobody receives before all have cancelled. */
  GOOD(MPI_Barrier(comm));
  for (int k = 0; k < N; ++k) {
    memset(out + k * 10000, NEXT + k, 10000);
    GOOD(MPI_Isend(out + k * 10000, k == 1 ? 3 : 10000, MPI_CHAR, to, TAG, comm, &requests[k]));
  }
  for (int k = 0; k < N; ++k) {
    int count = -1;
    GOOD(MPI_Recv(in, LARGE, MPI_CHAR, k == 0 ? MPI_ANY_SOURCE : from, k == 1 ? MPI_ANY_TAG : TAG, comm, &status));
    GOOD(MPI_Get_count(&status, MPI_CHAR, &count));
    CHECK(count == (k == 1 ? 3 : 10000) && status.MPI_SOURCE == from && status.MPI_TAG == TAG);
    CHECK(in[0] == (char)(NEXT + k) && in[count - 1] == (char)(NEXT + k));
  }
  GOOD(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

static void unmatched(MPI_Comm comm, int to, int from) {
  MPI_Request request;
  memset(out, 1, LARGE);
  for (int turn = 0; turn < 3; ++turn) {
    GOOD(MPI_Issend(out, 8, MPI_CHAR, to, TAG, comm, &request));
    CHECK(was_cancelled(&request) == 1 && request == MPI_REQUEST_NULL);
    GOOD(MPI_Issend(out, LARGE, MPI_CHAR, to, TAG, comm, &request));
    CHECK(was_cancelled(&request) == 1);
    GOOD(MPI_Isend(out, LARGE, MPI_CHAR, to, TAG, comm, &request));
    CHECK(was_cancelled(&request) == 1);
    next_ones_come(comm, to, from);
  }
}

/* Blocks, whose list of pieces is told of. */
static void of_a_derived_type(void) {
  MPI_Datatype blocks;
  MPI_Request request;
  GOOD(MPI_Type_vector(300, 500, 1000, MPI_CHAR, &blocks));
  GOOD(MPI_Type_commit(&blocks));
  for (int turn = 0; turn < 100; ++turn) {
    GOOD(MPI_Isend(out, 1, blocks, next, TAG, MPI_COMM_WORLD, &request));
    CHECK(was_cancelled(&request) == 1);
  }
  GOOD(MPI_Type_free(&blocks));
  next_ones_come(MPI_COMM_WORLD, next, previous);
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Status status;
  int flag = -1;
  GOOD(MPI_Ssend_init(out, 8, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &requests[0]));
  GOOD(MPI_Send_init(out, LARGE, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &requests[1]));
  for (int k = 0; k < 2; ++k) {
    for (int turn = 0; turn < 3; ++turn) {
      GOOD(MPI_Start(&requests[k]));
      CHECK(was_cancelled(&requests[k]) == 1 && requests[k] != MPI_REQUEST_NULL);
    }
    /* And once more, to its end. */
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    memset(out, 40 + k, LARGE);
    GOOD(MPI_Start(&requests[k]));
    GOOD(MPI_Recv(in, LARGE, MPI_CHAR, previous, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in[0] == 40 + k && in[7] == 40 + k);
    GOOD(MPI_Wait(&requests[k], &status));
    GOOD(MPI_Test_cancelled(&status, &flag));
    CHECK(flag == 0);
    GOOD(MPI_Request_free(&requests[k]));
  }
}

/* With receives posted that fit, whichever side is first: those that are left get what comes next, in their order. */
static void receives_stay_in_order(void) {
  MPI_Request send, receives[3];
  char got[3] = {0, 0, 0};
  int cancelled = 0;
  GOOD(MPI_Irecv(&got[0], 1, MPI_CHAR, previous, TAG, MPI_COMM_WORLD, &receives[0]));
  GOOD(MPI_Irecv(&got[1], 1, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &receives[1]));
  GOOD(MPI_Irecv(&got[2], 1, MPI_CHAR, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[2]));
  out[0] = 1;
  GOOD(MPI_Issend(out, 1, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &send));
  cancelled = was_cancelled(&send);
  for (int k = 1 - cancelled; k < 3; ++k) {
    out[0] = (char)(k + 1 + cancelled * 10);
    GOOD(MPI_Send(out, 1, MPI_CHAR, next, TAG, MPI_COMM_WORLD));
  }
  GOOD(MPI_Waitall(3, receives, MPI_STATUSES_IGNORE));
  CHECK(got[0] == 1 || got[0] == 11);
  for (int k = 1; k < 3; ++k) CHECK(got[k] % 10 == k + 1 && got[k] / 10 == got[0] / 10);
}

/* What a probe has seen can be withdrawn; what a matched probe has, or has been taken by, cannot. */
static void probed(int bytes) {
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int flag = 0;
  memset(out, 3, LARGE);
  GOOD(MPI_Issend(out, bytes, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &request));
  GOOD(MPI_Probe(previous, TAG, MPI_COMM_WORLD, &status));
  meet();
  CHECK(was_cancelled(&request) == 1);
  meet();
  GOOD(MPI_Iprobe(previous, TAG, MPI_COMM_WORLD, &flag, &status));
  CHECK(flag == 0);
  GOOD(MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, &message, &status));
  CHECK(flag == 0 && message == MPI_MESSAGE_NULL);
  meet();
  GOOD(MPI_Issend(out, bytes, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &request));
  GOOD(MPI_Mprobe(previous, TAG, MPI_COMM_WORLD, &message, &status));
  meet();
  GOOD(MPI_Cancel(&request));
  in[0] = in[bytes - 1] = 0;
  GOOD(MPI_Mrecv(in, LARGE, MPI_CHAR, &message, &status));
  CHECK(in[0] == 3 && in[bytes - 1] == 3);
  CHECK(was_cancelled(&request) == 0);
}

/* Many are kept, and every third one is withdrawn: some while the receiver is told of each, some before it looks. */
static void among_many_others(int bytes) {
  enum { N = 240 };
  static MPI_Request requests[N];
  int flag = 0;
  for (int k = 0; k < N; ++k) out[k] = (char)k;
  for (int k = 0; k < N; ++k) GOOD(MPI_Issend(out + k, bytes, MPI_CHAR, next, k % TAG, MPI_COMM_WORLD, &requests[k]));
  meet();
  for (int k = N; k-- > 0;) {
    if (k % 3 != 1) continue;
    CHECK(was_cancelled(&requests[k]) == 1);
    if (k > N / 2) meet();
  }
  meet();
  for (int k = 0; k < N; ++k) {
    if (k % 3 == 1) continue;
    GOOD(MPI_Recv(in, LARGE, MPI_CHAR, previous, k % TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in[0] == (char)k);
  }
  for (int tag = 0; tag < TAG; ++tag) {
    GOOD(MPI_Iprobe(previous, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(flag == 0);
  }
  meet();
  GOOD(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

/* More than there may be heads, and none of them is ever asked for. Between hosts each waits for an answer: fewer. */
static void very_many(void) {
  MPI_Request request;
  MPI_Comm here;
  int n_here = 0;
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
  GOOD(MPI_Comm_size(here, &n_here));
  GOOD(MPI_Comm_free(&here));
  const int times = n_here == size ? 20000 : 300;
  for (int k = 0; k < times; ++k) {
    GOOD(MPI_Issend(out, 1, MPI_CHAR, next, 10 + k, MPI_COMM_WORLD, &request));
    CHECK(was_cancelled(&request) == 1);
  }
  next_ones_come(MPI_COMM_WORLD, next, previous);
}

static void freed_at_once(void) {
  MPI_Request request;
  GOOD(MPI_Isend(out, LARGE, MPI_CHAR, next, TAG, MPI_COMM_WORLD, &request));
  GOOD(MPI_Cancel(&request));
  GOOD(MPI_Request_free(&request));
  next_ones_come(MPI_COMM_WORLD, next, previous);
}

/* The last rank calls nothing until the first one says through a file that it has waited. As the last thing here, so
 * that what was withdrawn may be found in MPI_Finalize only. */
static void of_who_calls_nothing(void) {
  char name[256] = "";
  if (size < 2) return;
  if (rank == size - 1) {
    const char* const folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/weft_cancel_XXXXXX", folder != NULL ? folder : "/tmp");
    const int file = mkstemp(name);
    CHECK(file >= 0);
    GOOD(MPI_Send(name, sizeof name, MPI_CHAR, 0, TOLD, MPI_COMM_WORLD));
    while (lseek(file, 0, SEEK_END) == 0) (void)sched_yield();
    CHECK(close(file) == 0);
  } else if (rank == 0) {
    MPI_Request requests[3];
    GOOD(MPI_Recv(name, sizeof name, MPI_CHAR, size - 1, TOLD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    FILE* const file = fopen(name, "w");
    CHECK(file != NULL && unlink(name) == 0); /* both have it open, and none leaves it behind */
    GOOD(MPI_Issend(out, 8, MPI_CHAR, size - 1, TAG, MPI_COMM_WORLD, &requests[0]));
    GOOD(MPI_Issend(out, LARGE, MPI_CHAR, size - 1, TAG, MPI_COMM_WORLD, &requests[1]));
    GOOD(MPI_Isend(out, LARGE, MPI_CHAR, size - 1, TAG, MPI_COMM_WORLD, &requests[2]));
    for (int k = 0; k < 3; ++k) CHECK(was_cancelled(&requests[k]) == 1);
    CHECK(fputc('x', file) == 'x' && fclose(file) == 0);
  }
}

static void between_groups(void) {
  MPI_Comm half, inter;
  const int low = rank < size / 2;
  const int halves = size / 2;
  if (size % 2 != 0) return;
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half));
  GOOD(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? halves : 0, 9, &inter));
  unmatched(inter, rank % halves, rank % halves);
  GOOD(MPI_Comm_free(&inter));
  GOOD(MPI_Comm_free(&half));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  out = calloc(1, LARGE);
  in = calloc(1, LARGE);
  CHECK(out != NULL && in != NULL);
  unmatched(MPI_COMM_WORLD, next, previous);
  unmatched(MPI_COMM_SELF, 0, 0);
  of_a_derived_type();
  persistent();
  for (int turn = 0; turn < 100; ++turn) receives_stay_in_order();
  probed(8);
  probed(LARGE);
  among_many_others(1);
  among_many_others(8192);
  freed_at_once();
  between_groups();
  very_many();
  of_who_calls_nothing();
  free(out);
  free(in);
  return end();
}
