/* What OpenSHMEM costs between two hosts, against a plain TCP connection between the same two processes, in one run.
 *
 *   remote [ROUNDS] [polls|sleeps|computes]        with 2 PEs on two hosts, any library's oshcc
 *
 * Each round measures everything once, one after the other, so that what moves the machine moves both; printed are the
 * medians of all rounds, and of the ratios within each round with their smallest and largest. The second word is what
 * PE 1, the target, does meanwhile: waits in shmem_long_wait_until (default), sleeps 1 ms at a time, or computes. When
 * it waits, it answers on the raw connection itself while that is measured, and both ends spin; else a thread of its
 * own does, and both block. */
#include "raw.h"

#include <pthread.h>
#include <string.h>

enum { kMostRounds = 100, kShort = 1000, kLarge = 1 << 20, kLargeOnes = 32, kTurn = 1 };

static long word, turn, finished;
static char* large;
static char* private_large;

/* Answers requests, each a number of bytes: 8 are sent back, kLarge ones are taken and acknowledged. Until one of
 * kTurn, which is for who comes next, or 0, which is the last. */
static long answer(int fd, char* data) {
  long bytes;
  for (;;) {
    all(fd, (char*)&bytes, sizeof bytes, 0);
    if (bytes == kTurn || bytes == 0) return bytes;
    for (int k = 0; bytes == kLarge && k < kLargeOnes; ++k) all(fd, data, kLarge, 0);
    all(fd, (char*)&bytes, sizeof bytes, 1);
  }
}

static void* answer_all(void* fd_at) {
  char* data = malloc(kLarge);
  while (answer(*(int*)fd_at, data) != 0) continue;
  return data;
}

/* What is measured. Times are of one operation in microseconds, large ones MB/s. */
enum {
  kTcp,
  kPut,
  kGet,
  kFetchAdd,
  kAddQuiet,
  kSmallTimes,
  kTcpLarge = kSmallTimes,
  kPutLarge,
  kGetLarge,
  kQuantities
};
static const char* const kNames[kQuantities] = {
    "raw TCP, 8 bytes there and back", "put 8 + quiet", "get 8", "fetch-add", "add + quiet", "raw TCP stream, 1 MiB",
    "put 1 MiB, quiet after 32",       "get 1 MiB"};

static void measure_raw(int fd, double* figure) {
  long value = 8, got;
  double begin = now_us();
  for (int k = 0; k < kShort; ++k) {
    all(fd, (char*)&value, sizeof value, 1);
    all(fd, (char*)&got, sizeof got, 0);
  }
  figure[kTcp] = (now_us() - begin) / kShort;
  value = kLarge;
  begin = now_us();
  all(fd, (char*)&value, sizeof value, 1);
  for (int k = 0; k < kLargeOnes; ++k) all(fd, private_large, kLarge, 1);
  all(fd, (char*)&got, sizeof got, 0);
  figure[kTcpLarge] = (double)kLarge * kLargeOnes / (now_us() - begin);
}

static void measure(double* figure) {
  long value = 8, got;
  double begin = now_us();
  for (int k = 0; k < kShort; ++k) {
    shmem_long_put(&word, &value, 1, 1);
    shmem_quiet();
  }
  figure[kPut] = (now_us() - begin) / kShort;
  begin = now_us();
  for (int k = 0; k < kShort; ++k) got = shmem_long_g(&word, 1);
  figure[kGet] = (now_us() - begin) / kShort;
  begin = now_us();
  for (int k = 0; k < kShort; ++k) got += shmem_long_atomic_fetch_add(&word, 1, 1);
  figure[kFetchAdd] = (now_us() - begin) / kShort;
  begin = now_us();
  for (int k = 0; k < kShort; ++k) {
    shmem_long_atomic_add(&word, 1, 1);
    shmem_quiet();
  }
  figure[kAddQuiet] = (now_us() - begin) / kShort;
  begin = now_us();
  for (int k = 0; k < kLargeOnes; ++k) shmem_putmem(large, private_large, kLarge, 1);
  shmem_quiet();
  figure[kPutLarge] = (double)kLarge * kLargeOnes / (now_us() - begin);
  begin = now_us();
  for (int k = 0; k < kLargeOnes; ++k) shmem_getmem(private_large, large, kLarge, 1);
  figure[kGetLarge] = (double)kLarge * kLargeOnes / (now_us() - begin);
}

static void print(double (*figures)[kQuantities], int rounds) {
  for (int q = 0; q < kQuantities; ++q) {
    const int raw = q < kSmallTimes ? kTcp : kTcpLarge;
    double values[kMostRounds], ratios[kMostRounds];
    for (int r = 0; r < rounds; ++r) {
      values[r] = figures[r][q];
      ratios[r] = figures[r][q] / figures[r][raw];
    }
    qsort(values, (size_t)rounds, sizeof *values, by_size);
    qsort(ratios, (size_t)rounds, sizeof *ratios, by_size);
    printf("%-34s %10.2f %-5s %6.2f of raw TCP (%.2f to %.2f)\n", kNames[q], values[rounds / 2],
           q < kSmallTimes ? "us" : "MB/s", ratios[rounds / 2], ratios[0], ratios[rounds - 1]);
  }
}

static void be_target(const char* how, int fd) {
  pthread_t thread;
  void* data = NULL;
  if (!strcmp(how, "polls")) {
    for (long round = 1; answer(fd, large) != 0; ++round) shmem_long_wait_until(&turn, SHMEM_CMP_EQ, round);
    return;
  }
  if (pthread_create(&thread, NULL, answer_all, &fd) != 0) give_up("a thread");
  if (!strcmp(how, "sleeps")) {
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) == 0) usleep(1000);
  } else {
    volatile double sum = 0;
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) == 0) sum = sum + 1.0;
  }
  pthread_join(thread, &data);
  free(data);
}

int main(int argc, char** argv) {
  static double figures[kMostRounds][kQuantities];
  const int rounds = argc > 1 ? atoi(argv[1]) : 9;
  int fd, me;
  shmem_init();
  me = shmem_my_pe();
  if (shmem_n_pes() != 2 || rounds < 1 || rounds > kMostRounds) {
    if (me == 0) fprintf(stderr, "remote: wants 2 PEs and 1 to %d rounds\n", (int)kMostRounds);
    shmem_global_exit(2);
  }
  large = shmem_malloc(kLarge);
  private_large = malloc(kLarge);
  memset(large, 1, kLarge);
  memset(private_large, 2, kLarge);
  fd = connect_raw(me, 1);
  shmem_barrier_all();
  spins = argc < 3 || !strcmp(argv[2], "polls");
  if (me == 1) {
    be_target(argc > 2 ? argv[2] : "polls", fd);
  } else {
    const long next = kTurn, end = 0;
    double ignored[kQuantities];
    for (int r = -1; r < rounds; ++r) { /* the first for connections and caches */
      double* figure = r < 0 ? ignored : figures[r];
      measure_raw(fd, figure);
      all(fd, (char*)&next, sizeof next, 1);
      measure(figure);
      shmem_long_p(&turn, r + 2, 1);
      shmem_quiet();
    }
    print(figures, rounds);
    all(fd, (char*)&end, sizeof end, 1);
    shmem_long_p(&finished, 1, 1);
    shmem_quiet();
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
