/* Hints of windows: which are kept, what they are where nobody has said, and that what goes by them is right. */
#include "kinds.h"

static int rank, size;

static int is_hint(MPI_Win win, const char* key, const char* expected) {
  char value[MPI_MAX_INFO_VAL];
  int flag = 0, room = sizeof value;
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Win_get_info(win, &info));
  GOOD(MPI_Info_get_string(info, key, &room, value, &flag));
  GOOD(MPI_Info_free(&info));
  const int is = expected == NULL ? !flag : flag && strcmp(value, expected) == 0;
  if (!is) fprintf(stderr, "%s is %s\n", key, flag ? value : "none");
  return is;
}

static MPI_Info info_of(const char* const* pairs) {
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Info_create(&info));
  for (; pairs[0] != NULL; pairs += 2) GOOD(MPI_Info_set(info, pairs[0], pairs[1]));
  return info;
}

static void initial(void) {
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 64, MPI_COMM_WORLD);
    const int is_allocated = kind == ALLOCATED || kind == SHARED || kind == SHARED_APART;
    CHECK(is_hint(made.win, "no_locks", "false"));
    CHECK(is_hint(made.win, "accumulate_ordering", "rar,raw,war,waw"));
    CHECK(is_hint(made.win, "accumulate_ops", "same_op_no_op"));
    CHECK(is_hint(made.win, "same_size", "false"));
    CHECK(is_hint(made.win, "same_disp_unit", "false"));
    CHECK(is_hint(made.win, "mpi_accumulate_granularity", "0"));
    CHECK(is_hint(made.win, "alloc_shared_noncontig", kind == SHARED ? "false" : kind == SHARED_APART ? "true" : NULL));
    /* Of a window whose parts are one piece, the first rank has it. */
    if (!(kind == SHARED && rank > 0)) {
      CHECK(is_hint(made.win, "mpi_minimum_memory_alignment", is_allocated ? "64" : NULL));
    }
    free_kind(&made);
  }
}

static void given(void) {
  static const char* const pairs[] = {"no_locks",
                                      "true",
                                      "accumulate_ordering",
                                      "none",
                                      "accumulate_ops",
                                      "same_op",
                                      "same_size",
                                      "true",
                                      "same_disp_unit",
                                      "true",
                                      "mpi_accumulate_granularity",
                                      "16",
                                      "mpi_minimum_memory_alignment",
                                      "65536",
                                      NULL};
  static const char* const wrong[] = {"no_locks",
                                      "maybe",
                                      "accumulate_ordering",
                                      "rar,rat",
                                      "accumulate_ops",
                                      "all",
                                      "mpi_accumulate_granularity",
                                      "-1",
                                      "mpi_minimum_memory_alignment",
                                      "100",
                                      NULL};
  static const char* const later[] = {"no_locks",  "false", "accumulate_ordering",          "waw",
                                      "same_size", "false", "mpi_minimum_memory_alignment", "128",
                                      NULL};
  static const char* const claims[] = {"same_size", "true", "same_disp_unit", "true", NULL};
  char* base = NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Info info = info_of(pairs);
  GOOD(MPI_Win_allocate(100, 4, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  GOOD(MPI_Info_free(&info));
  CHECK((MPI_Aint)base % 65536 == 0);
  for (const char* const* each = pairs; each[0] != NULL; each += 2) CHECK(is_hint(win, each[0], each[1]));
  FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
  info = info_of(later);
  GOOD(MPI_Win_set_info(win, info));
  GOOD(MPI_Info_free(&info));
  CHECK(is_hint(win, "no_locks", "true") && is_hint(win, "mpi_minimum_memory_alignment", "65536"));
  CHECK(is_hint(win, "accumulate_ordering", "waw"));
  GOOD(MPI_Win_free(&win));

  info = info_of(wrong);
  GOOD(MPI_Win_allocate(100, 4, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  CHECK(is_hint(win, "no_locks", "false") && is_hint(win, "accumulate_ordering", "rar,raw,war,waw"));
  CHECK(is_hint(win, "accumulate_ops", "same_op_no_op") && is_hint(win, "mpi_accumulate_granularity", "0"));
  CHECK(is_hint(win, "mpi_minimum_memory_alignment", "64"));
  GOOD(MPI_Win_free(&win));

  info = info_of(claims);
  GOOD(MPI_Win_allocate(100 + rank, rank + 1, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  CHECK(is_hint(win, "same_size", size == 1 ? "true" : "false"));
  CHECK(is_hint(win, "same_disp_unit", size == 1 ? "true" : "false"));
  GOOD(MPI_Win_free(&win));
}

/* A long row, and behind it changes of its last element: with the order of one rank's accumulates the last one's result
 * is known, and without it all of them are there in the end. */
static void order(const char* ordering, const char* granularity) {
  enum { N = 20000, TIMES = 5 };
  static long out[N], sums[N];
  static long double wide[1000];
  const char* const pairs[] = {"accumulate_ordering", ordering, "mpi_accumulate_granularity", granularity, NULL};
  const int keeps = strcmp(ordering, "none") != 0, next = (rank + 1) % size;
  long* base = NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Info info = info_of(pairs);
  GOOD(MPI_Win_allocate(N * sizeof(long) + sizeof wide, 1, info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  memset(base, 0, N * sizeof *base + sizeof wide);
  for (int k = 0; k < N; ++k) out[k] = k + 1;
  for (int k = 0; k < 1000; ++k) wide[k] = k;
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
  for (long k = 0; k < TIMES; ++k) {
    const long expected = (k + 1) * N + k, more = expected + 1, one = 1;
    const MPI_Aint last = (N - 1) * (MPI_Aint)sizeof(long);
    long before = -1;
    GOOD(MPI_Accumulate(out, N, MPI_LONG, next, 0, N, MPI_LONG, MPI_SUM, win));
    if (!keeps) {
      GOOD(MPI_Accumulate(&one, 1, MPI_LONG, next, last, 1, MPI_LONG, MPI_SUM, win));
    } else if (k % 2 == 0) {
      GOOD(MPI_Compare_and_swap(&more, &expected, &before, MPI_LONG, next, last, win));
      CHECK(before == expected);
    } else {
      GOOD(MPI_Fetch_and_op(&one, &before, MPI_LONG, next, last, MPI_SUM, win));
      CHECK(before == expected);
    }
    GOOD(MPI_Accumulate(wide, 1000, MPI_LONG_DOUBLE, next, N * (MPI_Aint)sizeof(long), 1000, MPI_LONG_DOUBLE, MPI_SUM,
                        win));
  }
  GOOD(MPI_Win_unlock(next, win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < N; ++k) sums[k] = TIMES * out[k] + (k + 1 == N ? TIMES : 0);
  CHECK(memcmp(base, sums, sizeof sums) == 0);
  memcpy(wide, base + N, sizeof wide);
  for (int k = 0; k < 1000; ++k) CHECK(wide[k] == TIMES * (long double)k);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_free(&win));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  initial();
  given();
  order("rar,raw,war,waw", "0");
  order("raw,waw", "17");
  order("none", "1");
  order("none", "1000000");
  return end();
}
