/* Accumulates of all kinds on windows of each kind: none is lost, and each is what its operation says. */
#include <complex.h>
#include <stddef.h>

#include "kinds.h"

static int rank, size;

/* The ways mixed: single elements, rows, with results and without, at even and at odd addresses. */
static void mixed(struct made* made, int times) {
  const int target = size - 1;
  const MPI_Aint at = made->all_at[target];
  long one = 1, was = 0;
  double half = 0.5, had = 0;
  double _Complex i = 1.0 + 2.0 * I, had_i = 0;
  struct {
    double value;
    int index;
  } most = {0, 0};
  GOOD(MPI_Win_lock_all(0, made->win));
  for (int k = 0; k < times; ++k) {
    GOOD(MPI_Accumulate(&one, 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_SUM, made->win));
    GOOD(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, at, MPI_SUM, made->win));
    CHECK(was >= k);
    GOOD(MPI_Get_accumulate(&half, 1, MPI_DOUBLE, &had, 1, MPI_DOUBLE, target, at + 8, 1, MPI_DOUBLE, MPI_SUM,
                            made->win));
    GOOD(MPI_Fetch_and_op(&half, &had, MPI_DOUBLE, target, at + 8, MPI_SUM, made->win));
    GOOD(MPI_Get_accumulate(&i, 1, MPI_C_DOUBLE_COMPLEX, &had_i, 1, MPI_C_DOUBLE_COMPLEX, target, at + 16, 1,
                            MPI_C_DOUBLE_COMPLEX, MPI_SUM, made->win));
    GOOD(MPI_Accumulate(&one, 1, MPI_LONG, target, at + 41, 1, MPI_LONG, MPI_SUM, made->win));
    GOOD(MPI_Fetch_and_op(&one, &was, MPI_LONG, target, at + 41, MPI_SUM, made->win));
    for (;;) { /* by comparison, until nobody was faster */
      long now = 0, next = 0, seen = 0;
      GOOD(MPI_Fetch_and_op(NULL, &now, MPI_LONG, target, at + 64, MPI_NO_OP, made->win));
      GOOD(MPI_Win_flush(target, made->win));
      next = now + 1;
      GOOD(MPI_Compare_and_swap(&next, &now, &seen, MPI_LONG, target, at + 64, made->win));
      GOOD(MPI_Win_flush(target, made->win));
      if (seen == now) break;
    }
    for (;;) { /* the same at an odd address */
      int now = 0, next = 0, seen = 0;
      GOOD(MPI_Fetch_and_op(NULL, &now, MPI_INT, target, at + 73, MPI_NO_OP, made->win));
      next = now + 1;
      GOOD(MPI_Compare_and_swap(&next, &now, &seen, MPI_INT, target, at + 73, made->win));
      if (seen == now) break;
    }
    most.value = k;
    most.index = rank;
    GOOD(MPI_Accumulate(&most, 1, MPI_DOUBLE_INT, target, at + 80, 1, MPI_DOUBLE_INT, MPI_MAXLOC, made->win));
  }
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == target) {
    const double all = (double)times * size;
    long odd = 0;
    int odd_int = 0;
    memcpy(&odd, made->base + 41, sizeof odd);
    memcpy(&odd_int, made->base + 73, sizeof odd_int);
    CHECK(*(long*)made->base == 2L * times * size);
    CHECK(*(double*)(made->base + 8) == all);
    CHECK(*(double*)(made->base + 16) == all && *(double*)(made->base + 24) == 2 * all);
    CHECK(odd == 2L * times * size);
    CHECK(*(long*)(made->base + 64) == (long)times * size);
    CHECK(odd_int == times * size);
    memcpy(&most, made->base + 80, sizeof most);
    CHECK(most.value == times - 1 && most.index == 0);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 256);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Rows in pieces on each side, longer than what is moved at a time; results in pieces. */
