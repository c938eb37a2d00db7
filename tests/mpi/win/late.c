/* MPI_Win_lock_all takes a rank's lock when that is used first: who has not used it is in nobody's way, and who has is
 * beside the others that have, whoever waits for them. */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "kinds.h"

static int rank, size;

/* Where locks migrate, all are taken at once, and nobody passes who waits. */
static int has_late(struct made* made) {
  char value[MPI_MAX_INFO_VAL] = "";
  int flag = 0, room = sizeof value;
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Win_get_info(made->win, &info));
  GOOD(MPI_Info_get_string(info, "weft_lock", &room, value, &flag));
  GOOD(MPI_Info_free(&info));
  return !flag || strcmp(value, "near") == 0;
}

static void put_at(struct made* made, int target, long value) {
  GOOD(MPI_Put(&value, 1, MPI_LONG, target, made->all_at[target] + 8 * rank, 1, MPI_LONG, made->win));
  GOOD(MPI_Win_flush(target, made->win));
}

static void change_alone(struct made* made, int target) {
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made->win));
  put_at(made, target, 1);
  GOOD(MPI_Win_unlock(target, made->win));
}

/* Rank 0 is in an epoch of all while the others lock the last rank, which it has not used. But where it could store to
 * that without a call, it is in their way. */
static void not_used(struct made* made) {
  const int last = size - 1;
  if (size == 1 || made->kind == SHARED || made->kind == SHARED_APART) return;
  if (rank == 0) GOOD(MPI_Win_lock_all(0, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank != 0) change_alone(made, last);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) {
    put_at(made, last, 1);
    GOOD(MPI_Win_flush_all(made->win));
    GOOD(MPI_Win_unlock_all(made->win));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) change_alone(made, last);
}

/* Rank 0 waits, in its epoch, for what rank 1 does there in its own, while the last one waits for both. */
static void beside(struct made* made) {
  const int last = size - 1;
  int told = 0;
  if (size < 3) return;
  if (rank == 0) {
    GOOD(MPI_Win_lock_all(0, made->win));
    put_at(made, last, 2);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 0) {
    GOOD(MPI_Recv(&told, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Win_unlock_all(made->win));
  } else if (rank == 1) {
    usleep(20 * 1000); /* the last one is in the queue by then */
    GOOD(MPI_Win_lock_all(0, made->win));
    put_at(made, last, 2);
    GOOD(MPI_Send(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    GOOD(MPI_Win_unlock_all(made->win));
  } else if (rank == last) {
    change_alone(made, last);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Ranks 0 and 1 use two others in opposite orders, and each of these waits for one of them. */
static void opposite(struct made* made) {
  if (size < 4) return;
  if (rank < 2) {
    GOOD(MPI_Win_lock_all(0, made->win));
    put_at(made, 2 + rank, 3);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank < 2) {
    usleep(20 * 1000); /* the others are in the queues by then */
    put_at(made, 3 - rank, 3);
    GOOD(MPI_Win_unlock_all(made->win));
  } else if (rank < 4) {
    change_alone(made, rank);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Two numbers of each rank are changed together under its exclusive lock; who has it shared, with others, sees no
 * change until its epoch ends. */
static void look(struct made* made, int target, long seen[2]) {
  GOOD(MPI_Get(seen, 2, MPI_LONG, target, made->all_at[target] + 1024, 2, MPI_LONG, made->win));
  GOOD(MPI_Win_flush(target, made->win));
}
static void pairs(struct made* made, int times) {
  for (int k = 0; k < times; ++k) {
    const int one = (rank + k) % size, other = (rank + 3 * k + 1) % size;
    long seen[2], again[2];
    if (k % 3 == 0) {
      GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, one, 0, made->win));
      look(made, one, seen);
      CHECK(seen[0] == seen[1]);
      ++seen[0], ++seen[1];
      GOOD(MPI_Put(seen, 2, MPI_LONG, one, made->all_at[one] + 1024, 2, MPI_LONG, made->win));
      GOOD(MPI_Win_unlock(one, made->win));
      continue;
    }
    GOOD(MPI_Win_lock_all(0, made->win));
    look(made, one, seen);
    look(made, other, again);
    CHECK(seen[0] == seen[1] && again[0] == again[1]);
    look(made, one, again);
    CHECK(seen[0] == again[0] && seen[1] == again[1]);
    GOOD(MPI_Win_unlock_all(made->win));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  long mine = 0, all = 0, changes = (times + 2) / 3;
  memcpy(&mine, made->base + 1024, sizeof mine);
  GOOD(MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CHECK(all == changes * size);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 300;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 2048, MPI_COMM_WORLD);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    if (has_late(&made)) {
      not_used(&made);
      beside(&made);
      opposite(&made);
    }
    pairs(&made, times);
    free_kind(&made);
  }
  return end();
}
