/* What OpenSHMEM costs between hosts with any number of PEs on each, against a plain TCP connection of PE 0 and the
 * first PE of the second half, in one run.
 *
 *   together [ROUNDS [TIMES [large]]]        with an even number of PEs, as many on each host; any library's oshcc
 *
 * With `large` it is sums of 256 KiB to 1 MiB. Hosts are two, or any even number.
 *
 * Each round measures everything once. Printed are the medians of all rounds, and of the ratios to the connection's
 * round trip within each round, with the smallest and the largest. While the connection is measured all other PEs
 * sleep. One way of data and its flag is half of what it takes to and fro. Before OpenSHMEM 1.5 there is no put with a
 * signal, and a sum is one of 16 with a barrier behind them. */
#include "raw.h"

#include <string.h>

#define HAS_SIGNALS (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5)

enum {
  kMostRounds = 100,
  kMostData = 1024,
  kRow = 64,
  kMostTimes = 10000,
  kSleepUs = 30000,
  kMostSum = (1 << 20) / sizeof(long)
};

static long flag, word, sum_of[kMostSum], sum[kMostSum];
static char data[kMostData], source[kMostData];
static long row[kRow], row_source[kRow];
#if HAS_SIGNALS
static uint64_t signal_word;
#else
enum { kAtATime = 16 }; /* calls that use a pSync array each */
static long psync[kAtATime][SHMEM_REDUCE_SYNC_SIZE];
static long work[kAtATime][kMostSum / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
#endif
static int me, n_pes, other; /* the PE that this one's is put to, in pairs */
static long flags;           /* that have gone to and fro */
static int times = 300;      /* of each operation in a round */

static void raw_round_trips(int fd) {
  long value = 8, got;
  for (int k = 0; k < times; ++k) {
    if (me == 0) all(fd, (char*)&value, sizeof value, 1);
    all(fd, (char*)&got, sizeof got, 0);
    if (me != 0) all(fd, (char*)&got, sizeof got, 1);
  }
}

static void barriers(void) {
  for (int k = 0; k < times; ++k) shmem_barrier_all();
}

static void sums_of(int elements) {
  for (int i = 0; i < elements; ++i) sum_of[i] = me + i;
  for (int k = 0; k < times; ++k) {
#if HAS_SIGNALS
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, sum_of, (size_t)elements);
#else
    shmem_long_sum_to_all(sum, sum_of, elements, 0, 0, n_pes, work[k % kAtATime], psync[k % kAtATime]);
    if (k % kAtATime == kAtATime - 1) shmem_barrier_all();
#endif
  }
}

static void sums(void) { sums_of(1); }
static void sums_256k(void) { sums_of(kMostSum / 4); }
static void sums_512k(void) { sums_of(kMostSum / 2); }
static void sums_1m(void) { sums_of(kMostSum); }

/* PE 0 alone. */
static void puts_quiet(void) {
  for (int k = 0; k < times; ++k) {
    shmem_long_p(&word, k, other);
    shmem_quiet();
  }
}
static void gets(void) {
  for (int k = 0; k < times; ++k) (void)shmem_long_g(&word, other);
}
static void fetch_adds(void) {
  for (int k = 0; k < times; ++k) (void)shmem_long_atomic_fetch_add(&word, 1, other);
}
static void rows(void) {
  for (int k = 0; k < times; ++k) {
    for (int i = 0; i < kRow; ++i) shmem_putmem_nbi(&row[i], &row_source[i], sizeof *row, other);
    shmem_quiet();
  }
}

/* PE 0 and the other one by turns. */
static void data_and_flags(size_t bytes) {
  for (int k = 0; k < 2 * times; ++k, ++flags) {
    if ((me == 0) == (k % 2 == 0)) {
      shmem_putmem(data, source, bytes, other);
      shmem_fence();
      shmem_long_p(&flag, flags + 1, other);
    } else {
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, flags + 1);
    }
  }
}
static void flags_8(void) { data_and_flags(8); }
static void flags_1024(void) { data_and_flags(1024); }
#if HAS_SIGNALS
static void data_with_signals(size_t bytes) {
  for (int k = 0; k < 2 * times; ++k, ++flags) {
    if ((me == 0) == (k % 2 == 0)) {
      shmem_putmem_signal(data, source, bytes, &signal_word, (uint64_t)flags + 1, SHMEM_SIGNAL_SET, other);
    } else {
      shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, (uint64_t)flags + 1);
    }
  }
}
static void signals_8(void) { data_with_signals(8); }
static void signals_1024(void) { data_with_signals(1024); }
#endif