static void rows(struct made* made) {
  enum { N = 3000 };
  static int out[2 * N], got[3 * N];
  const int target = 0;
  MPI_Datatype even = MPI_DATATYPE_NULL, thirds = MPI_DATATYPE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  GOOD(MPI_Type_vector(N, 1, 2, MPI_INT, &even));
  GOOD(MPI_Type_vector(N, 1, 3, MPI_INT, &thirds));
  GOOD(MPI_Type_commit(&even));
  GOOD(MPI_Type_commit(&thirds));
  for (int k = 0; k < 2 * N; ++k) out[k] = k;
  GOOD(MPI_Win_fence(0, made->win));
  GOOD(MPI_Accumulate(out, 1, even, target, made->all_at[target], N, MPI_INT, MPI_SUM, made->win));
  GOOD(MPI_Win_fence(0, made->win));
  if (rank == target) {
    for (int k = 0; k < N; ++k) CHECK(((int*)made->base)[k] == 2 * k * size);
  }
  GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, made->win));
  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, made->win));
  memset(got, 255, sizeof got);
  GOOD(MPI_Rget_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 1, thirds, target, made->all_at[target], N, MPI_INT,
                           MPI_NO_OP, made->win, &request));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int k = 0; k < 3 * N - 2; ++k) CHECK(got[k] == (k % 3 == 0 ? 2 * (k / 3) * size : -1));
  GOOD(MPI_Win_unlock(target, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, made->win));
  GOOD(MPI_Raccumulate(out, N, MPI_INT, target, made->all_at[target], 1, even, MPI_REPLACE, made->win, &request));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Win_unlock(target, made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == target) {
    for (int k = 0; k < N; ++k) CHECK(((int*)made->base)[2 * k] == k);
  }
  GOOD(MPI_Type_free(&even));
  GOOD(MPI_Type_free(&thirds));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

static void begin_epoch(MPI_Win win, int kind, int target) {
  switch (kind) {
    case 0: GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win)); break;
    case 1: GOOD(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win)); break;
    case 2: GOOD(MPI_Win_lock_all(0, win)); break;
    case 3: GOOD(MPI_Win_fence(0, win)); break;
    default: /* nobody holds a lock that conflicts */
      GOOD(MPI_Barrier(MPI_COMM_WORLD));
      GOOD(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
  }
}
static void end_epoch(MPI_Win win, int kind, int target) {
  switch (kind) {
    case 0:
    case 1: GOOD(MPI_Win_unlock(target, win)); break;
    case 3: GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, win)); break;
    default: GOOD(MPI_Win_unlock_all(win));
  }
  if (kind == 4) GOOD(MPI_Barrier(MPI_COMM_WORLD));
}
/* Long rows by all ranks, under each kind of epoch by turns, and single elements of them: none is lost, whether loops
   or instructions change them. */
static void long_rows(struct made* made, int times) {
  enum { N = 4096, EVERY = 512 };
  static double out[N + 1], got[N];
  const int target = 0;
  const MPI_Aint at = made->all_at[target];
  const double one = 1;
  double was = 0;
  void* const odd = (char*)out + 4; /* a buffer may lie anywhere */
  if (rank == target) memset(made->base, 0, sizeof got);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < times; ++k) {
    begin_epoch(made->win, k % 5, target);
    for (int j = 0; j < N; ++j) out[j] = 1;
    GOOD(MPI_Accumulate(out, N, MPI_DOUBLE, target, at, N, MPI_DOUBLE, MPI_SUM, made->win));
    memset(got, 0, sizeof got);
    GOOD(MPI_Get_accumulate(out, N, MPI_DOUBLE, got, N, MPI_DOUBLE, target, at, N, MPI_DOUBLE, MPI_SUM, made->win));
    for (int j = 0; j < N; j += EVERY) {
      GOOD(MPI_Fetch_and_op(&one, &was, MPI_DOUBLE, target, at + j * (MPI_Aint)sizeof was, MPI_SUM, made->win));
    }
    end_epoch(made->win, k % 5, target);
    for (int j = 0; j < N; ++j) CHECK(got[j] >= 3 * k + 1);
    memmove(odd, out, N * sizeof *out);
    begin_epoch(made->win, k % 3, target);
    GOOD(MPI_Accumulate(odd, N, MPI_DOUBLE, target, at, N, MPI_DOUBLE, MPI_SUM, made->win));
    end_epoch(made->win, k % 3, target);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == target) {
    for (int j = 0; j < N; ++j) CHECK(((double*)made->base)[j] == (double)times * size * (j % EVERY == 0 ? 4 : 3));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Each operation on each size, against what the program computes itself. */
#define EACH(type, handle, list, count)                                                        \
  do {                                                                                         \
    static const type a = (type)6, b = (type)3;                                                \
    for (int op = 0; op < (count); ++op) {                                                     \
      type before = b, expected = b, got = 0, now = 0;                                         \
      GOOD(MPI_Put(&before, 1, handle, rank, made->all_at[rank], 1, handle, made->win));       \
      GOOD(MPI_Reduce_local(&a, &expected, 1, handle, list[op]));                              \
      GOOD(MPI_Fetch_and_op(&a, &got, handle, rank, made->all_at[rank], list[op], made->win)); \
      GOOD(MPI_Get(&now, 1, handle, rank, made->all_at[rank], 1, handle, made->win));          \
      CHECK(got == b && now == expected);                                                      \
    }                                                                                          \
  } while (0)
static void operations(struct made* made) {
  const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, made->win));
  EACH(signed char, MPI_SIGNED_CHAR, all, 10);
  EACH(short, MPI_SHORT, all, 10);
  EACH(int, MPI_INT, all, 10);
  EACH(unsigned, MPI_UNSIGNED, all, 10);
  EACH(long, MPI_LONG, all, 10);
  EACH(float, MPI_FLOAT, all, 4);
  EACH(double, MPI_DOUBLE, all, 4);
  EACH(long double, MPI_LONG_DOUBLE, all, 4);
  /* A character is an integer too. */
  const char from = 6, to = 7;
  char before = 0;
  GOOD(MPI_Put(&from, 1, MPI_CHAR, rank, made->all_at[rank], 1, MPI_CHAR, made->win));
  GOOD(MPI_Compare_and_swap(&to, &from, &before, MPI_CHAR, rank, made->all_at[rank], made->win));
  CHECK(before == from && made->base[0] == to);
  GOOD(MPI_Win_unlock(rank, made->win));
}

