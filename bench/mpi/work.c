// Windows at work, with calls of MPI only, for any library's mpicc: what is between two operations counts too.
// usage: work LOCK GROUP...     LOCK: what the info key weft_lock says (near far migrating always), or none
//                               groups: ring shares tasks
// Each line: name, a number, microseconds. compare.py runs several libraries by turns.
//   ring    every rank changes its right neighbour's part under a lock and computes; the number: microseconds of that
//   shares  rank 0 and the last rank take rank 0's lock one behind the other, never at a time; the number: how many of
//           100 times the last rank does
//   tasks   tasks of so many microseconds: a leader on each host takes them from rank 0 in handfuls, and its ranks take
//           them from the leader; what a task takes beside what it computes
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static const char* lock_by;
static int64_t* part;

static void compute(double microseconds) {
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < microseconds * 1e-6) {
  }
}

static MPI_Win make(MPI_Comm comm) {
  MPI_Info info;
  MPI_Win made;
  MPI_Info_create(&info);
  if (strcmp(lock_by, "none") != 0) {
    MPI_Info_set(info, "weft_lock", lock_by);
  }
  MPI_Win_allocate(4096, 8, info, comm, &part, &made);
  MPI_Info_free(&info);
  memset(part, 0, 4096);
  MPI_Barrier(comm);
  return made;
}

// So many seconds of each rank for so many parts of all.
static void report(const char* group, int number, double seconds, double parts) {
  double sum = 0;
  MPI_Reduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s %d %.3f\n", group, number, sum / parts * 1e6);
    fflush(stdout);
  }
}

static void change(MPI_Win window, int target) {
  int64_t value = rank;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
  MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, window);
  MPI_Win_unlock(target, window);
}

static void ring(void) {
  static const int kComputes[] = {0, 10, 100, 1000};
  for (int k = 0; k < 4; ++k) {
    const int rounds = kComputes[k] < 1000 ? 500 : 100;
    MPI_Win window = make(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int r = 0; r < rounds; ++r) {
      change(window, (rank + 1) % size);
      compute(kComputes[k]);
    }
    report("ring", kComputes[k], MPI_Wtime() - begin - 1e-6 * kComputes[k] * rounds, rounds * (double)size);
    MPI_Win_free(&window);
  }
}

static void shares(void) {
  static const int kShares[] = {0, 1, 10, 50, 90, 99, 100};
  for (int k = 0; k < 7; ++k) {
    const int rounds = 20;
    double spent = 0;
    MPI_Win window = make(MPI_COMM_WORLD);
    for (int r = 0; r < 2 * rounds; ++r) {
      const int times = r % 2 == 0 ? 100 - kShares[k] : kShares[k];
      const int whose = r % 2 == 0 ? 0 : size - 1;
      const double begin = MPI_Wtime();
      for (int t = 0; rank == whose && t < times; ++t) {
        change(window, 0);
      }
      spent += rank == whose ? MPI_Wtime() - begin : 0;
      MPI_Barrier(MPI_COMM_WORLD);
    }
    report("shares", kShares[k], spent, 100.0 * rounds);
    MPI_Win_free(&window);
  }
}

// From the word of a rank, which counts what was taken.
static int64_t take(MPI_Win window, int from, int64_t many) {
  int64_t before = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, from, 0, window);
  MPI_Fetch_and_op(&many, &before, MPI_INT64_T, from, 0, MPI_SUM, window);
  MPI_Win_unlock(from, window);
  return before;
}

// A leader's words: how many tasks it has had and how many were taken of them; under its lock.
static int take_of_leader(MPI_Win near, MPI_Win all, int64_t tasks, int64_t handful) {
  int64_t words[2];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, near);
  MPI_Get(words, 2, MPI_INT64_T, 0, 1, 2, MPI_INT64_T, near);
  MPI_Win_flush(0, near);
  if (words[0] == words[1]) {
    const int64_t first = take(all, 0, handful);
    words[0] += first >= tasks ? 0 : tasks - first < handful ? tasks - first : handful;
  }
  const int found = words[0] > words[1];
  words[1] += found;
  MPI_Put(words, 2, MPI_INT64_T, 0, 1, 2, MPI_INT64_T, near);
  MPI_Win_unlock(0, near);
  return found;
}

static void tasks(void) {
  static const int kComputes[] = {10, 100, 1000};
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  for (int k = 0; k < 3; ++k) {
    const int64_t count = (kComputes[k] < 1000 ? 1000 : 200) * size;
    int64_t mine = 0, all_done = 0;
    MPI_Win all = make(MPI_COMM_WORLD), near = make(host);
    const double begin = MPI_Wtime();
    while (take_of_leader(near, all, count, 16)) {
      compute(kComputes[k]);
      ++mine;
    }
    const double spent = MPI_Wtime() - begin;
    MPI_Allreduce(&mine, &all_done, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all_done != count) {
      fprintf(stderr, "work: %lld tasks of %lld were done\n", (long long)all_done, (long long)count);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    report("tasks", kComputes[k], spent - 1e-6 * kComputes[k] * (double)mine, (double)count);
    MPI_Win_free(&near);
    MPI_Win_free(&all);
  }
  MPI_Comm_free(&host);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) {
    fprintf(stderr, "usage: work LOCK GROUP...\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  lock_by = argv[1];
  for (int k = 2; k < argc; ++k) {
    if (strcmp(argv[k], "ring") == 0) {
      ring();
    } else if (strcmp(argv[k], "shares") == 0) {
      shares();
    } else if (strcmp(argv[k], "tasks") == 0) {
      tasks();
    } else {
      fprintf(stderr, "work: there is no group %s\n", argv[k]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
}
