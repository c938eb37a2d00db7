/* Hangs as its argument says; hang_test.py looks for the lines that are marked. The thread that others wait for is the
   last one. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t first, second;
static omp_nest_lock_t nested;
static int met;
static volatile int forever = 1;

static __attribute__((noinline)) void compute(void) {
  while (forever) continue;
}

static int is_last(void) { return omp_get_thread_num() == omp_get_num_threads() - 1; }

/* Without a barrier, that of the library being what hangs. */
static void meet(void) {
#pragma omp atomic
  met++;
  for (int all = 0; all < omp_get_num_threads(); usleep(1000)) {
#pragma omp atomic read
    all = met;
  }
}

static void barrier(void) {
#pragma omp parallel
  {
    if (is_last()) compute();
#pragma omp barrier /* barrier */
  }
}

static void region(void) {
#pragma omp parallel /* region */
  if (is_last()) compute();
}

static void loop(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1) /* loop */
    for (int k = 0; k < omp_get_num_threads(); k++) {
      meet();
      if (is_last()) compute();
    }
#pragma omp atomic
    met++;
  }
}

static void left(void) {
#pragma omp parallel
  if (!is_last()) {
#pragma omp barrier /* left */
  }
}

static void critical(void) {
#pragma omp parallel
  {
    if (!is_last()) meet();
#pragma omp critical(update) /* critical */
    {
      if (is_last()) meet();
      sleep(1000);
    }
  }
}

static void lock(void) {
#pragma omp parallel
  {
    if (is_last()) omp_set_lock(&first);
    meet();
    omp_set_lock(&first); /* lock */
  }
}

static void nest(void) {
#pragma omp parallel
  {
    if (is_last()) omp_set_nest_lock(&nested);
    meet();
    omp_set_nest_lock(&nested); /* nest */
    sleep(1000);
  }
}

static void circle(void) {
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(is_last() ? &second : &first);
    meet();
    omp_set_lock(is_last() ? &first : &second); /* circle */
  }
}

static __attribute__((noinline)) void come(void) {
#pragma omp barrier /* inside */
}

static void mixed(void) {
#pragma omp parallel
  {
    if (!is_last()) meet();
#pragma omp critical /* mixed */
    {
      if (is_last()) meet();
      come();
    }
  }
}

static void ordered(void) {
#pragma omp parallel
  {
#pragma omp for ordered schedule(static, 1)
    for (int k = 0; k < omp_get_num_threads(); k++) {
      if (k == 0) compute();
#pragma omp ordered /* ordered */
      met++;
    }
  }
}

static void doacross(void) {
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int k = 0; k < omp_get_num_threads(); k++) {
      if (k == 0) compute();
#pragma omp ordered depend(sink : k - 1) /* doacross */
      met++;
#pragma omp ordered depend(source)
    }
  }
}

/* Of so many iterations that the library counts each of the outermost ones by itself, not a thread's two together. */
static void large(void) {
  const long most = 1L << 33;
  int waits = 0;
#pragma omp parallel num_threads(2) firstprivate(waits)
  {
#pragma omp for ordered(3) schedule(static, 2)
    for (int i = 0; i < 4; i++)
      for (long j = 0; j < most; j++)
        for (long k = 0; k < most; k++) {
          if (i == 0) compute();
#pragma omp ordered depend(sink : i - 1, j, k) /* large */
          waits++;
#pragma omp ordered depend(source)
        }
  }
  met += waits;
}

static void tasks(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task
      {
#pragma omp atomic
        met++;
        compute(); /* in task */
      }
      for (int begun = 0; !begun; usleep(1000)) {
#pragma omp atomic read
        begun = met;
      }
#pragma omp taskwait /* tasks */
    }
  }
}

static void depends(void) {
  int value = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp task depend(out : value)
      {
#pragma omp atomic
        met++;
        compute();
        value = 1;
      }
      for (int begun = 0; !begun; usleep(1000)) {
#pragma omp atomic read
        begun = met;
      }
#pragma omp task depend(in : value) if (0) /* depends */
      met += value;
    }
  }
}

static void inner(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int outer = is_last();
    if (outer) {
#pragma omp parallel num_threads(2)
      {
        if (is_last()) compute();
#pragma omp barrier /* inner */
      }
    }
#pragma omp barrier /* outer */
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*hang)(void);
  } ways[] = {{"barrier", barrier},   {"region", region},   {"loop", loop},         {"left", left},
              {"critical", critical}, {"lock", lock},       {"nest", nest},         {"circle", circle},
              {"mixed", mixed},       {"ordered", ordered}, {"doacross", doacross}, {"tasks", tasks},
              {"inner", inner},       {"depends", depends}, {"large", large}};
  omp_init_lock(&first);
  omp_init_lock(&second);
  omp_init_nest_lock(&nested);
  for (unsigned k = 0; argc > 1 && k < sizeof ways / sizeof ways[0]; k++) {
    if (strcmp(argv[1], ways[k].name) == 0) ways[k].hang();
  }
  puts("it did not hang");
}
