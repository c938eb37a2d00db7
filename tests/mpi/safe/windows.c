/* What safe mode says of accesses to windows: one mistake, or none, which the argument names. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static int me, size;
static int* mine;
static MPI_Win win;
static const int two[2] = {2, 3};
static int got[N];

static void two_puts(void) {
  MPI_Win_fence(0, win);
  if (me < 2) MPI_Put(two, 2, MPI_INT, 0, 5 + me, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
}

static void put_and_get(void) {
  MPI_Win_fence(0, win);
  if (me == 0) MPI_Put(two, 2, MPI_INT, 1, 4, 2, MPI_INT, win);
  if (me == 1) MPI_Get(got, 8, MPI_INT, 1, 0, 8, MPI_INT, win);
  MPI_Win_fence(0, win);
}

/* Rank 0 has not completed its put when rank 1 is told of it. */
static void put_not_flushed(void) {
  MPI_Win_lock_all(0, win);
  if (me == 0) MPI_Put(two, 2, MPI_INT, 1, 4, 2, MPI_INT, win);
  if (me == 0) MPI_Win_flush_local(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) MPI_Get(got, 1, MPI_INT, 1, 5, 1, MPI_INT, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
}

static void get_and_accumulate(void) {
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  if (me == 0) MPI_Get(got, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) MPI_Accumulate(two, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock(0, win);
}

static void other_op(void) {
  MPI_Win_fence(0, win);
  if (me < 2) MPI_Accumulate(two, 2, MPI_INT, 0, 3, 2, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, win);
  MPI_Win_fence(0, win);
}

static void other_element(void) {
  const float part = 1;
  MPI_Win_fence(0, win);
  if (me == 0) MPI_Accumulate(two, 2, MPI_INT, 0, 3, 2, MPI_INT, MPI_SUM, win);
  if (me == 1) MPI_Fetch_and_op(&part, got, MPI_FLOAT, 0, 4, MPI_SUM, win);
  MPI_Win_fence(0, win);
}

static void stored_over(void) {
  MPI_Win_fence(0, win);
  if (me == 0) MPI_Put(two, 2, MPI_INT, 1, 4, 2, MPI_INT, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 1) mine[5] = 77;
  MPI_Win_fence(0, win);
}

/* Rows of two columns of one matrix: no byte is of both. */
static void columns(void) {
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  if (me < 8) MPI_Put(two, 1, MPI_INT, 0, me, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (me < 8) MPI_Put(got, 8, MPI_INT, 0, me, 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Type_free(&column);
}

static void crossing_columns(void) {
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  if (me == 0) MPI_Put(got, 8, MPI_INT, 0, 2, 1, column, win);
  if (me == 1) MPI_Put(got, 8, MPI_INT, 0, 8, 8, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Type_free(&column);
}

/* Each of these is right: another epoch, complete before, or made to be at a time. */
static void all_right(void) {
  MPI_Request request;
  for (int k = 0; k < 20; ++k) {
    MPI_Win_fence(0, win);
    if (me == k % size) MPI_Put(two, 2, MPI_INT, 0, 5, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(got, 2, MPI_INT, 0, 5, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (me == 0) mine[5] = k;
    MPI_Accumulate(two, 1, MPI_INT, 0, 7, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, got, 1, MPI_INT, 0, 7, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Compare_and_swap(two, two, got, MPI_INT, 0, 7, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int turn = 0; turn < size; ++turn) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (turn != me) continue;
      MPI_Win_lock(k % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, win);
      MPI_Rget(got, 4, MPI_INT, 1, 8, 4, MPI_INT, win, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Put(got, 4, MPI_INT, 1, 8, 4, MPI_INT, win);
      MPI_Win_flush(1, win);
      MPI_Get(got, 4, MPI_INT, 1, 8, 4, MPI_INT, win);
      MPI_Accumulate(two, 2, MPI_INT, 1, 20, 2, MPI_INT, MPI_SUM, win);
      MPI_Accumulate(two, 2, MPI_INT, 1, 20, 2, MPI_INT, MPI_PROD, win); /* from one rank in their order */
      MPI_Win_unlock(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (me == 0) MPI_Put(two, 2, MPI_INT, 1, 30, 2, MPI_INT, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(got, 2, MPI_INT, 1, 30, 2, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*make)(void);
  } mistakes[] = {{"two_puts", two_puts},
                  {"put_and_get", put_and_get},
                  {"put_not_flushed", put_not_flushed},
                  {"get_and_accumulate", get_and_accumulate},
                  {"other_op", other_op},
                  {"other_element", other_element},
                  {"stored_over", stored_over},
                  {"columns", columns},
                  {"crossing_columns", crossing_columns},
                  {"all_right", all_right}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(N * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_name(win, "matrix");
  memset(mine, 0, N * sizeof *mine);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned k = 0; k < sizeof mistakes / sizeof *mistakes; ++k) {
    if (argc == 2 && strcmp(argv[1], mistakes[k].name) == 0) mistakes[k].make();
  }
  MPI_Win_free(&win);
  printf("rank %d has come to its end\n", me);
  MPI_Finalize();
  return 0;
}
