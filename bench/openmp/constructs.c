// What each OpenMP construct costs, as one line of nanoseconds each: the best of some rounds.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 15 };
static int times = 2000;

static void work(int length) {
  volatile float a = 0;
  for (int i = 0; i < length; i++) a += (float)i;
}

static double best;
#define MEASURE(name, count, ...)                              \
  do {                                                         \
    best = 1e30;                                               \
    for (int round = 0; round < kRounds; round++) {            \
      const double begin = omp_get_wtime();                    \
      __VA_ARGS__                                              \
      const double each = (omp_get_wtime() - begin) / (count); \
      if (each < best) best = each;                            \
    }                                                          \
    printf("%s %.1f\n", name, best * 1e9);                     \
  } while (0)
#define REPEAT for (int k = 0; k < times; k++)

int main(void) {
  const int threads = omp_get_max_threads();
  long sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  MEASURE(
      "parallel", times, REPEAT { _Pragma("omp parallel") work(10); });
  MEASURE(
      "parallel_for", times, REPEAT { _Pragma("omp parallel for") for (int i = 0; i < threads; i++) work(10); });
  MEASURE(
      "reduction", times, REPEAT { _Pragma("omp parallel reduction(+ : sum)") sum += 1; });
  MEASURE(
      "for", times, _Pragma("omp parallel") REPEAT { _Pragma("omp for") for (int i = 0; i < threads; i++) work(10); });
  MEASURE(
      "barrier", times, _Pragma("omp parallel") REPEAT {
        work(10);
        _Pragma("omp barrier")
      });
  MEASURE(
      "single", times, _Pragma("omp parallel") REPEAT { _Pragma("omp single") work(10); });
  MEASURE("sections", times, _Pragma("omp parallel") REPEAT {
    _Pragma("omp sections") {
      _Pragma("omp section") work(10);
      _Pragma("omp section") work(10);
}
});
MEASURE(
    "copyprivate", times, _Pragma("omp parallel") REPEAT {
      int c;
      _Pragma("omp single copyprivate(c)") c = k;
      work(c & 1);
    });
MEASURE(
    "critical", times,
    _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) { _Pragma("omp critical") work(10); });
MEASURE(
    "lock", times, _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) {
      omp_set_lock(&lock);
      work(10);
      omp_unset_lock(&lock);
    });
MEASURE(
    "ordered", times,
    _Pragma("omp parallel for ordered schedule(static, 1)") REPEAT { _Pragma("omp ordered") work(10); });
MEASURE("dynamic_1", times * 10,
        _Pragma("omp parallel for schedule(dynamic, 1)") for (int k = 0; k < times * 10; k++) work(10););
MEASURE("dynamic_16", times * 10,
        _Pragma("omp parallel for schedule(dynamic, 16)") for (int k = 0; k < times * 10; k++) work(10););
MEASURE("guided_1", times * 10,
        _Pragma("omp parallel for schedule(guided, 1)") for (int k = 0; k < times * 10; k++) work(10););
MEASURE("runtime", times * 10,
        _Pragma("omp parallel for schedule(runtime)") for (int k = 0; k < times * 10; k++) work(10););
MEASURE("static_1", times * 10,
        _Pragma("omp parallel for schedule(static, 1)") for (int k = 0; k < times * 10; k++) work(10););
MEASURE(
    "task_all", times,
    _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) { _Pragma("omp task") work(10); });
MEASURE(
    "task_one", times, _Pragma("omp parallel") _Pragma("omp single") REPEAT { _Pragma("omp task") work(10); });
MEASURE(
    "taskwait", times, _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) {
      _Pragma("omp task") work(10);
      _Pragma("omp taskwait")
    });
MEASURE("taskloop", times,
        _Pragma("omp parallel") _Pragma("omp single") _Pragma("omp taskloop grainsize(1)") REPEAT work(10););
MEASURE(
    "depend", times,
    _Pragma("omp parallel") _Pragma("omp single") REPEAT { _Pragma("omp task depend(inout : sum)") work(10); });
MEASURE(
    "if0_task", times,
    _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) { _Pragma("omp task if (0)") work(10); });
MEASURE("atomic_ld", times, {
  static long double total;
  _Pragma("omp parallel") for (int k = 0; k < times / threads; k++) { _Pragma("omp atomic") total += 1; }
});
return sum < 0;
}