/* Who takes part, and how many operations, or ways, are in one. */
struct what {
  const char* name;
  void (*run)(void);
  enum { kAll, kPair, kOne } who;
  int each;
};
static const struct what kSmall[] = {
    {"barrier", barriers, kAll, 1},
    {"sum of 8 bytes", sums, kAll, 1},
    {"put 8 + quiet", puts_quiet, kOne, 1},
    {"get 8", gets, kOne, 1},
    {"fetch-add", fetch_adds, kOne, 1},
    {"one of 64 nbi puts of 8 + quiet", rows, kOne, kRow},
    {"put 8; fence; p, one way", flags_8, kPair, 2},
    {"put 1024; fence; p, one way", flags_1024, kPair, 2},
#if HAS_SIGNALS
    {"put 8 with a signal, one way", signals_8, kPair, 2},
    {"put 1024 with a signal, one way", signals_1024, kPair, 2},
#endif
};
static const struct what kLarge[] = {
    {"sum of 256 KiB", sums_256k, kAll, 1}, {"sum of 512 KiB", sums_512k, kAll, 1}, {"sum of 1 MiB", sums_1m, kAll, 1}};
enum { kMostQuantities = sizeof kSmall / sizeof *kSmall };
static const struct what* whats = kSmall;
static int quantities = kMostQuantities;

static double raw_us(int fd) {
  double begin;
  shmem_barrier_all();
  if (fd < 0) {
    usleep(kSleepUs);
    shmem_barrier_all();
    return 0;
  }
  if (n_pes > 2) usleep(kSleepUs / 10); /* until those sleep */
  if (me == 0) {
    all(fd, (char*)&flags, sizeof flags, 1); /* both are ready */
    all(fd, (char*)&flags, sizeof flags, 0);
  } else {
    all(fd, (char*)&flags, sizeof flags, 0);
    all(fd, (char*)&flags, sizeof flags, 1);
  }
  begin = now_us();
  raw_round_trips(fd);
  begin = now_us() - begin;
  shmem_barrier_all();
  return begin / times;
}

static double us_of(int q) {
  double begin;
  shmem_barrier_all();
  begin = now_us();
  if (whats[q].who == kAll || me == 0 || (whats[q].who == kPair && me == n_pes / 2)) whats[q].run();
  begin = now_us() - begin;
  shmem_barrier_all();
  return begin / times / whats[q].each;
}

int main(int argc, char** argv) {
  static double raw[kMostRounds], figures[kMostRounds][kMostQuantities], values[kMostRounds], ratios[kMostRounds];
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  int fd;
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  if (argc > 2) times = atoi(argv[2]);
  if (argc > 3 && !strcmp(argv[3], "large")) {
    whats = kLarge;
    quantities = sizeof kLarge / sizeof *kLarge;
  }
  if (n_pes % 2 != 0 || rounds < 1 || rounds > kMostRounds || times < 1 || times > kMostTimes) {
    if (me == 0)
      fprintf(stderr, "together: wants an even number of PEs, 1 to %d rounds, and 1 to %d times\n", (int)kMostRounds,
              (int)kMostTimes);
    shmem_global_exit(2);
  }
  other = me == 0 ? n_pes / 2 : 0;
  spins = 1;
#if !HAS_SIGNALS
  for (int k = 0; k < kAtATime; ++k)
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) psync[k][i] = SHMEM_SYNC_VALUE;
#endif
  fd = connect_raw(me, n_pes / 2);
  for (int r = -1; r < rounds; ++r) { /* the first for connections and caches */
    const int at = r < 0 ? 0 : r;
    raw[at] = raw_us(fd);
    for (int q = 0; q < quantities; ++q) figures[at][q] = us_of(q);
  }
  if (me == 0) {
    memcpy(values, raw, sizeof values);
    qsort(values, (size_t)rounds, sizeof *values, by_size);
    printf("%-34s %8.2f us, %d PEs in all\n", "raw TCP, 8 bytes there and back", values[rounds / 2], n_pes);
    for (int q = 0; q < quantities; ++q) {
      for (int r = 0; r < rounds; ++r) {
        values[r] = figures[r][q];
        ratios[r] = figures[r][q] / raw[r];
      }
      qsort(values, (size_t)rounds, sizeof *values, by_size);
      qsort(ratios, (size_t)rounds, sizeof *ratios, by_size);
      printf("%-34s %8.2f us %8.3f of raw TCP (%.3f to %.3f)\n", whats[q].name, values[rounds / 2], ratios[rounds / 2],
             ratios[0], ratios[rounds - 1]);
    }
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
