/* Locks of windows over several machines by each of weft_lock's ways: a writer is alone, readers are together, and an
 * epoch of all keeps writers away. On one machine there is one way. */
#include "kinds.h"

static int rank, size, spans;

static void lock(MPI_Win win, int type, int target, long* pair) {
  GOOD(MPI_Win_lock(type, target, 0, win));
  GOOD(MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win));
  GOOD(MPI_Win_flush(target, win));
  CHECK(pair[0] == pair[1]);
}

/* Two numbers of each rank are changed together: by its own node, by others, in bursts and by turns. */
static void count(MPI_Win win, const long* mine, int times) {
  long changes = 0, all = 0, kept = 0;
  for (int k = 0; k < times; ++k) {
    const int target = k % 16 < 8 ? (rank + k) % size : k / 16 % size;
    long pair[2], again[2];
    if (k % 3 == 0) {
      lock(win, MPI_LOCK_EXCLUSIVE, target, pair);
      ++pair[0], ++pair[1], ++changes;
      GOOD(MPI_Put(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win));
      GOOD(MPI_Win_unlock(target, win));
    } else if (k % 16 != 5) {
      lock(win, MPI_LOCK_SHARED, target, pair);
      GOOD(MPI_Win_unlock(target, win));
    } else {
      GOOD(MPI_Win_lock_all(0, win));
      GOOD(MPI_Get(pair, 2, MPI_LONG, target, 0, 2, MPI_LONG, win));
      GOOD(MPI_Win_flush(target, win));
      GOOD(MPI_Get(again, 2, MPI_LONG, target, 0, 2, MPI_LONG, win));
      GOOD(MPI_Win_flush_all(win));
      CHECK(pair[0] == pair[1] && memcmp(pair, again, sizeof pair) == 0);
      GOOD(MPI_Win_unlock_all(win));
    }
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Allreduce(mine, &kept, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  GOOD(MPI_Allreduce(&changes, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  CHECK(kept == all);
}

/* Readers of all nodes are inside at a time. */
static void together(MPI_Win win) {
  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_unlock(0, win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

static void by(const char* way, int all_alike, int times) {
  char value[MPI_MAX_INFO_VAL];
  int flag = 0, room = sizeof value;
  long* base = NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Win win = MPI_WIN_NULL;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "weft_lock", all_alike || rank == 0 ? way : "near"));
  GOOD(MPI_Win_allocate(2 * sizeof *base, sizeof *base, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Win_get_info(win, &info));
  GOOD(MPI_Info_get_string(info, "weft_lock", &room, value, &flag));
  GOOD(MPI_Info_free(&info));
  CHECK(flag && strcmp(value, spans && (all_alike || size == 1) ? way : "near") == 0);
  base[0] = base[1] = 0;
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  together(win);
  count(win, base, times);
  GOOD(MPI_Win_free(&win));
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 90;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int k = 0; k < size; ++k) spans = spans || !is_near(k);
  by("near", 1, times);
  by("migrating", 1, times);
  by("always", 1, times);
  by("far", 1, times);
  by("migrating", 0, times);
  return end();
}
