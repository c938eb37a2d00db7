/* Changes of single elements, one called behind the other: at all ranks and in two windows by turns, of many kinds of
 * elements, and in windows that ask for less order. Between hosts many of them go in one message. */
#include <stddef.h>
#include <stdint.h>

#include "kinds.h"

static int rank, size;

static unsigned next(unsigned* state) {
  *state = *state * 1103515245u + 12345u;
  return *state >> 12;
}

/* What goes in stays as it is until it has been flushed. */
enum { ROOM = 1 << 16 };
static char room[ROOM];
static size_t used;

static void* keep(MPI_Win* windows, const void* value, size_t bytes) {
  const size_t takes = (bytes + 15) / 16 * 16;
  if (used + takes > ROOM) {
    GOOD(MPI_Win_flush_local_all(windows[0]));
    GOOD(MPI_Win_flush_local_all(windows[1]));
    used = 0;
  }
  used += takes;
  return memcpy(room + used - takes, value, bytes);
}

/* ---- Of many kinds */

enum { N = 16 };
struct gap {
  long double value;
  int index;
};
struct pair {
  long value;
  int index;
};
/* Of one origin, at each target. */
struct block {
  int64_t whole[N];
  double real[N];
  signed char small[N];
  short half[N];
  struct pair pair[N];
  struct gap gap[N];
  long double wide[N];
};
#define AT(field) (at + (MPI_Aint)offsetof(struct block, field) + e * (MPI_Aint)sizeof expected->field[0])

static void many(MPI_Win* windows, MPI_Win win, int target, unsigned* state, struct block* expected) {
  const MPI_Aint at = rank * (MPI_Aint)sizeof(struct block);
  for (int left = 1 + (int)(next(state) % 300); left > 0; --left) {
    const int e = (int)(next(state) % N), what = (int)(next(state) % 4);
    const int64_t value = (int64_t)next(state);
    const signed char small = (signed char)value;
    if (what == 3) {
      GOOD(MPI_Accumulate(keep(windows, &small, 1), 1, MPI_SIGNED_CHAR, target, AT(small), 1, MPI_SIGNED_CHAR,
                          MPI_REPLACE, win));
      expected->small[e] = small;
      continue;
    }
    GOOD(MPI_Accumulate(keep(windows, &value, sizeof value), 1, MPI_INT64_T, target, AT(whole), 1, MPI_INT64_T,
                        what == 0   ? MPI_SUM
                        : what == 1 ? MPI_BXOR
                                    : MPI_REPLACE,
                        win));
    expected->whole[e] = what == 0 ? expected->whole[e] + value : what == 1 ? expected->whole[e] ^ value : value;
  }
}

