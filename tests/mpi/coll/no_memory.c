/* One rank finds no memory for a collective: it gets MPI_ERR_NO_MEM, the others wait, and when it makes the call again
 * all have their results. */
#include "../local/check.h"

#include <errno.h>
#include <stdlib.h>

/* What rooms ask for a call's memory by, and not for a line alone. This one comes before the C library's. */
extern void* __libc_memalign(size_t, size_t);
static _Thread_local int fails_next;
static _Thread_local int failures;
void* aligned_alloc(size_t alignment, size_t bytes) {
  if (fails_next && bytes > 64) {
    fails_next = 0;
    ++failures;
    errno = ENOMEM;
    return NULL;
  }
  return __libc_memalign(alignment, bytes);
}

enum { kCount = 5000, kMostRanks = 16 };
static int rank, size;
static long own[kCount * kMostRanks];
static long all[kCount * kMostRanks];

static int allreduce(void) { return MPI_Allreduce(own, all, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); }
static int allreduce_in_place(void) {
  return MPI_Allreduce(MPI_IN_PLACE, all, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}
static int reduce(void) { return MPI_Reduce(own, all, kCount, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD); }
static int scan(void) { return MPI_Scan(own, all, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); }
static int reduce_scatter(void) {
  return MPI_Reduce_scatter_block(own, all, kCount, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}
static int alltoall(void) { return MPI_Alltoall(own, kCount, MPI_LONG, all, kCount, MPI_LONG, MPI_COMM_WORLD); }

static int alltoallv(void) {
  int counts[kMostRanks];
  int displs[kMostRanks];
  for (int k = 0; k < size; ++k) {
    counts[k] = kCount;
    displs[k] = k * kCount;
  }
  return MPI_Alltoallv(own, counts, displs, MPI_LONG, all, counts, displs, MPI_LONG, MPI_COMM_WORLD);
}

static const struct {
  int (*call)(void);
  int needs; /* memory, on every rank */
} kCalls[] = {{allreduce, 1},      {allreduce_in_place, 1}, {reduce, 0},   {scan, 1},
              {reduce_scatter, 1}, {alltoall, 0},           {alltoallv, 1}};

/* Element k of what this rank has when call number `which` is over. */
static long expected(int which, int k) {
  const long ranks = (long)size * (size + 1) / 2;
  switch (which) {
    case 0:
    case 1: return ranks * (k + 1);
    case 2: return rank == 0 ? ranks * (k + 1) : -1;
    case 3: return (long)(rank + 1) * (rank + 2) / 2 * (k + 1);
    case 4: return ranks * (rank * kCount + k + 1);
    default: return (long)(k / kCount + 1) * (rank * kCount + k % kCount + 1);
  }
}

static void one(int which, int victim) {
  const int parts = which >= 5 ? size : 1;
  for (int k = 0; k < kCount * size; ++k) {
    own[k] = (long)(rank + 1) * (k + 1);
    all[k] = which == 1 ? own[k] : -1;
  }
  int code = MPI_SUCCESS;
  fails_next = rank == victim;
  failures = 0;
  do {
    code = kCalls[which].call();
    int class = MPI_SUCCESS;
    GOOD(MPI_Error_class(code, &class));
    CHECK(class == (failures > 0 && code != MPI_SUCCESS ? MPI_ERR_NO_MEM : MPI_SUCCESS));
  } while (code != MPI_SUCCESS);
  fails_next = 0;
  CHECK(failures == (rank == victim && kCalls[which].needs) || !kCalls[which].needs);
  for (int k = 0; k < kCount * parts; ++k) {
    CHECK(all[k] == expected(which, k));
  }
}

int main(int argc, char** argv) {
  GOOD(MPI_Init(&argc, &argv));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(size <= kMostRanks);
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (int round = 0; round < 3; ++round) {
    for (int which = 0; which < (int)(sizeof kCalls / sizeof kCalls[0]); ++which) {
      for (int victim = 0; victim < size; ++victim) {
        one(which, victim);
      }
    }
  }
  GOOD(MPI_Finalize());
  printf("rank %d is done\n", rank);
  return 0;
}
