/* Threads of all ranks send to threads of all ranks: each message is for whoever asks first, by any of the ways to
   send, receive, probe, cancel and free, all at the same time. usage: crowd COUNT, the messages of a thread to each
   rank */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "../local/check.h"

enum { SENDERS = 2, RECEIVERS = 3, LARGEST = 20000, AT_A_TIME = 16 };
struct message {
  int from, bytes;
  unsigned char data[LARGEST];
};
static const int head = offsetof(struct message, data);

static int rank, size, count;
static atomic_long to_come, all_bytes_sent, all_bytes_received;

static unsigned draw(unsigned* state, unsigned below) {
  *state = *state * 1103515245u + 12345u;
  return (*state >> 16) % below;
}

static int fill(struct message* out, unsigned* state) {
  const int bytes = (int)(draw(state, 8) == 0 ? draw(state, LARGEST) : draw(state, 300));
  out->from = rank;
  out->bytes = bytes;
  for (int k = 0; k < bytes; ++k) out->data[k] = (unsigned char)(rank + bytes + k);
  all_bytes_sent += bytes;
  return head + bytes;
}

static void check(const struct message* in, const MPI_Status* status) {
  int got = -1;
  GOOD(MPI_Get_count(status, MPI_BYTE, &got));
  CHECK(got == head + in->bytes && in->from == status->MPI_SOURCE);
  for (int k = 0; k < in->bytes; ++k) CHECK(in->data[k] == (unsigned char)(in->from + in->bytes + k));
  all_bytes_received += in->bytes;
}

/* One that was counted: it comes. */
static void receive(unsigned* state) {
  struct message in;
  MPI_Status status;
  MPI_Request request;
  MPI_Message message;
  int flag = 0;
  const int room = sizeof in;
  switch (draw(state, 6)) {
    case 0: GOOD(MPI_Recv(&in, room, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status)); break;
    case 1:
      GOOD(MPI_Irecv(&in, room, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
      while (!flag) GOOD(MPI_Test(&request, &flag, &status));
      break;
    case 2:
      while (!flag) GOOD(MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, &status));
      GOOD(MPI_Mrecv(&in, room, MPI_BYTE, &message, &status));
      break;
    case 3:
      GOOD(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
      GOOD(MPI_Imrecv(&in, room, MPI_BYTE, &message, &request));
      GOOD(MPI_Wait(&request, &status));
      break;
    case 4:
      GOOD(MPI_Recv_init(&in, room, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request));
      GOOD(MPI_Start(&request));
      GOOD(MPI_Wait(&request, &status));
      GOOD(MPI_Request_free(&request));
      break;
    default:
      GOOD(MPI_Irecv(&in, room, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request));
      GOOD(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
      GOOD(MPI_Cancel(&request));
      GOOD(MPI_Wait(&request, &status));
      GOOD(MPI_Test_cancelled(&status, &flag));
      if (flag) { /* it comes to somebody else, and what was counted is left */
        GOOD(MPI_Recv(&in, room, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
      }
  }
  check(&in, &status);
}

static void* receive_all(void* which) {
  unsigned state = (unsigned)(rank * 100 + 50 + (int)(size_t)which);
  while (atomic_fetch_sub(&to_come, 1) > 0) receive(&state);
  return NULL;
}

static void* send_all(void* which) {
  unsigned state = (unsigned)(rank * 100 + (int)(size_t)which);
  struct message* const out = malloc(AT_A_TIME * sizeof *out);
  CHECK(out != NULL);
  for (long left = (long)count * size; left > 0;) {
    MPI_Request requests[AT_A_TIME];
    int n = 0, done = 0;
    for (; n < AT_A_TIME && left > 0; ++n, --left) {
      const int to = (int)(left % size);
      const int bytes = fill(&out[n], &state);
      switch (draw(&state, 5)) {
        case 0: GOOD(MPI_Issend(&out[n], bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &requests[n])); break;
        case 1:
          GOOD(MPI_Send_init(&out[n], bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &requests[n]));
          GOOD(MPI_Start(&requests[n]));
          break;
        case 2:
          GOOD(MPI_Send(&out[n], bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD));
          requests[n] = MPI_REQUEST_NULL;
          break;
        default: GOOD(MPI_Isend(&out[n], bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &requests[n]));
      }
    }
    if (draw(&state, 2) == 0) {
      GOOD(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    }
    while (!done) GOOD(MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE));
    for (int k = 0; k < n; ++k) {
      if (requests[k] != MPI_REQUEST_NULL) GOOD(MPI_Request_free(&requests[k]));
    }
  }
  free(out);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[SENDERS + RECEIVERS];
  int provided = -1;
  CHECK(argc == 2);
  count = atoi(argv[1]);
  GOOD(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  to_come = (long)count * size * SENDERS;
  for (int k = 0; k < SENDERS + RECEIVERS; ++k) {
    CHECK(pthread_create(&threads[k], NULL, k < SENDERS ? send_all : receive_all, (void*)(size_t)k) == 0);
  }
  for (int k = 0; k < SENDERS + RECEIVERS; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
  long mine[2] = {all_bytes_sent, all_bytes_received}, all[2];
  GOOD(MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CHECK(to_come == -RECEIVERS && all[0] == all[1]);
  return end();
}