static void no_change(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  CHECK(!"an operation of the program's own was called");
}

/* Rows of the target in pieces, which between hosts go many in one question: of elements that the processor changes and
 * that it does not, of lengths from one element to more than a question has, with results. */
static void scattered(struct made* made) {
  enum { N = 700, LONG = 1200 };
  static int ones[N + LONG], had[N + LONG];
  static char few[N];
  struct {
    double value;
    int index;
  } most[3];
  const int target = size - 1;
  const MPI_Aint at = made->all_at[target];
  int lengths[3] = {1, LONG, N - 1}, from[3] = {3, 5, 2 * LONG};
  MPI_Datatype pieces, thirds, uneven, pairs;
  GOOD(MPI_Type_vector(N, 1, 2, MPI_INT, &pieces));
  GOOD(MPI_Type_vector(N, 1, 3, MPI_SIGNED_CHAR, &thirds));
  GOOD(MPI_Type_indexed(3, lengths, from, MPI_INT, &uneven));
  GOOD(MPI_Type_vector(3, 1, 2, MPI_DOUBLE_INT, &pairs));
  MPI_Datatype* const all[4] = {&pieces, &thirds, &uneven, &pairs};
  for (int k = 0; k < 4; ++k) GOOD(MPI_Type_commit(all[k]));
  for (int k = 0; k < N + LONG; ++k) ones[k] = 1;
  memset(few, 1, sizeof few);
  for (int k = 0; k < 3; ++k) most[k].value = rank + 1, most[k].index = k;
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(0, made->win));
  GOOD(MPI_Get_accumulate(ones, N, MPI_INT, had, N, MPI_INT, target, at, 1, pieces, MPI_SUM, made->win));
  GOOD(MPI_Win_flush(target, made->win));
  for (int k = 0; k < N; ++k) CHECK(had[k] >= 0 && had[k] < 2 * size);
  GOOD(MPI_Accumulate(ones, N, MPI_INT, target, at, 1, pieces, MPI_SUM, made->win));
  GOOD(MPI_Accumulate(few, N, MPI_SIGNED_CHAR, target, at + 8192, 1, thirds, MPI_SUM, made->win));
  GOOD(MPI_Accumulate(ones, N + LONG, MPI_INT, target, at + 16384, 1, uneven, MPI_SUM, made->win));
  GOOD(MPI_Accumulate(most, 3, MPI_DOUBLE_INT, target, at + 49152, 1, pairs, MPI_MAXLOC, made->win));
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, made->win));
  GOOD(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, had, N + LONG, MPI_INT, target, at + 16384, 1, uneven, MPI_NO_OP,
                          made->win));
  GOOD(MPI_Win_unlock(target, made->win));
  for (int k = 0; k < N + LONG; ++k) CHECK(had[k] == size);
  if (rank == target) {
    const int* const ints = (const int*)made->base;
    for (int k = 0; k < 2 * N; ++k) CHECK(ints[k] == (k % 2 == 0 ? 2 * size : 0));
    for (int k = 0; k < 3 * N; ++k) CHECK(made->base[8192 + k] == (k % 3 == 0 ? size : 0));
    CHECK(ints[4096 + 2] == 0 && ints[4096 + 4] == 0 && ints[4096 + 5 + LONG] == 0);
    for (int k = 0; k < 3; ++k) {
      memcpy(&most[0], made->base + 49152 + 2 * k * (int)sizeof most[0], sizeof most[0]);
      CHECK(most[0].value == size && most[0].index == k);
    }
  }
  for (int k = 0; k < 4; ++k) GOOD(MPI_Type_free(all[k]));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 65536);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

static int by_number(const void* a, const void* b) {
  const long x = *(const long*)a, y = *(const long*)b;
  return (x > y) - (x < y);
}
/* Rows of the target in pieces, of elements that no processor changes at once, by all ranks, the target's own host
 * among them: each goes on without a pause until all have done their part, so that all of it meets changes by others,
 * and who comes by messages has a turn as others have. None is lost, and what an element was before is told to nobody
 * twice. */
