/* Mistakes: each is an error of its class, on the window, and what follows goes on. */
#include <sys/mman.h>

#include "kinds.h"

static int rank, size, heard;

static void hear(MPI_Win* win, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  CHECK(*win != MPI_WIN_NULL);
  GOOD(MPI_Error_string(*code, text, &length));
  ++heard;
}

static void sum(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)in;
  (void)inout;
  (void)n;
  (void)type;
}

static void arguments(struct made* made) {
  MPI_Win win = made->win;
  int value = 0, result = 0;
  const MPI_Aint at = made->all_at[0];
  MPI_Datatype pair = MPI_DATATYPE_NULL, mixed = MPI_DATATYPE_NULL;
  MPI_Op own = MPI_OP_NULL;
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  GOOD(MPI_Type_contiguous(2, MPI_INT, &pair));
  GOOD(MPI_Type_create_struct(2, lengths, places, parts, &mixed));
  GOOD(MPI_Type_commit(&mixed));
  GOOD(MPI_Op_create(sum, 1, &own));
  GOOD(MPI_Win_lock_all(0, win));
  FAILS(MPI_ERR_RANK, MPI_Put(&value, 1, MPI_INT, size, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_RANK, MPI_Get(&value, 1, MPI_INT, -1, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_COUNT, MPI_Put(&value, -1, MPI_INT, 0, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_COUNT, MPI_Get(&value, 1, MPI_INT, 0, at, -1, MPI_INT, win));
  FAILS(MPI_ERR_TYPE, MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_TYPE, MPI_Put(&value, 1, pair, 0, at, 2, MPI_INT, win));
  FAILS(MPI_ERR_TYPE, MPI_Put(&value, 2, MPI_INT, 0, at, 1, pair, win));
  FAILS(MPI_ERR_TRUNCATE, MPI_Put(&value, 2, MPI_INT, 0, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_TRUNCATE, MPI_Get(&value, 1, MPI_INT, 0, at, 2, MPI_INT, win));
  FAILS(MPI_ERR_TRUNCATE, MPI_Accumulate(&value, 2, MPI_INT, 0, at, 1, MPI_INT, MPI_SUM, win));
  FAILS(MPI_ERR_BUFFER, MPI_Put(NULL, 1, MPI_INT, 0, at, 1, MPI_INT, win));
  if (made->kind != DYNAMIC) {
    FAILS(MPI_ERR_DISP, MPI_Put(&value, 1, MPI_INT, 0, -4, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, &value, 4));
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(win, &value));
  }
  FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, 0, at + 61, 1, MPI_INT, win));
  FAILS(MPI_ERR_RMA_RANGE, MPI_Get_c(&value, 1, MPI_INT, 0, at + ((MPI_Aint)1 << 62), 1, MPI_INT, win));
  FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, 0, at, 1, MPI_INT, own, win));
  FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_INT, 0, at, 1, MPI_INT, MPI_OP_NULL, win));
  FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_FLOAT, 0, at, 1, MPI_FLOAT, MPI_BAND, win));
  FAILS(MPI_ERR_OP, MPI_Fetch_and_op(&value, &result, MPI_INT, 0, at, MPI_MAXLOC, win));
  char twelve[16] = {0};
  FAILS(MPI_ERR_TYPE, MPI_Accumulate(twelve, 1, mixed, 0, at, 1, mixed, MPI_SUM, win));
  FAILS(MPI_ERR_TYPE, MPI_Fetch_and_op(&value, &result, mixed, 0, at, MPI_SUM, win));
  FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&value, &value, &result, MPI_FLOAT, 0, at, win));
  /* Half an element of the target's; of what there is room for nothing is asked. */
  FAILS(MPI_ERR_TYPE, MPI_Accumulate(twelve, 3, MPI_SHORT, 0, at, 2, MPI_INT, MPI_SUM, win));
  FAILS(MPI_ERR_TYPE, MPI_Get_accumulate(twelve, 3, MPI_SHORT, twelve, 8, MPI_SHORT, 0, at, 2, MPI_INT, MPI_SUM, win));
  GOOD(MPI_Get_accumulate(NULL, 0, MPI_SHORT, twelve, 3, MPI_SHORT, 0, at, 1, MPI_INT, MPI_NO_OP, win));
  FAILS(MPI_ERR_TYPE,
        MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &result, 1, MPI_INT, 0, at, 1, MPI_INT, MPI_SUM, win));
  FAILS(MPI_ERR_TRUNCATE,
        MPI_Get_accumulate(&value, 2, MPI_SHORT, &result, 1, MPI_SHORT, 0, at, 2, MPI_SHORT, MPI_SUM, win));
  FAILS(MPI_ERR_TRUNCATE, MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, 0, at, 2, MPI_INT, MPI_NO_OP, win));
  FAILS(MPI_ERR_BUFFER, MPI_Fetch_and_op(&value, NULL, MPI_INT, 0, at, MPI_SUM, win));
  FAILS(MPI_ERR_WIN, MPI_Win_unlock_all(MPI_WIN_NULL));
  GOOD(MPI_Win_unlock_all(win));
  GOOD(MPI_Type_free(&pair));
  GOOD(MPI_Type_free(&mixed));
  GOOD(MPI_Op_free(&own));
}

