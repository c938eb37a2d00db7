// Regions, loops, sections, single, ordered, locks, with as many threads as the argument says.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                             \
  do {                                       \
    if (!(c)) {                              \
      printf("line %d: %s\n", __LINE__, #c); \
      exit(1);                               \
    }                                        \
  } while (0)

enum { kTimes = 50, kCount = 1000 };
static int mine;
#pragma omp threadprivate(mine)

static void regions(int threads) {
  int seen[64] = {0};
#pragma omp parallel
  {
    seen[omp_get_thread_num()]++;
    mine = omp_get_thread_num();
    CHECK(omp_get_num_threads() == threads);
  }
  for (int k = 0; k < threads; k++) CHECK(seen[k] == 1);
#pragma omp parallel num_threads(1)
  CHECK(omp_get_level() == 1 && omp_get_active_level() == 0 && omp_get_num_threads() == 1);
#pragma omp parallel
  CHECK(mine == omp_get_thread_num());
  omp_set_max_active_levels(3);
  int count = 0;
  for (int k = 0; k < 20; k++) {
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      count++;
      CHECK(omp_get_level() == 2 && omp_get_team_size(1) == 3 && omp_get_ancestor_thread_num(0) == 0);
    }
  }
  CHECK(count == 120);
  omp_set_max_active_levels(1);
}

static void loops(void) {
  long sum = 0;
  const long n = kCount;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
  for (long i = 0; i < n; i++) sum += i;
  CHECK(sum == n * (n - 1) / 2);
  sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(guided) nowait
    for (long i = n; i > 0; i -= 7) sum += i;
#pragma omp for schedule(static, 5)
    for (unsigned long long i = 0; i < 100; i += 3) sum += (long)i;
#pragma omp for schedule(runtime)
    for (unsigned long long i = 100; i > 0; i -= 2) sum += (long)i;
    for (int k = 0; k < 40; k++) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 5; i++) sum += 1;
    }
  }
  long expected = 200;
  for (long i = n; i > 0; i -= 7) expected += i;
  for (long i = 0; i < 100; i += 3) expected += i;
  for (long i = 100; i > 0; i -= 2) expected += i;
  CHECK(sum == expected);
  // At the ends of what the bounds can be.
  unsigned long long first = 0, most = ~0ULL - 103;
  int times = 0;
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : times)
  for (unsigned long long i = most; i < ~0ULL - 3; i += 3) times++;
  CHECK(times == 34);
  times = 0;
#pragma omp parallel for schedule(guided, 5) reduction(+ : times) lastprivate(first)
  for (long i = __LONG_MAX__ - 60; i < __LONG_MAX__ - 10; i += 10) {
    times++;
    first = (unsigned long long)i;
  }
  CHECK(times == 5 && first == (unsigned long long)__LONG_MAX__ - 20);
  times = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : times)
  for (int i = 5; i < 5; i++) times++;
  CHECK(times == 0);
}

static void shared_work(int round) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    int copied;
#pragma omp single
    sum += 1000;
#pragma omp single nowait
    sum += 1000;
#pragma omp single copyprivate(copied)
    copied = round;
    CHECK(copied == round);
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 2;
#pragma omp section
      sum += 3;
    }
#pragma omp masked
    sum += 100;
#pragma omp barrier
  }
  CHECK(sum == 2106);
#pragma omp parallel sections reduction(+ : sum)
  {
#pragma omp section
    sum += 1;
#pragma omp section
    sum += 2;
  }
  CHECK(sum == 2109);
}

static void ordered(void) {
  int last = -1, copy = -2;
#pragma omp parallel for ordered schedule(dynamic, 2) lastprivate(copy)
  for (int i = 0; i < 50; i++) {
#pragma omp ordered
    {
      CHECK(last == i - 1);
      last = i;
    }
    copy = i;
  }
  CHECK(copy == 49 && last == 49);
  last = -1;
#pragma omp parallel for ordered schedule(guided)
  for (int i = 0; i < 50; i++) {
    if (i % 3 == 0) {
#pragma omp ordered
      {
        CHECK(last < i);
        last = i;
      }
    }
  }
  last = -1;
#pragma omp parallel for ordered schedule(static)
  for (int i = 0; i < 50; i++) {
#pragma omp ordered
    {
      CHECK(last == i - 1);
      last = i;
    }
  }
  last = -1;
#pragma omp parallel for ordered schedule(static, 3)
  for (int i = 0; i < 50; i++) {
#pragma omp ordered
    {
      CHECK(last == i - 1);
      last = i;
    }
  }
}

#define DOACROSS(how)                                                                                                 \
  do {                                                                                                                \
    int a[20][20] = {{0}}, b[20][20] = {{0}};                                                                         \
    _Pragma(how) for (int i = 1; i < 20; i++) for (int j = 1; j < 20; j++) {                                          \
      _Pragma("omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)") a[i][j] = a[i - 1][j] + a[i][j - 1] + 1; \
      _Pragma("omp ordered depend(source)")                                                                           \
    }                                                                                                                 \
    for (int i = 1; i < 20; i++)                                                                                      \
      for (int j = 1; j < 20; j++) b[i][j] = b[i - 1][j] + b[i][j - 1] + 1;                                           \
    for (int i = 0; i < 20; i++)                                                                                      \
      for (int j = 0; j < 20; j++) CHECK(a[i][j] == b[i][j]);                                                         \
  } while (0)

static void doacross(void) {
  DOACROSS("omp parallel for ordered(2)");
  DOACROSS("omp parallel for ordered(2) schedule(static, 1)");
  DOACROSS("omp parallel for ordered(2) schedule(static, 4)");
  DOACROSS("omp parallel for ordered(2) schedule(dynamic, 2)");
  DOACROSS("omp parallel for ordered(2) schedule(guided)");
  DOACROSS("omp parallel for ordered(2) schedule(runtime)");
}

static void locks(int threads) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int a = 0, b = 0, c = 0, d = 0;
  long double e = 0;
#pragma omp parallel
  for (int i = 0; i < 300; i++) {
    omp_set_lock(&lock);
    a++;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 2);
    b++;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical
    c++;
#pragma omp critical(named)
    d++;
#pragma omp atomic
    e += 1;
  }
  const int all = 300 * threads;
  CHECK(a == all && b == all && c == all && d == all && e == all);
  CHECK(omp_test_lock(&lock) && !omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  for (int k = 0; k < kTimes; k++) {
    regions(threads);
    loops();
    shared_work(k);
    ordered();
    doacross();
  }
  locks(threads);
  printf("all is right\n");
  return 0;
}