static void contended(struct made* made, int times) {
  enum { N = 64, MOST = 1000, THROUGH = 4096 };
  static long double ones[N], had[N];
  static long seen[MOST];
  const int target = 0;
  const MPI_Aint at = made->all_at[target];
  const long one = 1;
  long mine = 0, all = 0, through = 0;
  long* const of_all = malloc((size_t)size * MOST * sizeof *of_all);
  MPI_Datatype apart;
  CHECK(of_all != NULL);
  if (times > MOST) times = MOST;
  for (int k = 0; k < N; ++k) ones[k] = 1;
  GOOD(MPI_Type_vector(N, 1, 2, MPI_LONG_DOUBLE, &apart));
  GOOD(MPI_Type_commit(&apart));
  memset(made->base, 0, 8192);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(0, made->win));
  for (int k = 0; k < times; ++k, mine += 2) {
    GOOD(MPI_Accumulate(ones, N, MPI_LONG_DOUBLE, target, at, 1, apart, MPI_SUM, made->win));
    GOOD(MPI_Get_accumulate(ones, N, MPI_LONG_DOUBLE, had, N, MPI_LONG_DOUBLE, target, at, 1, apart, MPI_SUM,
                            made->win));
    GOOD(MPI_Win_flush(target, made->win));
    seen[k] = (long)had[N / 2];
  }
  GOOD(MPI_Fetch_and_op(&one, &through, MPI_LONG, target, at + THROUGH, MPI_SUM, made->win));
  do {
    GOOD(MPI_Accumulate(ones, N, MPI_LONG_DOUBLE, target, at, 1, apart, MPI_SUM, made->win));
    ++mine;
    GOOD(MPI_Fetch_and_op(NULL, &through, MPI_LONG, target, at + THROUGH, MPI_NO_OP, made->win));
    GOOD(MPI_Win_flush(target, made->win));
  } while (through != size);
  GOOD(MPI_Win_unlock_all(made->win));
  GOOD(MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, target, MPI_COMM_WORLD));
  GOOD(MPI_Gather(seen, times, MPI_LONG, of_all, times, MPI_LONG, target, MPI_COMM_WORLD));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  if (rank == target) {
    for (int k = 0; k < N; ++k) {
      memcpy(&had[0], made->base + 2 * k * (int)sizeof had[0], sizeof had[0]);
      CHECK(had[0] == all);
    }
    qsort(of_all, (size_t)size * (size_t)times, sizeof *of_all, by_number);
    for (int k = 1; k < size * times; ++k) CHECK(of_all[k] != of_all[k - 1]);
  }
  free(of_all);
  GOOD(MPI_Type_free(&apart));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  memset(made->base, 0, 8192);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Of no elements it does not matter which they would be, nor what would be done with them. */
static void of_nothing(struct made* made) {
  const MPI_Aint at = made->all_at[0];
  double one = 1, was = 2;
  MPI_Datatype nothing;
  MPI_Op own;
  GOOD(MPI_Type_contiguous(0, MPI_DOUBLE, &nothing));
  GOOD(MPI_Type_commit(&nothing));
  GOOD(MPI_Op_create(no_change, 1, &own));
  GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, made->win));
  GOOD(MPI_Accumulate(&one, 0, MPI_DOUBLE, 0, at, 0, MPI_DOUBLE, MPI_SUM, made->win));
  GOOD(MPI_Accumulate(&one, 0, MPI_DOUBLE, 0, at, 0, MPI_DOUBLE, MPI_BAND, made->win));
  GOOD(MPI_Accumulate(&one, 0, MPI_DOUBLE, 0, at, 0, MPI_DOUBLE, own, made->win));
  GOOD(MPI_Accumulate(&one, 1, nothing, 0, at, 1, nothing, MPI_SUM, made->win));
  GOOD(MPI_Get_accumulate(&one, 3, nothing, &was, 1, MPI_DOUBLE, 0, at, 2, nothing, own, made->win));
  GOOD(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &was, 1, nothing, 0, at, 1, nothing, MPI_NO_OP, made->win));
  GOOD(MPI_Win_unlock(0, made->win));
  CHECK(was == 2);
  GOOD(MPI_Op_free(&own));
  GOOD(MPI_Type_free(&nothing));
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 200;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 65536, MPI_COMM_WORLD);
    mixed(&made, times);
    rows(&made);
    long_rows(&made, times / 10 < 40 ? times / 10 : 40);
    operations(&made);
    scattered(&made);
    contended(&made, times / 10);
    of_nothing(&made);
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    free_kind(&made);
  }
  return end();
}