static void epochs(struct made* made) {
  MPI_Win win = made->win;
  MPI_Group group = MPI_GROUP_NULL;
  int value = 0, flag = 0;
  const MPI_Aint at = made->all_at[rank];
  GOOD(MPI_Win_get_group(win, &group));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, rank, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(rank, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(rank, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush_local(rank, win));
  FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(17, rank, 0, win));
  FAILS(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOSTORE, win));
  FAILS(MPI_ERR_ASSERT, MPI_Win_fence(MPI_MODE_NOCHECK, win));
  FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win));

  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(group, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&made->win));
  if (size > 1) {
    const int other = (rank + 1) % size;
    FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, other, made->all_at[other], 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(other, win));
    FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(other, win));
  }
  GOOD(MPI_Win_unlock(rank, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(rank, win));

  GOOD(MPI_Win_lock_all(0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(rank, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
  GOOD(MPI_Win_unlock_all(win));

  GOOD(MPI_Win_fence(0, win));
  GOOD(MPI_Put(&value, 1, MPI_INT, rank, at, 1, MPI_INT, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(group, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_post(group, 0, win));
  GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));

  GOOD(MPI_Win_post(group, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_post(group, 0, win));
  GOOD(MPI_Win_start(group, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(group, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
  GOOD(MPI_Win_complete(win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
  GOOD(MPI_Win_wait(win));
  GOOD(MPI_Group_free(&group));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* The window's own handler hears of it, and no other one. */
static void handlers(struct made* made) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, got = MPI_ERRHANDLER_NULL;
  int value = 0;
  GOOD(MPI_Win_create_errhandler(hear, &handler));
  GOOD(MPI_Win_set_errhandler(made->win, handler));
  GOOD(MPI_Win_get_errhandler(made->win, &got));
  CHECK(got == handler);
  GOOD(MPI_Errhandler_free(&got));
  GOOD(MPI_Errhandler_free(&handler));
  heard = 0;
  FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, made->win));
  CHECK(heard == 1);
  GOOD(MPI_Win_call_errhandler(made->win, MPI_ERR_OTHER));
  CHECK(heard == 2);
  GOOD(MPI_Win_set_errhandler(made->win, MPI_ERRORS_RETURN));
}

/* A window without locks. */
static void without_locks(void) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Info info = MPI_INFO_NULL;
  char* base = NULL;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "no_locks", "true"));
  GOOD(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
  GOOD(MPI_Win_fence(0, win));
  GOOD(MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
  GOOD(MPI_Win_fence(0, win));
  CHECK(*(int*)base == rank);
  GOOD(MPI_Win_free(&win));
}

/* Memory that was given back under a window: the origin hears of it, and lives. What free() leaves mapped differs. So
 * much is not adopted: what is stays there until the window is freed. */
static void freed(void) {
  enum { BYTES = 65 << 20 };
  MPI_Win win = MPI_WIN_NULL;
  char* base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int value = 0;
  CHECK(base != MAP_FAILED);
  GOOD(MPI_Win_create(base, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  if (rank == 0) CHECK(munmap(base, BYTES) == 0);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank != 0 && is_near(0)) {
    GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_INT, 0, BYTES / 2, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Fetch_and_op(&value, &value, MPI_INT, 0, BYTES / 2, MPI_SUM, win));
    GOOD(MPI_Win_unlock(0, win));
  }
  GOOD(MPI_Win_free(&win));
  if (rank != 0) CHECK(munmap(base, BYTES) == 0);
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 64, MPI_COMM_WORLD);
    arguments(&made);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    epochs(&made);
    handlers(&made);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    free_kind(&made);
  }
  without_locks();
  freed();
  return end();
}
