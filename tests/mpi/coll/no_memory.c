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

/* More than functions of the program get at a time. */
enum { kCount = 12000, kMostRanks = 32 };
static int rank, size;
static long own[kCount * kMostRanks];
static long all[kCount * kMostRanks];

/* So much is read where it lies, and combined in memory of the call; through stages where that is not permitted. */
enum { kMuch = 140000 };
static int allreduce_of_much(void) { return MPI_Allreduce(own, all, kMuch, MPI_LONG, MPI_SUM, MPI_COMM_WORLD); }

/* These go through stages with three ranks and more, and need no other memory then. */
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

/* Elements in pieces, which are packed: every second one. And a function of the program's on them. */
static MPI_Datatype spread;
static MPI_Op sum, sum_in_order;
static void add(void* in, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int k = 0; k < 2 * *count; k += 2) {
    ((long*)into)[k] += ((long*)in)[k];
  }
}
static void add_row(void* in, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int k = 0; k < *count; ++k) {
    ((long*)into)[k] += ((long*)in)[k];
  }
}
static int allreduce_in_order(void) { return MPI_Allreduce(own, all, kCount, MPI_LONG, sum_in_order, MPI_COMM_WORLD); }
static int allreduce_spread(void) { return MPI_Allreduce(own, all, kCount / 2, spread, sum, MPI_COMM_WORLD); }
static int bcast_spread(void) { return MPI_Bcast(rank == 0 ? own : all, kCount / 2, spread, 0, MPI_COMM_WORLD); }
static int allgather_spread(void) {
  return MPI_Allgather(own, kCount / 2, spread, all, kCount / 2, spread, MPI_COMM_WORLD);
}
static int scatter_spread(void) {
  return MPI_Scatter(own, kCount / 2, spread, all, kCount / 2, spread, 0, MPI_COMM_WORLD);
}
static int gather_spread(void) {
  return MPI_Gather(own, kCount / 2, spread, all, kCount / 2, spread, 0, MPI_COMM_WORLD);
}

static const struct {
  int (*call)(void);
  int needs; /* memory, on every rank, whatever way it goes */
} kCalls[] = {{allreduce, 0},        {allreduce_in_place, 0}, {reduce, 0},           {scan, 0},
              {reduce_scatter, 0},   {alltoall, 0},           {allreduce_spread, 1}, {bcast_spread, 1},
              {allgather_spread, 1}, {scatter_spread, 1},     {gather_spread, 1},    {allreduce_in_order, 0},
              {alltoallv, 1},        {allreduce_of_much, 0}};
enum {
  kAllreduceSpread = 6,
  kBcastSpread,
  kAllgatherSpread,
  kScatterSpread,
  kGatherSpread,
  kInOrder,
  kAlltoallv,
  kMuchReduced
};

/* Element k of what this rank has when call number `which` is over. */
static long expected(int which, int k) {
  const long ranks = (long)size * (size + 1) / 2;
  switch (which) {
    case 0:
    case kMuchReduced:
    case kInOrder:
    case 1: return ranks * (k + 1);
    case 2: return rank == 0 ? ranks * (k + 1) : -1;
    case 3: return (long)(rank + 1) * (rank + 2) / 2 * (k + 1);
    case 4: return ranks * (rank * kCount + k + 1);
    case kAllreduceSpread: return k % 2 == 0 ? ranks * (k + 1) : -1;
    case kBcastSpread: return rank > 0 && k % 2 == 0 ? k + 1 : -1;
    case kAllgatherSpread: return k % 2 == 0 ? (long)(k / kCount + 1) * (k % kCount + 1) : -1;
    case kScatterSpread: return k % 2 == 0 ? rank * kCount + k + 1 : -1;
    case kGatherSpread: return rank == 0 && k % 2 == 0 ? (long)(k / kCount + 1) * (k % kCount + 1) : -1;
    default: return (long)(k / kCount + 1) * (rank * kCount + k % kCount + 1);
  }
}

static void one(int which, int victim) {
  const int parts = which == 5 || which == kAlltoallv || which == kAllgatherSpread || which == kGatherSpread ? size : 1;
  const int filled = which == kMuchReduced && kMuch > kCount * size ? kMuch : kCount * size;
  const int checked = which == kMuchReduced ? kMuch : kCount * parts;
  for (int k = 0; k < filled; ++k) {
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
  for (int k = 0; k < checked; ++k) {
    CHECK(all[k] == expected(which, k));
  }
}

int main(int argc, char** argv) {
  GOOD(MPI_Init(&argc, &argv));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(size <= kMostRanks);
  GOOD(MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &spread));
  GOOD(MPI_Type_commit(&spread));
  GOOD(MPI_Op_create(add, 0, &sum));
  GOOD(MPI_Op_create(add_row, 0, &sum_in_order));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  for (int round = 0; round < 3; ++round) {
    for (int which = 0; which < (int)(sizeof kCalls / sizeof kCalls[0]); ++which) {
      /* Of many some: all wait for one another in each call. */
      for (int victim = 0; victim<size; victim += size> 8 ? size / 8 : 1) {
        one(which, victim);
      }
    }
  }
  GOOD(MPI_Op_free(&sum));
  GOOD(MPI_Op_free(&sum_in_order));
  GOOD(MPI_Type_free(&spread));
  GOOD(MPI_Finalize());
  printf("rank %d is done\n", rank);
  return 0;
}