/* One that waits, or changes something. */
static void one(MPI_Win* windows, MPI_Win win, int target, int k, unsigned* state, struct block* expected) {
  const MPI_Aint at = rank * (MPI_Aint)sizeof(struct block);
  const int e = (int)(next(state) % N);
  const int64_t whole = k;
  const double real = k;
  const short half = (short)k;
  const long double wide = k;
  int64_t before = -1;
  struct pair pair;
  struct gap gap;
  memset(&pair, 0, sizeof pair);
  memset(&gap, 0, sizeof gap);
  pair.value = k * 7919L % 1000;
  gap.value = k * 31 % 977;
  pair.index = gap.index = k;
  switch (next(state) % 14) {
    case 0:
      GOOD(MPI_Fetch_and_op(&whole, &before, MPI_INT64_T, target, AT(whole), MPI_SUM, win));
      GOOD(MPI_Win_flush_local(target, win));
      CHECK(before == expected->whole[e]);
      expected->whole[e] += whole;
      break;
    case 1:
      GOOD(MPI_Compare_and_swap(&whole, &expected->whole[e], &before, MPI_INT64_T, target, AT(whole), win));
      GOOD(MPI_Win_flush(target, win));
      CHECK(before == expected->whole[e]);
      expected->whole[e] = whole;
      break;
    case 2:
      GOOD(MPI_Win_flush(target, win));
      GOOD(MPI_Get(&before, 1, MPI_INT64_T, target, AT(whole), 1, MPI_INT64_T, win));
      GOOD(MPI_Win_flush(target, win));
      CHECK(before == expected->whole[e]);
      break;
    case 3:
      GOOD(MPI_Win_flush(target, win));
      GOOD(MPI_Put(&whole, 1, MPI_INT64_T, target, AT(whole), 1, MPI_INT64_T, win));
      GOOD(MPI_Win_flush(target, win));
      expected->whole[e] = whole;
      break;
    case 4: {
      double row[N];
      for (int i = 0; i < N; ++i) expected->real[i] += row[i] = i;
      GOOD(MPI_Accumulate(keep(windows, row, sizeof row), N, MPI_DOUBLE, target,
                          at + (MPI_Aint)offsetof(struct block, real), N, MPI_DOUBLE, MPI_SUM, win));
      break;
    }
    case 5:
      GOOD(MPI_Accumulate(keep(windows, &real, sizeof real), 1, MPI_DOUBLE, target, AT(real), 1, MPI_DOUBLE,
                          k % 2 != 0 ? MPI_REPLACE : MPI_SUM, win));
      expected->real[e] = k % 2 != 0 ? real : expected->real[e] + real;
      break;
    case 6:
      GOOD(MPI_Accumulate(keep(windows, &half, sizeof half), 1, MPI_SHORT, target, AT(half), 1, MPI_SHORT, MPI_BXOR,
                          win));
      expected->half[e] = (short)(expected->half[e] ^ half);
      break;
    case 7:
    case 8:
      GOOD(MPI_Accumulate(keep(windows, &pair, sizeof pair), 1, MPI_LONG_INT, target, AT(pair), 1, MPI_LONG_INT,
                          MPI_MAXLOC, win));
      if (pair.value > expected->pair[e].value) {
        expected->pair[e] = pair;
      } else if (pair.value == expected->pair[e].value && pair.index < expected->pair[e].index) {
        expected->pair[e].index = pair.index;
      }
      break;
    case 9:
    case 10:
      GOOD(MPI_Accumulate(keep(windows, &gap, sizeof gap), 1, MPI_LONG_DOUBLE_INT, target, AT(gap), 1,
                          MPI_LONG_DOUBLE_INT, MPI_REPLACE, win));
      expected->gap[e] = gap;
      break;
    case 11:
      GOOD(MPI_Accumulate(keep(windows, &wide, sizeof wide), 1, MPI_LONG_DOUBLE, target, AT(wide), 1, MPI_LONG_DOUBLE,
                          MPI_SUM, win));
      expected->wide[e] += wide;
      break;
    case 12: GOOD(MPI_Win_flush_local(target, win)); break;
    default: GOOD(MPI_Win_unlock_all(win)); GOOD(MPI_Win_lock_all(0, win));
  }
}

static void of_many_kinds(int times) {
  const size_t bytes = (size_t)size * sizeof(struct block);
  MPI_Win windows[2];
  char* base[2];
  struct block* const expected = calloc((size_t)(2 * size), sizeof *expected);
  unsigned state = 17u + 7919u * (unsigned)rank;
  CHECK(expected != NULL);
  for (int w = 0; w < 2; ++w) {
    GOOD(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base[w], &windows[w]));
    memset(base[w], 0, bytes);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int w = 0; w < 2; ++w) GOOD(MPI_Win_lock_all(0, windows[w]));
  for (int k = 1; k <= times; ++k) {
    const int w = (int)(next(&state) % 2), target = (int)(next(&state) % (unsigned)size);
    struct block* const of = &expected[w * size + target];
    if (k % 3 == 0) {
      many(windows, windows[w], target, &state, of);
    } else {
      one(windows, windows[w], target, k, &state, of);
    }
  }
  /* The windows end behind what nobody has flushed. */
  for (int w = 0; w < 2; ++w) GOOD(MPI_Win_unlock_all(windows[w]));
  used = 0;
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int w = 0; w < 2; ++w) {
    GOOD(MPI_Win_lock_all(0, windows[w]));
    for (int target = 0; target < size; ++target) {
      const struct block* const of = &expected[w * size + target];
      struct block got;
      GOOD(MPI_Get(&got, sizeof got, MPI_BYTE, target, rank * (MPI_Aint)sizeof got, sizeof got, MPI_BYTE, windows[w]));
      GOOD(MPI_Win_flush(target, windows[w]));
      for (int e = 0; e < N; ++e) {
        CHECK(got.whole[e] == of->whole[e] && got.real[e] == of->real[e] && got.small[e] == of->small[e]);
        CHECK(got.half[e] == of->half[e] && got.wide[e] == of->wide[e]);
        CHECK(got.pair[e].value == of->pair[e].value && got.pair[e].index == of->pair[e].index);
        CHECK(got.gap[e].value == of->gap[e].value && got.gap[e].index == of->gap[e].index);
      }
    }
    GOOD(MPI_Win_unlock_all(windows[w]));
    GOOD(MPI_Win_free(&windows[w]));
  }
  free(expected);
}

