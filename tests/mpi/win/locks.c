/* Locks, put and get on windows of each kind, with and without the target's help. */
#include "kinds.h"

static int rank, size;

/* Everybody adds to everybody's counter, under its lock: none is lost. Who has the locks of all at times has to get
 * them while others wait for one each. */
static void count(struct made* made) {
  enum { TIMES = 200 };
  for (int k = 0; k < TIMES; ++k) {
    for (int target = 0; target < size; ++target) {
      long value = 0;
      GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made->win));
      GOOD(MPI_Get(&value, 1, MPI_LONG, target, made->all_at[target], 1, MPI_LONG, made->win));
      GOOD(MPI_Win_flush(target, made->win));
      ++value;
      GOOD(MPI_Put(&value, 1, MPI_LONG, target, made->all_at[target], 1, MPI_LONG, made->win));
      GOOD(MPI_Win_unlock(target, made->win));
    }
    if (k % 8 != 0) continue;
    GOOD(MPI_Win_lock_all(0, made->win));
    CHECK(*(long*)made->base > k);
    GOOD(MPI_Win_unlock_all(made->win));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, made->win));
  CHECK(*(long*)made->base == (long)TIMES * size);
  GOOD(MPI_Win_unlock(rank, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Each writes a part of the next one's memory, of every length, and reads it back. */
static void lengths(struct made* made, MPI_Aint bytes) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  char* out = malloc((size_t)bytes);
  char* in = malloc((size_t)bytes);
  GOOD(MPI_Win_lock_all(0, made->win));
  for (MPI_Aint length = 0; length <= bytes; length = length < 70 ? length + 1 : length * 3) {
    memset(out, 1 + (rank + (int)length) % 100, (size_t)bytes);
    GOOD(MPI_Put(out, (int)length, MPI_BYTE, next, made->all_at[next], (int)length, MPI_BYTE, made->win));
    GOOD(MPI_Win_flush_local(next, made->win));
    GOOD(MPI_Win_flush(next, made->win));
    memset(in, 0, (size_t)bytes);
    GOOD(MPI_Get(in, (int)length, MPI_BYTE, next, made->all_at[next], (int)length, MPI_BYTE, made->win));
    GOOD(MPI_Win_flush_all(made->win));
    CHECK(memcmp(in, out, (size_t)length) == 0);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    GOOD(MPI_Win_sync(made->win));
    for (MPI_Aint k = 0; k < length; ++k) CHECK(made->base[k] == 1 + (before + (int)length) % 100);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
  }
  GOOD(MPI_Win_unlock_all(made->win));
  free(out);
  free(in);
}

/* Datatypes that differ on both sides, with requests; a row with holes into one with others. */
static void types(struct made* made) {
  enum { N = 300 };
  const int next = (rank + 1) % size;
  MPI_Datatype even = MPI_DATATYPE_NULL, thirds = MPI_DATATYPE_NULL;
  MPI_Request requests[2];
  static int out[2 * N], in[2 * N];
  GOOD(MPI_Type_vector(N, 1, 2, MPI_INT, &even));
  GOOD(MPI_Type_vector(N / 3, 3, 4, MPI_INT, &thirds));
  GOOD(MPI_Type_commit(&even));
  GOOD(MPI_Type_commit(&thirds));
  for (int k = 0; k < 2 * N; ++k) out[k] = 1000 * rank + k;
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, made->win));
  GOOD(MPI_Rput(out, 1, even, next, made->all_at[next] + 8, 1, thirds, made->win, &requests[0]));
  GOOD(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  memset(in, 0, sizeof in);
  GOOD(MPI_Rget(in, N, MPI_INT, next, made->all_at[next] + 8, 1, thirds, made->win, &requests[1]));
  GOOD(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  for (int k = 0; k < N; ++k) CHECK(in[k] == 1000 * rank + 2 * k);
  memset(in, 0, sizeof in);
  GOOD(MPI_Get(in, 1, even, next, made->all_at[next] + 8, 1, thirds, made->win));
  GOOD(MPI_Win_flush(next, made->win));
  for (int k = 0; k < N; ++k) CHECK(in[2 * k] == 1000 * rank + 2 * k && in[2 * k + 1] == 0);
  GOOD(MPI_Win_unlock(next, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  int* here = (int*)(made->base + 8);
  const int before = (rank + size - 1) % size;
  for (int k = 0; k < N; ++k) CHECK(here[k / 3 * 4 + k % 3] == 1000 * before + 2 * k);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Type_free(&even));
  GOOD(MPI_Type_free(&thirds));
}

/* Less than there is room for: the rest stays as it is. */
static void shorter(struct made* made) {
  const int out[2] = {5, 6}, ones[2] = {1, 1};
  int in[4] = {9, 9, 9, 9};
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, made->win));
  GOOD(MPI_Put(in, 4, MPI_INT, rank, made->all_at[rank] + 64, 4, MPI_INT, made->win));
  GOOD(MPI_Put(out, 2, MPI_INT, rank, made->all_at[rank] + 64, 4, MPI_INT, made->win));
  GOOD(MPI_Accumulate(ones, 2, MPI_INT, rank, made->all_at[rank] + 64, 3, MPI_INT, MPI_SUM, made->win));
  GOOD(MPI_Get(in, 4, MPI_INT, rank, made->all_at[rank] + 64, 3, MPI_INT, made->win));
  CHECK(in[0] == 6 && in[1] == 7 && in[2] == 9);
  in[3] = 8;
  GOOD(MPI_Get_accumulate(ones, 1, MPI_INT, in, 4, MPI_INT, rank, made->all_at[rank] + 64, 4, MPI_INT, MPI_SUM,
                          made->win));
  CHECK(in[0] == 6 && in[1] == 7 && in[3] == 8);
  GOOD(MPI_Win_unlock(rank, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Locks of several targets at a time, shared and exclusive; nobody; large counts. */
static void several(struct made* made) {
  int value = rank, got = -1;
  for (int target = 0; target < size; ++target) GOOD(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, made->win));
  for (int target = 0; target < size; ++target) {
    GOOD(MPI_Put(&value, 1, MPI_INT, target, made->all_at[target] + 16 + 4 * rank, 1, MPI_INT, made->win));
  }
  GOOD(MPI_Win_flush_local_all(made->win));
  for (int target = size - 1; target >= 0; --target) GOOD(MPI_Win_unlock(target, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(MPI_MODE_NOCHECK, made->win));
  for (int k = 0; k < size; ++k) {
    GOOD(MPI_Get_c(&got, 1, MPI_INT, rank, made->all_at[rank] + 16 + 4 * k, 1, MPI_INT, made->win));
    CHECK(got == k);
  }
  GOOD(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 1 << 20, 1, MPI_INT, made->win));
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, made->win));
  GOOD(MPI_Win_unlock(MPI_PROC_NULL, made->win));
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, made->win));
  GOOD(MPI_Win_unlock(rank, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* A window that ends right behind what others were told last: on several hosts nobody answers an unlock or a flag, and
 * none of them may come to a window that is gone. */
static void ends_at_once(void) {
  MPI_Group all, others;
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &all));
  GOOD(MPI_Group_excl(all, 1, &rank, &others));
  for (int k = 0; k < 30; ++k) {
    struct made made = make_kind(ALLOCATED, 64, MPI_COMM_WORLD);
    if (k % 3 == 1) {
      GOOD(MPI_Win_post(others, 0, made.win));
      GOOD(MPI_Win_start(others, 0, made.win));
      GOOD(MPI_Win_complete(made.win));
      GOOD(MPI_Win_wait(made.win));
    }
    for (int far = 1; k % 3 != 1 && far < size; ++far) {
      const int target = (rank + far) % size;
      GOOD(MPI_Win_lock(k % 3 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, made.win));
      GOOD(MPI_Win_unlock(target, made.win));
    }
    free_kind(&made);
  }
  GOOD(MPI_Group_free(&others));
  GOOD(MPI_Group_free(&all));
}

int main(void) {
  enum { BYTES = 20000 };
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, BYTES, MPI_COMM_WORLD);
    count(&made);
    lengths(&made, BYTES);
    types(&made);
    shorter(&made);
    several(&made);
    free_kind(&made);
  }
  ends_at_once();
  return end();
}
