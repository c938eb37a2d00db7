// Jacobi, an estimate of pi, reductions, critical sections, dynamic loops and single constructs, as a program of
// several processes has them: compared with what one thread gets.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSize = 130, kRounds = 30 };

static double grid[kSize][kSize], next_grid[kSize][kSize];
static long in_order[1000];
static int per_thread;
#pragma omp threadprivate(per_thread)

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static double laplace(int threads) {
  double error = 0;
  memset(grid, 0, sizeof grid);
  for (int k = 0; k < kSize; k++) grid[0][k] = k;
  memcpy(next_grid, grid, sizeof grid);
  for (int round = 0; round < kRounds; round++) {
    error = 0;
#pragma omp parallel for reduction(max : error) num_threads(threads)
    for (int i = 1; i < kSize - 1; i++) {
      for (int j = 1; j < kSize - 1; j++) {
        next_grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
        error = fmax(error, fabs(next_grid[i][j] - grid[i][j]));
      }
    }
#pragma omp parallel for num_threads(threads)
    for (int i = 1; i < kSize - 1; i++) memcpy(grid[i], next_grid[i], sizeof grid[i]);
  }
  double sum = error;
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) sum += grid[i][j] * (i + 1);
  }
  return sum;
}

static void counts(int threads) {
  long critical = 0, atomic = 0, reduced = 0, dynamic = 0, single = 0, seen = 0;
  double real = 0;
  long* list = malloc(sizeof *list * 1000);
  memset(in_order, 0, sizeof in_order);
#pragma omp parallel num_threads(threads) reduction(+ : reduced)
  {
#pragma omp atomic
    seen++;
    for (int k = 0; k < 100; k++) {
#pragma omp critical
      critical++;
#pragma omp critical(named)
      real += 1;
#pragma omp atomic
      atomic += 2;
    }
    reduced += omp_get_thread_num() + 1;
#pragma omp for schedule(dynamic, 3)
    for (int k = 0; k < 1000; k++) {
      list[k] = k;
      in_order[k]++;
#pragma omp atomic
      dynamic += k;
    }
#pragma omp for schedule(guided) ordered
    for (int k = 0; k < 100; k++) {
#pragma omp ordered
      in_order[0] += k;
    }
    long copied = 0;
#pragma omp single copyprivate(copied)
    {
      single++;
      copied = 17;
    }
    CHECK(copied == 17);
#pragma omp barrier
#pragma omp sections
    {
#pragma omp section
      in_order[1] += 5;
#pragma omp section
      in_order[2] += 6;
    }
  }
  CHECK(seen == threads);
  CHECK(critical == 100L * threads && real == 100.0 * threads && atomic == 200L * threads);
  CHECK(reduced == (long)threads * (threads + 1) / 2);
  CHECK(dynamic == 499500 && single == 1);
  CHECK(in_order[0] == 1 + 4950 && in_order[1] == 6 && in_order[2] == 7);
  for (int k = 0; k < 1000; k++) CHECK(list[k] == k && (k < 3 || in_order[k] == 1));
  free(list);
}

static long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(int threads) {
  long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  result = fib(12);
  CHECK(result == 144);
}

static void privates(int threads) {
  per_thread = 40;
  long sum = 0;
#pragma omp parallel num_threads(threads) copyin(per_thread) reduction(+ : sum)
  {
    per_thread += omp_get_thread_num();
    sum += per_thread;
  }
  CHECK(sum == 40L * threads + (long)threads * (threads - 1) / 2);
}

static void locks(int threads) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long count = 0, nested = 0;
#pragma omp parallel num_threads(threads)
  for (int k = 0; k < 50; k++) {
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    nested++;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  CHECK(count == 50L * threads && nested == count);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

// Memory that one thread takes and another one gives back.
static void memory(int threads) {
  char** blocks = calloc((size_t)threads * 50, sizeof *blocks);
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    for (int k = 0; k < 50; k++) {
      blocks[me * 50 + k] = malloc(16 + (size_t)k * 100);
      memset(blocks[me * 50 + k], me, 16 + (size_t)k * 100);
    }
#pragma omp barrier
    const int other = (me + 1) % threads;
    for (int k = 0; k < 50; k++) {
      CHECK(blocks[other * 50 + k][15 + k * 100] == (char)other);
      free(blocks[other * 50 + k]);
    }
  }
  free(blocks);
}

int main(void) {
  const int threads = omp_get_max_threads();
  const double alone = laplace(1);
  for (int times = 0; times < 3; times++) {
    CHECK(laplace(threads) == alone);
    counts(threads);
    tasks(threads);
    privates(threads);
    locks(threads);
    memory(threads);
  }
  printf("all is right with %d\n", threads);
  return 0;
}