/* ---- In windows that ask for less order: raw: what reads finds what was changed before; waw: the last one stays. What
 * a window does not ask for is not looked at: then all that goes in is added. */

static void ordered(const char* order, int times) {
  enum { M = 64 };
  const int reads = strstr(order, "raw") != NULL, replaces = strstr(order, "waw") != NULL;
  const int target = (rank + 1) % size;
  unsigned state = 1u + (unsigned)rank;
  int64_t expected[M] = {0}, got[M], before = -1;
  int64_t* const values = malloc((size_t)times * sizeof *values);
  int64_t row[M] = {0};
  char* base;
  MPI_Info info;
  MPI_Win win;
  CHECK(values != NULL);
  for (int e = 0; e < M; ++e) row[e] = e;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "accumulate_ordering", order));
  GOOD(MPI_Win_allocate(sizeof got, sizeof got[0], info, MPI_COMM_WORLD, &base, &win));
  GOOD(MPI_Info_free(&info));
  memset(base, 0, sizeof got);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  GOOD(MPI_Win_lock_all(0, win));
  for (int k = 0; k < times; ++k) {
    const int e = (int)(next(&state) % M), what = (int)(next(&state) % 16);
    int64_t* const value = &values[k];
    *value = k;
    if (what == 0 && reads) {
      GOOD(MPI_Fetch_and_op(value, &before, MPI_INT64_T, target, e, MPI_NO_OP, win));
      GOOD(MPI_Win_flush_local(target, win));
      CHECK(before == expected[e]);
    } else if (what == 1 && reads) {
      GOOD(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, got, M, MPI_INT64_T, target, 0, M, MPI_INT64_T, MPI_NO_OP, win));
      GOOD(MPI_Win_flush_local(target, win));
      for (int i = 0; i < M; ++i) CHECK(got[i] == expected[i]);
    } else if (what == 2) {
      const int n = k % 2 != 0 ? 8 : M, first = e > M - n ? M - n : e;
      GOOD(MPI_Accumulate(row, n, MPI_INT64_T, target, first, n, MPI_INT64_T, MPI_SUM, win));
      for (int i = 0; i < n; ++i) expected[first + i] += row[i];
    } else if (what < 9 && replaces) {
      GOOD(MPI_Accumulate(value, 1, MPI_INT64_T, target, e, 1, MPI_INT64_T, MPI_REPLACE, win));
      expected[e] = *value;
    } else {
      GOOD(MPI_Accumulate(value, 1, MPI_INT64_T, target, e, 1, MPI_INT64_T, MPI_SUM, win));
      expected[e] += *value;
    }
  }
  GOOD(MPI_Win_flush(target, win));
  GOOD(MPI_Get(got, M, MPI_INT64_T, target, 0, M, MPI_INT64_T, win));
  GOOD(MPI_Win_unlock_all(win));
  for (int e = 0; e < M; ++e) CHECK(got[e] == expected[e]);
  GOOD(MPI_Win_free(&win));
  free(values);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 600;
  GOOD(MPI_Init(&argc, &argv));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int round = 0; round < 2; ++round) of_many_kinds(times);
  static const char* const orders[] = {"none", "raw", "waw", "raw,waw", "rar,raw,war,waw"};
  for (size_t k = 0; k < sizeof orders / sizeof orders[0]; ++k) ordered(orders[k], 5 * times);
  return end();
}
