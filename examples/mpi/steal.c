/* Work stealing: each rank has a queue of tasks in a window, and who runs out takes half of another one's.
 *
 *   weft-mpicc steal.c -o steal && mpiexec -n 4 ./steal
 *
 * The queue of a rank is read and changed under its lock, by the rank itself and by thieves; nobody has to answer a
 * thief, also who computes for a long time. Looking whether there is something to steal takes a shared lock only, so
 * that many may look. What is counted here are the ways to place ten queens on a board: a task is a row that is begun.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEENS = 10, SPLIT = 4, MOST = 4096 }; /* tasks are split until so many rows are set */

struct task {
  int rows;
  int columns, left, right; /* bits of what is attacked in the next row */
};

struct queue {
  int tasks;
  int taken; /* how many were ever taken out, by anybody */
  struct task task[MOST];
};

static int rank, size;
static MPI_Win window, left_window;
static struct queue* mine;
static long ways, done;

static void count_left(int by) { /* tasks that are not done yet, at rank 0 */
  int before;
  MPI_Fetch_and_op(&by, &before, MPI_INT, 0, 0, MPI_SUM, left_window);
  MPI_Win_flush(0, left_window);
}

static int are_left(void) {
  int left, none = 0;
  MPI_Fetch_and_op(&none, &left, MPI_INT, 0, 0, MPI_NO_OP, left_window);
  MPI_Win_flush(0, left_window);
  return left != 0;
}

static void add(const struct task* tasks, int count) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  if (mine->tasks + count > MOST) {
    fprintf(stderr, "rank %d: more than %d tasks\n", rank, MOST);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memcpy(mine->task + mine->tasks, tasks, (size_t)count * sizeof *tasks);
  mine->tasks += count;
  MPI_Win_unlock(rank, window);
}

static int take(struct task* task) {
  int found = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  if (mine->tasks > 0) {
    *task = mine->task[--mine->tasks];
    ++mine->taken;
    found = 1;
  }
  MPI_Win_unlock(rank, window);
  return found;
}

/* Half of the tasks of a victim, the oldest ones, which are the largest. */
static int steal(int victim) {
  static struct task loot[MOST];
  int counts[2], stolen = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, window);
  MPI_Get(counts, 2, MPI_INT, victim, 0, 2, MPI_INT, window);
  MPI_Win_unlock(victim, window);
  if (counts[0] == 0) {
    return 0;
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, window);
  MPI_Get(counts, 2, MPI_INT, victim, 0, 2, MPI_INT, window);
  MPI_Win_flush(victim, window);
  if (counts[0] > 0) {
    stolen = (counts[0] + 1) / 2;
    const int rest = counts[0] - stolen;
    const int words = (int)(sizeof(struct task) / sizeof(int));
    static struct task kept[MOST];
    const MPI_Aint tasks = offsetof(struct queue, task);
    MPI_Get(loot, stolen * words, MPI_INT, victim, tasks, stolen * words, MPI_INT, window);
    MPI_Get(kept, rest * words, MPI_INT, victim, tasks + (MPI_Aint)(stolen * sizeof *loot), rest * words, MPI_INT,
            window);
    MPI_Win_flush(victim, window);
    const int after[2] = {rest, counts[1] + stolen};
    MPI_Put(kept, rest * words, MPI_INT, victim, tasks, rest * words, MPI_INT, window);
    MPI_Put(after, 2, MPI_INT, victim, 0, 2, MPI_INT, window);
    MPI_Win_flush_local(victim, window);
    MPI_Win_unlock(victim, window);
    add(loot, stolen);
  } else {
    MPI_Win_unlock(victim, window);
  }
  return stolen;
}

static long solve(int row, int columns, int left, int right) {
  if (row == QUEENS) {
    return 1;
  }
  long found = 0;
  for (int open = ~(columns | left | right) & ((1 << QUEENS) - 1); open != 0; open &= open - 1) {
    const int bit = open & -open;
    found += solve(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return found;
}

static void work(const struct task* task) {
  if (task->rows == SPLIT) {
    ways += solve(task->rows, task->columns, task->left, task->right);
    count_left(-1);
  } else {
    struct task next[QUEENS];
    int count = 0;
    for (int open = ~(task->columns | task->left | task->right) & ((1 << QUEENS) - 1); open != 0; open &= open - 1) {
      const int bit = open & -open;
      next[count++] =
          (struct task){task->rows + 1, task->columns | bit, (task->left | bit) << 1, (task->right | bit) >> 1};
    }
    count_left(count - 1); /* before anybody can be done with one of them */
    add(next, count);
  }
  ++done;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int* left;
  MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Win_allocate(rank == 0 ? sizeof *left : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &left, &left_window);
  mine->tasks = mine->taken = 0;
  if (rank == 0) {
    *left = 1;
    mine->task[mine->tasks++] = (struct task){0, 0, 0, 0};
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, left_window);

  struct task task;
  unsigned draw = (unsigned)rank;
  while (are_left()) {
    if (take(&task)) {
      work(&task);
    } else if (size > 1) {
      draw = draw * 1664525u + 1013904223u;
      const int victim = (rank + 1 + (int)((draw >> 8) % (unsigned)(size - 1))) % size;
      steal(victim);
    }
  }

  MPI_Win_unlock_all(left_window);
  long sums[2] = {ways, done}, all[2];
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d queens: %ld ways, found in %ld tasks\n", QUEENS, all[0], all[1]);
  }
  MPI_Win_free(&left_window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
