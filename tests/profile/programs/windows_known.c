/* Windows whose operations, bytes and delays mpi_test.py knows. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MPI_Win table, brought;
static double* part;
static int me, n;

static void move_in_table(void) {
  const int next = (me + 1) % n;
  double eight[8] = {0}, old = 0, one = 1;
  MPI_Win_lock_all(0, table);
  for (int k = 0; k < 5; ++k) MPI_Put(eight, 8, MPI_DOUBLE, next, 0, 8, MPI_DOUBLE, table); /* 64 bytes each */
  for (int k = 0; k < 3; ++k) MPI_Get(eight, 4, MPI_DOUBLE, next, 0, 4, MPI_DOUBLE, table); /* 32 each */
  MPI_Win_flush(next, table);
  MPI_Accumulate(eight, 2, MPI_DOUBLE, 0, 16, 2, MPI_DOUBLE, MPI_SUM, table);                                   /* 16 */
  MPI_Fetch_and_op(&one, &old, MPI_DOUBLE, 0, 16, MPI_SUM, table);                                              /* 8 */
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, eight, 3, MPI_DOUBLE, 0, 16, 3, MPI_DOUBLE, MPI_NO_OP, table); /* 24 */
  MPI_Put(eight, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, table);
  MPI_Win_unlock_all(table);
}

/* The last rank holds the lock of rank 0 for 50 ms, and all others wait for it. */
static void wait_for_a_lock(void) {
  MPI_Barrier(MPI_COMM_WORLD); /* nobody has it any more */
  if (me == n - 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, table);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == n - 1) {
    usleep(50000);
    MPI_Win_unlock(0, table);
  } else {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, table);
    MPI_Win_unlock(0, table);
  }
}

static void in_groups(void) {
  MPI_Group all;
  char byte = 1;
  MPI_Win_get_group(brought, &all);
  MPI_Win_fence(0, brought);
  MPI_Put(&byte, 1, MPI_CHAR, 0, me, 1, MPI_CHAR, brought);
  MPI_Win_fence(0, brought);
  MPI_Win_post(all, 0, brought);
  MPI_Win_start(all, 0, brought);
  MPI_Win_complete(brought);
  MPI_Win_wait(brought);
  MPI_Group_free(&all);
}

static void many(int count) {
  for (int k = 0; k < count; ++k) {
    int word = 0, *at = NULL;
    MPI_Win win;
    MPI_Win_allocate(sizeof word, 1, MPI_INFO_NULL, MPI_COMM_SELF, &at, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
  }
}

int main(int argc, char** argv) {
  static char bytes[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_allocate(1024, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &part, &table);
  MPI_Win_set_name(table, "table");
  MPI_Win_create(bytes, sizeof bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &brought);
  move_in_table();
  wait_for_a_lock();
  in_groups();
  if (argc > 1) many(300);
  MPI_Win_free(&brought);
  MPI_Win_free(&table);
  MPI_Finalize();
  return 0;
}
