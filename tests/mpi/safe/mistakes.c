/* What safe mode says of MPI programs: one mistake, which the argument names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 100000 };
static int me, size;
static int numbers[MANY];
static float parts[8];

static void types_of_a_receive(void) {
  if (me == 0) MPI_Send(parts, 4, MPI_FLOAT, 1, 3, MPI_COMM_WORLD);
  if (me == 1) MPI_Recv(numbers, 8, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void types_of_a_request(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (me == 0) MPI_Send(numbers, 3, MPI_INT, 1, 4, MPI_COMM_WORLD);
  if (me == 0) MPI_Send(numbers, 3, MPI_FLOAT, 1, 5, MPI_COMM_WORLD);
  if (me == 1) {
    MPI_Request both[2];
    MPI_Irecv(numbers, 2, pair, 0, 4, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(numbers + 8, 2, pair, 0, 5, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* the first one fits, though it ends within a pair */
  }
  MPI_Type_free(&pair);
}

static void types_of_an_exchange(void) {
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  double got[4];
  MPI_Sendrecv(numbers, 2, MPI_INT, next, 6, got, 4, MPI_DOUBLE, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void types_of_a_probed_one(void) {
  if (me == 0) MPI_Send(numbers, MANY, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (me == 1) {
    MPI_Message message;
    MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(numbers, MANY, MPI_UNSIGNED, &message, MPI_STATUS_IGNORE);
  }
}

static void written(void) {
  if (me == 0) {
    MPI_Request request;
    MPI_Isend(numbers, MANY, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
    numbers[MANY / 2] = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (me == 1) MPI_Recv(numbers, MANY, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void written_every_second(void) {
  MPI_Datatype every_second;
  MPI_Type_vector(16, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Request request;
  if (me == 0) MPI_Send_init(numbers, 1, every_second, 1, 9, MPI_COMM_WORLD, &request);
  if (me == 1) MPI_Recv_init(numbers, 16, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
  if (me > 1) return;
  MPI_Start(&request);
  if (me == 0) numbers[1] = 1; /* is no part of it */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Start(&request);
  if (me == 0) numbers[4] = 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void left(void) {
  MPI_Win win;
  void* base;
  for (int k = 0; k < 2; ++k) MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int k = 0; k < 3; ++k) MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Isend(numbers, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(numbers + 1, 1, MPI_INT, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nothing_left(void) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Isend(numbers, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(numbers + 1, 1, MPI_INT, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

static void other_collective(void) {
  int sum = 0;
  if (me == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (me != 0) MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void other_root(void) { MPI_Bcast(numbers, 4, MPI_INT, me == 0 ? 0 : 1, MPI_COMM_WORLD); }

static void other_count(void) {
  static int sums[8];
  MPI_Allreduce(numbers, sums, me == 0 ? 2 : 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void other_type(void) {
  static int sums[8];
  MPI_Allreduce(numbers, sums, 2, me == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void other_operation(void) {
  int sum = 0;
  MPI_Reduce(&me, &sum, 1, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, 0, MPI_COMM_WORLD);
}

static void missing_barrier(void) {
  if (me != 0) MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {{"types_of_a_receive", types_of_a_receive},
                {"types_of_a_request", types_of_a_request},
                {"types_of_an_exchange", types_of_an_exchange},
                {"types_of_a_probed_one", types_of_a_probed_one},
                {"written", written},
                {"written_every_second", written_every_second},
                {"left", left},
                {"nothing_left", nothing_left},
                {"other_collective", other_collective},
                {"other_root", other_root},
                {"other_count", other_count},
                {"other_type", other_type},
                {"other_operation", other_operation},
                {"missing_barrier", missing_barrier}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; ++k) {
    if (argc > 1 && strcmp(argv[1], mistakes[k].name) == 0) mistakes[k].make();
  }
  MPI_Finalize();
  printf("rank %d has come to its end\n", me);
  return 0;
}
