/* Fences, and the groups of start and post, on windows of each kind; memory that is attached later. */
#include "kinds.h"

static int rank, size;

static void fences(struct made* made) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int k = 1; k <= 50; ++k) {
    const int value = 100 * rank + k;
    GOOD(MPI_Win_fence(k == 1 ? MPI_MODE_NOPRECEDE : 0, made->win));
    GOOD(MPI_Put(&value, 1, MPI_INT, next, made->all_at[next], 1, MPI_INT, made->win));
    GOOD(MPI_Win_fence(MPI_MODE_NOSTORE, made->win));
    CHECK(*(int*)made->base == 100 * before + k);
  }
  GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, made->win));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&rank, 1, MPI_INT, next, made->all_at[next], 1, MPI_INT, made->win));
}

/* Each lets both neighbours in, and goes to both. */
static void groups(struct made* made) {
  const int around[2] = {(rank + 1) % size, (rank + size - 1) % size};
  const int several = around[0] == around[1] ? 1 : 2;
  MPI_Group all = MPI_GROUP_NULL, neighbours = MPI_GROUP_NULL;
  GOOD(MPI_Win_get_group(made->win, &all));
  GOOD(MPI_Group_incl(all, several, around, &neighbours));
  for (int k = 1; k <= 100; ++k) {
    int flag = 0;
    GOOD(MPI_Win_post(neighbours, 0, made->win));
    GOOD(MPI_Win_start(neighbours, 0, made->win));
    for (int n = 0; n < several; ++n) {
      const int value = 1000 * rank + k;
      GOOD(MPI_Put(&value, 1, MPI_INT, around[n], made->all_at[around[n]] + 4 * (k % 2) + 8 * rank, 1, MPI_INT,
                   made->win));
    }
    GOOD(MPI_Win_complete(made->win));
    if (k % 3 == 0) {
      while (!flag) GOOD(MPI_Win_test(made->win, &flag));
    } else {
      GOOD(MPI_Win_wait(made->win));
    }
    for (int n = 0; n < several; ++n) CHECK(((int*)made->base)[k % 2 + 2 * around[n]] == 1000 * around[n] + k);
  }
  if (size > 2) {
    const int far = (rank + 2) % size;
    if (far != around[0] && far != around[1]) {
      GOOD(MPI_Win_start(neighbours, 0, made->win));
      FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&rank, 1, MPI_INT, far, made->all_at[far], 1, MPI_INT, made->win));
      GOOD(MPI_Win_post(neighbours, 0, made->win));
      GOOD(MPI_Win_complete(made->win));
      GOOD(MPI_Win_wait(made->win));
    }
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  /* From one to all, and a group without anybody. */
  MPI_Group first = MPI_GROUP_NULL;
  const int zero = 0;
  GOOD(MPI_Group_incl(all, 1, &zero, &first));
  GOOD(MPI_Win_post(first, 0, made->win));
  if (rank == 0) {
    GOOD(MPI_Win_start(all, 0, made->win));
    for (int target = 0; target < size; ++target) {
      GOOD(MPI_Accumulate(&target, 1, MPI_INT, target, made->all_at[target], 1, MPI_INT, MPI_REPLACE, made->win));
    }
  }
  if (rank == 0) GOOD(MPI_Win_complete(made->win));
  GOOD(MPI_Win_wait(made->win));
  CHECK(*(int*)made->base == rank);
  GOOD(MPI_Win_start(MPI_GROUP_EMPTY, 0, made->win));
  GOOD(MPI_Win_post(MPI_GROUP_EMPTY, 0, made->win));
  GOOD(MPI_Win_complete(made->win));
  GOOD(MPI_Win_wait(made->win));
  GOOD(MPI_Group_free(&first));
  GOOD(MPI_Group_free(&neighbours));
  GOOD(MPI_Group_free(&all));
}

/* Pieces that come and go while others look. */
static void attaching(void) {
  enum { PIECES = 100 };
  MPI_Win win = MPI_WIN_NULL;
  MPI_Aint at[PIECES], theirs[PIECES];
  int* pieces[PIECES];
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  GOOD(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  for (int round = 0; round < 5; ++round) {
    for (int k = 0; k < PIECES; ++k) {
      if (k % 2) {
        GOOD(MPI_Alloc_mem(64, MPI_INFO_NULL, &pieces[k]));
      } else {
        pieces[k] = malloc(128); /* so that nothing attached follows, however close blocks are */
      }
      GOOD(MPI_Win_attach(win, pieces[k], 64));
      GOOD(MPI_Get_address(pieces[k], &at[k]));
    }
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, pieces[3], 64));
    FAILS(MPI_ERR_RMA_ATTACH, MPI_Win_attach(win, (char*)pieces[3] + 63, 1));
    FAILS(MPI_ERR_BASE, MPI_Win_detach(win, (char*)pieces[3] + 1));
    GOOD(MPI_Sendrecv(at, PIECES, MPI_AINT, before, 1, theirs, PIECES, MPI_AINT, next, 1, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    GOOD(MPI_Win_lock_all(0, win));
    for (int k = 0; k < PIECES; ++k) {
      const int value = 10000 * rank + 100 * round + k;
      GOOD(MPI_Put(&value, 1, MPI_INT, next, theirs[k] + 60, 1, MPI_INT, win));
    }
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&round, 1, MPI_INT, next, theirs[0] + 61, 1, MPI_INT, win));
    FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&round, 1, MPI_INT, next, 16, 1, MPI_INT, win));
    GOOD(MPI_Win_unlock_all(win));
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    for (int k = 0; k < PIECES; ++k) {
      CHECK(pieces[k][15] == 10000 * before + 100 * round + k);
      GOOD(MPI_Win_detach(win, pieces[k]));
      if (k % 2) {
        GOOD(MPI_Free_mem(pieces[k]));
      } else {
        free(pieces[k]);
      }
    }
  }
  /* Two pieces side by side are one to who accesses them. */
  static int side[32];
  MPI_Aint begins = 0, there = 0;
  GOOD(MPI_Win_attach(win, side, sizeof side / 2));
  GOOD(MPI_Win_attach(win, side + 16, sizeof side / 2));
  GOOD(MPI_Get_address(side, &begins));
  GOOD(MPI_Sendrecv(&begins, 1, MPI_AINT, before, 2, &there, 1, MPI_AINT, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  const int values[4] = {1, 2, 3, 4};
  GOOD(MPI_Win_fence(0, win));
  GOOD(MPI_Put(values, 4, MPI_INT, next, there + 56, 4, MPI_INT, win));
  FAILS(MPI_ERR_RMA_RANGE, MPI_Put(values, 4, MPI_INT, next, there + 116, 4, MPI_INT, win));
  GOOD(MPI_Win_fence(0, win));
  CHECK(memcmp(side + 14, values, sizeof values) == 0);
  GOOD(MPI_Win_free(&win));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 1024, MPI_COMM_WORLD);
    fences(&made);
    groups(&made);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    free_kind(&made);
  }
  attaching();
  return end();
}
